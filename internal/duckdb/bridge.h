// What Go calls of the C side of this package.
#ifndef ARROWIO_DUCKDB_BRIDGE_H
#define ARROWIO_DUCKDB_BRIDGE_H

#include "capi.h"

// bridge_register makes the table function and the replacement scan of a database known. handle is of Go's *DB.
duckdb_state bridge_register(duckdb_database db, duckdb_connection c, uint64_t handle, const char **options, size_t n);

// bridge_column finds out what a column is in DuckDB. schema has that one field, stream one batch without rows of it;
// both are released. The result is an error's text, to be freed, or NULL.
char *bridge_column(duckdb_connection c, struct ArrowSchema *schema, struct ArrowArrayStream *stream,
	duckdb_arrow_converted_schema *converted, duckdb_logical_type *type);

void bridge_release(struct ArrowArrayStream *s);

// bridge_scan is a scan: of wanted columns, the n-th is column n of the stream's batches where place[n] is not negative.
struct bridge_scan {
	struct ArrowArrayStream stream;
	duckdb_connection connection; // for conversions
	duckdb_arrow_converted_schema *converted;
	int64_t *place;
	size_t wanted;
	int ended;
	void *lock;
};
struct bridge_scan *bridge_new_scan(size_t wanted);
void bridge_free_scan(void *scan);
void bridge_set_bound(duckdb_bind_info info, uint64_t handle);
uint64_t bridge_bound(duckdb_init_info info);
void bridge_set_scan(duckdb_init_info info, struct bridge_scan *s);

// bridge_described tells the schema of the result of a statement, or, where parameters is set, of its parameters. Types that are
// not known yet are text. The result is an error's text, to be freed, or NULL.
char *bridge_described(duckdb_connection c, duckdb_prepared_statement stmt, int parameters, struct ArrowSchema *out);

// bridge_result is a result on its way to Arrow. It outlives its stream, and is freed by bridge_free_result.
struct bridge_result {
	duckdb_result result;
	duckdb_arrow_options options;
	char *error; // why get_next or get_schema failed
	int error_type;
	duckdb_logical_type *intervals; // by column: its type if there are intervals in it, or else NULL
	int64_t long_interval;          // the column whose interval Arrow cannot hold, which is why get_next failed; -1 = it is not
};
int bridge_stream(struct bridge_result *r, struct ArrowArrayStream *out);
void bridge_free_result(struct bridge_result *r);

#endif
