//go:build duckdb_extension && cgo && (linux || darwin)

// The types of DuckDB that stand for those of Arrow.

#include "duckext.h"

#include <stdlib.h>

void duckext_free_type(struct duckext_type *t) {
	free(t->name);
	free(t->codes);
	for (int64_t i = 0; i < t->n_children; i++) duckext_free_type(&t->children[i]);
	free(t->children);
}

// of_children returns a struct or a union.
static duckdb_logical_type of_children(const struct duckext_type *t) {
	size_t n = (size_t)t->n_children;
	duckdb_logical_type *types = calloc(n + 1, sizeof *types), out = NULL;
	const char **names = calloc(n + 1, sizeof *names);
	int all = types != NULL && names != NULL && n > 0;
	for (size_t i = 0; all && i < n; i++) {
		names[i] = t->children[i].name;
		types[i] = duckext_logical(&t->children[i]);
		all = types[i] != NULL;
	}
	if (all && t->logical == DUCKDB_TYPE_UNION) out = duckdb.create_union_type(types, names, n);
	if (all && t->logical == DUCKDB_TYPE_STRUCT) out = duckdb.create_struct_type(types, names, n);
	for (size_t i = 0; types != NULL && i < n; i++)
		if (types[i] != NULL) duckdb.destroy_logical_type(&types[i]);
	free(types);
	free(names);
	return out;
}

static duckdb_logical_type of_child(const struct duckext_type *t) {
	duckdb_logical_type child = duckext_logical(&t->children[0]), out = NULL;
	if (child == NULL) return NULL;
	if (t->logical == DUCKDB_TYPE_LIST) out = duckdb.create_list_type(child);
	if (t->logical == DUCKDB_TYPE_ARRAY) out = duckdb.create_array_type(child, (idx_t)t->by);
	duckdb.destroy_logical_type(&child);
	return out;
}

static duckdb_logical_type of_map(const struct duckext_type *t) {
	const struct duckext_type *entries = &t->children[0];
	duckdb_logical_type key = duckext_logical(&entries->children[0]), value = duckext_logical(&entries->children[1]), out = NULL;
	if (key != NULL && value != NULL) out = duckdb.create_map_type(key, value);
	if (key != NULL) duckdb.destroy_logical_type(&key);
	if (value != NULL) duckdb.destroy_logical_type(&value);
	return out;
}

duckdb_logical_type duckext_logical(const struct duckext_type *t) {
	if (t->kind == DUCKEXT_REFUSED) return NULL;
	switch (t->logical) {
	case DUCKDB_TYPE_DECIMAL:
		return duckdb.create_decimal_type((uint8_t)t->width, (uint8_t)t->scale);
	case DUCKDB_TYPE_LIST:
	case DUCKDB_TYPE_ARRAY:
		return of_child(t);
	case DUCKDB_TYPE_MAP:
		return of_map(t);
	case DUCKDB_TYPE_STRUCT:
	case DUCKDB_TYPE_UNION:
		return of_children(t);
	default:
		return duckdb.create_logical_type(t->logical);
	}
}
