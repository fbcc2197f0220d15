//go:build duckdb_extension && cgo && (linux || darwin)

// Lists, maps, arrays, structs and unions.

#include "duckext.h"

#include <stdlib.h>
#include <string.h>

static const char *const no_memory = "out of memory";

// bits_for returns n bits, all zero, that the caller frees.
static uint64_t *bits_for(idx_t n) { return calloc(n / 64 + 1, sizeof(uint64_t)); }

static const char *fill_list(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at) {
	const void *offsets = a->buffers[1];
	int64_t skip = a->offset + from;
	int large = t->kind == DUCKEXT_LARGE_LIST;
	int64_t first = large ? ((const int64_t *)offsets)[skip] : ((const int32_t *)offsets)[skip];
	int64_t last = large ? ((const int64_t *)offsets)[skip + n] : ((const int32_t *)offsets)[skip + n];
	idx_t base = at == 0 ? 0 : duckdb.list_vector_get_size(v);
	idx_t size = base + (idx_t)(last - first);
	if (duckdb.list_vector_reserve(v, size) != 0 || duckdb.list_vector_set_size(v, size) != 0) return no_memory;
	struct duckdb_entry *out = (struct duckdb_entry *)duckdb.vector_get_data(v) + at;
	if (large) {
		const int64_t *o = (const int64_t *)offsets + skip;
		for (int64_t i = 0; i < n; i++) out[i] = (struct duckdb_entry){base + (idx_t)(o[i] - first), (idx_t)(o[i + 1] - o[i])};
	} else {
		const int32_t *o = (const int32_t *)offsets + skip;
		for (int64_t i = 0; i < n; i++) out[i] = (struct duckdb_entry){base + (idx_t)(o[i] - first), (idx_t)(o[i + 1] - o[i])};
	}
	const struct ArrowArray *child = a->children[0];
	const char *error = duckext_fill(&t->children[0], child, first, last - first, duckdb.list_vector_get_child(v), base, NULL);
	if (error != NULL || t->kind != DUCKEXT_MAP) return error;
	const struct ArrowArray *keys = child->children[0];
	if (keys->null_count != 0 && keys->buffers[0] != NULL)
		for (int64_t i = first; i < last; i++)
			if (duckext_valid(child, i) && !duckext_valid(keys, child->offset + i)) return "a key of a map is null, which DuckDB does not know";
	return NULL;
}

static const char *fill_array(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *valid) {
	uint64_t *parent = NULL;
	idx_t by = (idx_t)t->by;
	if (valid != NULL) { // elements of what is null are null
		parent = bits_for((at + (idx_t)n) * by);
		if (parent == NULL) return no_memory;
		for (idx_t i = at; i < at + (idx_t)n; i++)
			if (valid[i / 64] >> i % 64 & 1)
				for (idx_t k = i * by; k < (i + 1) * by; k++) parent[k / 64] |= (uint64_t)1 << k % 64;
	}
	const char *error = duckext_fill(&t->children[0], a->children[0], (a->offset + from) * t->by, n * t->by,
		duckdb.array_vector_get_child(v), at * by, parent);
	free(parent);
	return error;
}

static const char *fill_struct(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *valid) {
	for (int64_t k = 0; k < t->n_children; k++) {
		const char *error = duckext_fill(&t->children[k], a->children[k], a->offset + from, n, duckdb.struct_vector_get_child(v, (idx_t)k), at, valid);
		if (error != NULL) return error;
	}
	return NULL;
}

// fill_tags fills the first child of a union, which says which one has the value.
static const char *fill_tags(const struct duckext_type *t, const int8_t *ids, int64_t n, duckdb_vector v, idx_t at) {
	duckdb_vector tags = duckdb.struct_vector_get_child(v, 0);
	uint8_t *out = (uint8_t *)duckdb.vector_get_data(tags) + at;
	int bad = 0;
	for (int64_t i = 0; i < n; i++) {
		int8_t k = ids[i] < 0 ? -1 : t->codes[ids[i]];
		bad |= k < 0;
		out[i] = (uint8_t)k;
	}
	return bad ? "a value of a union is of no type of it" : NULL;
}

// shown tells whether the parent is valid at a place.
static int shown(const uint64_t *parent, idx_t i) { return parent == NULL || (parent[i / 64] >> i % 64 & 1); }

