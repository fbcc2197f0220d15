//go:build duckdb && cgo && linux && (amd64 || arm64)

// What functions of DuckDB make of a row (repeat, lpad, list_resize) is not counted against its memory_limit. So the large allocations of its
// allocator are looked at here: the linker has its calls of jemalloc come by. One that the machine or the container has no memory for
// fails, and DuckDB turns that into an error of the statement. The kernel would end the whole process.

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "alloclimit.h"
#include "planlimit.h"

void *__real_duckdb_je_malloc(size_t n);
void *__real_duckdb_je_realloc(void *p, size_t n);

static _Atomic int64_t most; // private bytes of the process; 0 = any

void alloclimit_set(int64_t bytes) { atomic_store(&most, bytes); }

// private is the memory that the process has to itself, by statm of proc(5): pages of mapped files can be taken away. 0 = it is not known.
static int64_t private(void) {
	char text[128];
	int f = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (f < 0) return 0;
	ssize_t n = read(f, text, sizeof text - 1);
	close(f);
	if (n <= 0) return 0;
	text[n] = 0;
	char *at = text;
	strtoull(at, &at, 10); // the size
	int64_t resident = strtoll(at, &at, 10), shared = strtoll(at, &at, 10);
	return (resident - shared) * sysconf(_SC_PAGESIZE);
}

int alloclimit_refuses(size_t n) {
	if (n < alloclimit_large) return 0;
	int64_t m = atomic_load_explicit(&most, memory_order_relaxed);
	if (m == 0 || (n <= INT64_MAX / 2 && private() + (int64_t)n <= m)) return 0;
	return 1;
}

static int refuses(size_t n) { return n >= alloclimit_large && (planlimit_refuses(n) || alloclimit_refuses(n)); }

void *__wrap_duckdb_je_malloc(size_t n) { return refuses(n) ? NULL : __real_duckdb_je_malloc(n); }

void *__wrap_duckdb_je_realloc(void *p, size_t n) { return refuses(n) ? NULL : __real_duckdb_je_realloc(p, n); }
