//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

// DuckDB parses, binds and optimises a statement on the thread that asks, and allocates by operator new all the time. So this
// file replaces that operator, as C++ allows ([replacement.functions]). On a thread that plans within limits it throws std::bad_alloc, which
// DuckDB turns into an error of the statement.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef __APPLE__
#include <malloc/malloc.h>
#define usable_size malloc_size
#else
#include <malloc.h>
#define usable_size malloc_usable_size
#endif

#include <stdbool.h>

#include "alloclimit.h"
#include "planlimit.h"

struct planlimit {
	std::atomic<bool> stop{false};
	bool full = false;
	int64_t bytes;       // that may be in use at once
	int64_t used = 0;    // of the call under way
	size_t largest = 0;  // allocation of the query
	int64_t reserve = 0; // allocations that pass although the call is to end
};

// After it has thrown, so many allocations pass: those of the error itself, and of what has to be tidied up. None of them is large.
static const int64_t reserved = 100000;

static const duckdb_state failure_state = 1;

static thread_local struct planlimit *limit; // of this thread; NULL = none

static bool refuses(struct planlimit *l, size_t n) {
	if (n > l->largest) l->largest = n;
	if (l->used > l->bytes || n > size_t(l->bytes)) l->full = true;
	if (!l->full && !l->stop.load(std::memory_order_relaxed)) return false;
	// DuckDB tries the functions of constants several times, whatever comes of it: a large value must fail each time.
	if (n >= alloclimit_large) return true;
	if (l->reserve > 0) {
		l->reserve--;
		return false;
	}
	l->reserve = reserved;
	return true;
}

int planlimit_refuses(size_t n) { return limit && refuses(limit, n); }

void *operator new(size_t n) {
	struct planlimit *l = limit;
	if (l && refuses(l, n)) throw std::bad_alloc();
#ifdef __linux__
	if (n >= alloclimit_large && alloclimit_refuses(n)) throw std::bad_alloc();
#endif
	void *p = malloc(n ? n : 1);
	if (!p) throw std::bad_alloc();
	if (l) l->used += usable_size(p);
	return p;
}

void operator delete(void *p) noexcept {
	if (limit && p) limit->used -= usable_size(p);
	free(p);
}

void operator delete(void *p, size_t) noexcept { operator delete(p); }

// limited calls f within the limits of l, and returns what it returns, or failed if it was ended where DuckDB does not expect it.
template <typename F, typename R> static R limited(struct planlimit *l, R failed, F f) {
	struct restore {
		~restore() { limit = nullptr; }
	} at_end;
	l->used = 0;
	l->reserve = 0;
	limit = l;
	try {
		return f();
	} catch (...) {
		return failed;
	}
}

struct planlimit *planlimit_new(int64_t bytes) {
	auto l = new planlimit();
	l->bytes = bytes;
	return l;
}

void planlimit_free(struct planlimit *l) { delete l; }

void planlimit_begin(struct planlimit *l) {
	l->stop.store(false, std::memory_order_relaxed);
	l->full = false;
	l->largest = 0;
}

void planlimit_stop(struct planlimit *l) { l->stop.store(true, std::memory_order_relaxed); }

int planlimit_full(const struct planlimit *l) { return l->full; }

int64_t planlimit_largest(const struct planlimit *l) { return l->largest > size_t(INT64_MAX) ? INT64_MAX : int64_t(l->largest); }

struct planlimit *planlimit_pause(void) {
	struct planlimit *l = limit;
	limit = nullptr;
	return l;
}

void planlimit_resume(struct planlimit *l) { limit = l; }

idx_t planlimit_extract(struct planlimit *l, duckdb_connection c, const char *sql, duckdb_extracted_statements *out) {
	*out = nullptr;
	return limited(l, idx_t(0), [&] { return duckdb_extract_statements(c, sql, out); });
}

duckdb_state planlimit_prepare(struct planlimit *l, duckdb_connection c, duckdb_extracted_statements list, idx_t i, duckdb_prepared_statement *out) {
	*out = nullptr;
	return limited(l, failure_state, [&] { return duckdb_prepare_extracted_statement(c, list, i, out); });
}

duckdb_state planlimit_query(struct planlimit *l, duckdb_connection c, const char *sql, duckdb_result *out) {
	memset(out, 0, sizeof *out);
	return limited(l, failure_state, [&] { return duckdb_query(c, sql, out); });
}