static const char *fill_sparse(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *parent) {
	const int8_t *ids = (const int8_t *)a->buffers[0] + a->offset + from;
	const char *error = fill_tags(t, ids, n, v, at);
	uint64_t *mine = bits_for(at + (idx_t)n);
	if (mine == NULL) return no_memory;
	for (int64_t k = 0; error == NULL && k < t->n_children; k++) {
		for (idx_t i = at; i < at + (idx_t)n; i++) {
			uint64_t bit = (uint64_t)1 << i % 64;
			if (t->codes[ids[i - at]] == k && shown(parent, i)) mine[i / 64] |= bit;
			else mine[i / 64] &= ~bit;
		}
		error = duckext_fill(&t->children[k], a->children[k], a->offset + from, n, duckdb.struct_vector_get_child(v, (idx_t)k + 1), at, mine);
	}
	free(mine);
	return error;
}

// empty makes places of a vector null, and those of its children that follow it place by place.
static void empty(const struct duckext_type *t, duckdb_vector v, idx_t from, idx_t to) {
	duckdb.vector_ensure_validity_writable(v);
	uint64_t *bits = duckdb.vector_get_validity(v);
	for (idx_t i = from; i < to; i++) bits[i / 64] &= ~((uint64_t)1 << i % 64);
	switch (t->kind) {
	case DUCKEXT_LIST:
	case DUCKEXT_LARGE_LIST:
	case DUCKEXT_MAP:
		memset((struct duckdb_entry *)duckdb.vector_get_data(v) + from, 0, (to - from) * sizeof(struct duckdb_entry));
		break;
	case DUCKEXT_STRUCT:
		for (int64_t k = 0; k < t->n_children; k++) empty(&t->children[k], duckdb.struct_vector_get_child(v, (idx_t)k), from, to);
		break;
	case DUCKEXT_SPARSE:
	case DUCKEXT_DENSE:
		for (int64_t k = 0; k < t->n_children; k++) empty(&t->children[k], duckdb.struct_vector_get_child(v, (idx_t)k + 1), from, to);
		break;
	case DUCKEXT_ARRAY:
		empty(&t->children[0], duckdb.array_vector_get_child(v), from * (idx_t)t->by, to * (idx_t)t->by);
		break;
	}
}

// fill_dense copies a run at a time: neighbours that are neighbours in the child, too.
static const char *fill_dense(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *parent) {
	const int8_t *ids = (const int8_t *)a->buffers[0] + a->offset + from;
	const int32_t *offsets = (const int32_t *)a->buffers[1] + a->offset + from;
	const char *error = fill_tags(t, ids, n, v, at);
	if (error != NULL) return error;
	for (int64_t k = 0; k < t->n_children; k++) empty(&t->children[k], duckdb.struct_vector_get_child(v, (idx_t)k + 1), at, at + (idx_t)n);
	for (int64_t i = 0, j; error == NULL && i < n; i = j) {
		j = i + 1;
		if (!shown(parent, at + (idx_t)i)) continue;
		for (; j < n && ids[j] == ids[i] && offsets[j] == offsets[j - 1] + 1 && shown(parent, at + (idx_t)j); j++) {
		}
		int64_t k = t->codes[ids[i]];
		error = duckext_fill(&t->children[k], a->children[k], offsets[i], j - i, duckdb.struct_vector_get_child(v, (idx_t)k + 1), at + (idx_t)i, NULL);
	}
	return error;
}

const char *duckext_fill_nested(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *parent) {
	static const struct ArrowArray all_valid; // unions have no validity of their own
	int joins = t->kind == DUCKEXT_SPARSE || t->kind == DUCKEXT_DENSE;
	if (n == 0) return NULL;
	const uint64_t *valid = duckext_validity(joins ? &all_valid : a, from, n, v, at, parent);
	switch (t->kind) {
	case DUCKEXT_SPARSE:
		return fill_sparse(t, a, from, n, v, at, valid);
	case DUCKEXT_DENSE:
		return fill_dense(t, a, from, n, v, at, valid);
	case DUCKEXT_ARRAY:
		return fill_array(t, a, from, n, v, at, valid);
	case DUCKEXT_STRUCT:
		return fill_struct(t, a, from, n, v, at, valid);
	default:
		return fill_list(t, a, from, n, v, at);
	}
}
