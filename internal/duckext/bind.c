//go:build duckdb_extension && cgo && (linux || darwin)

// Binding: arguments are read, and a table is opened for each place where a function stands in a statement.

#include "duckext.h"
#include "functions.h"

#include <stdlib.h>
#include <string.h>

extern char *duckextOpen(char *function, char **paths, size_t n_paths, char **options, size_t n_options, struct duckext_table *out);
extern void duckextClose(uint64_t handle);

// texts is a list of C strings that grows.
struct texts {
	char **list;
	size_t n;
	int failed; // no memory
};

static void add_text(struct texts *t, const char *text) {
	char **list = realloc(t->list, (t->n + 1) * sizeof *list);
	if (list != NULL) t->list = list;
	char *copy = strdup(text);
	if (list == NULL || copy == NULL) {
		free(copy);
		t->failed = 1;
		return;
	}
	t->list[t->n++] = copy;
}

static void free_texts(struct texts *t) {
	for (size_t i = 0; i < t->n; i++) free(t->list[i]);
	free(t->list);
}

// add_values appends a value as text, behind before where that is not NULL; of a list each element; of NULL nothing.
static void add_values(struct texts *t, const char *before, duckdb_value v) {
	if (v == NULL || duckdb.is_null_value(v)) return;
	if (duckdb.get_type_id(duckdb.get_value_type(v)) == DUCKDB_TYPE_LIST) {
		idx_t n = duckdb.get_list_size(v);
		for (idx_t i = 0; i < n; i++) {
			duckdb_value e = duckdb.get_list_child(v, i);
			add_values(t, before, e);
			duckdb.destroy_value(&e);
		}
		return;
	}
	char *text = duckdb.get_varchar(v);
	if (text == NULL) return;
	if (before != NULL) add_text(t, before);
	add_text(t, text);
	duckdb.free(text);
}

static void close_table(void *p) {
	struct duckext_table *t = p;
	for (int64_t i = 0; i < t->n; i++) {
		free(t->columns[i].name);
		free(t->columns[i].refused);
		duckext_free_type(&t->columns[i].type);
	}
	free(t->columns);
	if (t->handle != 0 && !arrowio_forked()) duckextClose(t->handle);
	free(t);
}

static void add_column(duckdb_bind_info info, struct duckext_column *c) {
	duckdb_logical_type t = duckext_logical(&c->type);
	if (t == NULL) { // it is listed, and an error where it is read
		t = duckdb.create_logical_type(DUCKDB_TYPE_VARCHAR);
		if (c->refused == NULL) c->refused = strdup("DuckDB has no such type");
	}
	duckdb.bind_add_result_column(info, c->name, t);
	duckdb.destroy_logical_type(&t);
}

void duckext_bind(duckdb_bind_info info) {
	if (arrowio_forked()) {
		duckdb.bind_set_error(info, "this process was forked after the extension had been loaded, which the Go runtime does not survive");
		return;
	}
	struct duckext_function *f = duckdb.bind_get_extra_info(info);
	struct texts paths = {0}, options = {0};
	duckdb_value v = duckdb.bind_get_parameter(info, 0);
	add_values(&paths, NULL, v);
	if (v != NULL) duckdb.destroy_value(&v);
	for (size_t i = 0; i < f->n_options; i++) {
		v = duckdb.bind_get_named_parameter(info, f->options[i]);
		if (v == NULL) continue;
		add_values(&options, f->options[i], v);
		duckdb.destroy_value(&v);
	}
	struct duckext_table *t = calloc(1, sizeof *t);
	char *error = NULL;
	if (t == NULL || paths.failed || options.failed) {
		error = strdup("out of memory");
	} else {
		error = duckextOpen(f->name, paths.list, paths.n, options.list, options.n / 2, t);
	}
	free_texts(&paths);
	free_texts(&options);
	if (error != NULL) {
		duckdb.bind_set_error(info, error);
		free(error);
		if (t != NULL) close_table(t);
		return;
	}
	for (int64_t i = 0; i < t->n; i++) add_column(info, &t->columns[i]);
	if (t->rows >= 0) duckdb.bind_set_cardinality(info, (idx_t)t->rows, t->exact);
	duckdb.bind_set_bind_data(info, t, close_table);
}
