//go:build duckdb_extension && cgo && (linux || darwin)

// Text and bytes. DuckDB keeps up to 12 bytes of a text within the vector, and a pointer to longer ones. The bytes of
// neighbours lie side by side in Arrow, so all of a slice are handed to DuckDB as one text, and the pointers lead into it:
// one call for a vector, not one for each value.

#include "duckext.h"

#include <string.h>

enum { short_text = 12 };

static const char *const not_utf8 = "a text is not UTF-8";
static const char *const too_long = "a text has more than 4294967295 bytes";

static uint64_t load8(const char *p) {
	uint64_t x;
	memcpy(&x, p, 8);
	return x;
}

// put_text stores a text; p stays where it is if the text is long. end is behind all that may be read.
static inline void put_text(struct duckdb_text *out, const char *p, uint32_t n, const char *end) {
	out->length = n;
	if (n > short_text) {
		memcpy(out->value.pointer.prefix, p, 4);
		out->value.pointer.at = p;
		return;
	}
	if (end - p >= 16) { // without a call
		uint64_t low = load8(p), high = load8(p + 8);
		low &= n >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * n) - 1;
		high &= n > 8 ? ((uint64_t)1 << 8 * (n - 8)) - 1 : 0;
		memcpy(out->value.inlined, &low, 8);
		memcpy(out->value.inlined + 8, &high, 4);
		return;
	}
	memset(out->value.inlined, 0, sizeof out->value.inlined);
	if (n > 0) memcpy(out->value.inlined, p, n);
}

// assign has DuckDB copy a text; it tells whether it did, which it does not where the text is not UTF-8.
static int assign(duckdb_vector v, idx_t at, const char *p, uint64_t n) {
	struct duckdb_text *out = (struct duckdb_text *)duckdb.vector_get_data(v) + at;
	out->length = UINT32_MAX;
	duckdb.vector_assign_string_element_len(v, at, p, n);
	return out->length == n;
}

// keep returns where DuckDB keeps a copy of n bytes; NULL = it does not.
static const char *keep(duckdb_vector v, idx_t at, const char *p, uint64_t n) {
	if (n <= short_text || n >= UINT32_MAX || !assign(v, at, p, n)) return NULL;
	return ((struct duckdb_text *)duckdb.vector_get_data(v))[at].value.pointer.at;
}

// assign_each copies texts one by one: where all of them together are not taken.
static const char *assign_each(const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const char *(*text)(const struct duckext_type *, const struct ArrowArray *, int64_t i, uint64_t *length), const struct duckext_type *t) {
	for (int64_t i = 0; i < n; i++) {
		uint64_t length = 0;
		const char *p = "";
		if (duckext_valid(a, from + i)) p = text(t, a, from + i, &length);
		if (length >= UINT32_MAX) return too_long;
		if (!assign(v, at + (idx_t)i, p, length)) return not_utf8;
	}
	return NULL;
}

// OFFSETS defines how texts between offsets of TYPE are copied.
#define OFFSETS(name, TYPE) \
	static const char *name##_one(const struct duckext_type *t, const struct ArrowArray *a, int64_t i, uint64_t *length) { \
		(void)t; \
		const TYPE *at = (const TYPE *)a->buffers[1] + a->offset + i; \
		*length = (uint64_t)(at[1] - at[0]); \
		return (const char *)a->buffers[2] + at[0]; \
	} \
	static const char *name(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at) { \
		const TYPE *offsets = (const TYPE *)a->buffers[1] + a->offset + from; \
		TYPE longest = 0; \
		for (int64_t i = 0; i < n; i++) { \
			TYPE k = offsets[i + 1] - offsets[i]; \
			longest = k > longest ? k : longest; \
		} \
		const char *p = (const char *)a->buffers[2] + offsets[0]; \
		uint64_t size = (uint64_t)(offsets[n] - offsets[0]); \
		if (longest > short_text) p = keep(v, at, p, size); \
		if (p == NULL) return assign_each(a, from, n, v, at, name##_one, t); \
		struct duckdb_text *out = (struct duckdb_text *)duckdb.vector_get_data(v) + at; \
		for (int64_t i = 0; i < n; i++) \
			put_text(&out[i], p + (offsets[i] - offsets[0]), (uint32_t)(offsets[i + 1] - offsets[i]), p + size); \
		return NULL; \
	}
OFFSETS(fill_small, int32_t)
OFFSETS(fill_large, int64_t)

static const char *fixed_one(const struct duckext_type *t, const struct ArrowArray *a, int64_t i, uint64_t *length) {
	*length = (uint64_t)t->size;
	return (const char *)a->buffers[1] + (a->offset + i) * t->size;
}

static const char *fill_fixed(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at) {
	uint64_t length, size = (uint64_t)n * (uint64_t)t->size;
	const char *p = fixed_one(t, a, from, &length);
	if (t->size > short_text) p = keep(v, at, p, size);
	if (p == NULL) return assign_each(a, from, n, v, at, fixed_one, t);
	struct duckdb_text *out = (struct duckdb_text *)duckdb.vector_get_data(v) + at;
	for (int64_t i = 0; i < n; i++) put_text(&out[i], p + i * t->size, (uint32_t)t->size, p + size);
	return NULL;
}

// A view has a length, and the bytes or a prefix, the number of a buffer and a place in it.
struct view {
	int32_t length;
	union {
		char inlined[12];
		struct { char prefix[4]; int32_t buffer, at; } outside;
	} value;
};

static const char *view_one(const struct duckext_type *t, const struct ArrowArray *a, int64_t i, uint64_t *length) {
	(void)t;
	const struct view *w = (const struct view *)a->buffers[1] + a->offset + i;
	*length = (uint64_t)w->length;
	if (w->length <= short_text) return w->value.inlined;
	return (const char *)a->buffers[2 + w->value.outside.buffer] + w->value.outside.at;
}

const char *duckext_fill_text(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at) {
	if (n == 0) return NULL;
	switch (t->kind) {
	case DUCKEXT_TEXT:
		return fill_small(t, a, from, n, v, at);
	case DUCKEXT_LARGE:
		return fill_large(t, a, from, n, v, at);
	case DUCKEXT_FIXED:
		return fill_fixed(t, a, from, n, v, at);
	default:
		return assign_each(a, from, n, v, at, view_one, t);
	}
}
