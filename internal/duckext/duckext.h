// What Go and the C files of this package say to each other.
#ifndef ARROWIO_DUCKEXT_H
#define ARROWIO_DUCKEXT_H

#include "../arrowc/arrowc.h"
#include "capi.h"

// How the values of an Arrow array become those of a vector.
enum duckext_kind {
	DUCKEXT_REFUSED = 0, // they do not
	DUCKEXT_NULL,
	DUCKEXT_BOOL,
	DUCKEXT_COPY,      // size bytes each, as they are
	DUCKEXT_DATE32,    // but what DuckDB takes for infinity
	DUCKEXT_STAMP,     // int64, but what DuckDB takes for infinity
	DUCKEXT_DATE64,    // milliseconds to days
	DUCKEXT_TIME,      // size bytes, times by or by -by, to microseconds of a day
	DUCKEXT_INSTANT,   // int64, times by or by -by, to microseconds
	DUCKEXT_HALF,      // to float
	DUCKEXT_DECIMAL,   // of by bytes to size bytes
	DUCKEXT_TEXT,      // offsets of 32 bits
	DUCKEXT_LARGE,     // offsets of 64 bits
	DUCKEXT_FIXED,     // of size bytes, to blobs
	DUCKEXT_VIEW,
	DUCKEXT_UUID,
	DUCKEXT_DURATION,  // int64, times by or by -by, to microseconds of an interval
	DUCKEXT_MONTHS,
	DUCKEXT_DAYS,      // days and milliseconds
	DUCKEXT_CALENDAR,  // months, days, nanoseconds
	DUCKEXT_LIST,      // offsets of 32 bits
	DUCKEXT_LARGE_LIST,
	DUCKEXT_MAP,
	DUCKEXT_ARRAY,     // by elements each
	DUCKEXT_STRUCT,
	DUCKEXT_SPARSE,
	DUCKEXT_DENSE,
};

// duckext_type is a type of Arrow, and what it is in DuckDB.
struct duckext_type {
	int kind;
	int logical; // DUCKDB_TYPE_…
	int size;    // bytes
	int64_t by;  // a factor, a divisor where it is negative, or a number
	int width, scale; // of a decimal
	char *name;  // of a child of a struct or union
	int8_t *codes; // of a union: which child each of 128 type ids is; -1 = none
	int64_t n_children;
	struct duckext_type *children;
};

void duckext_free_type(struct duckext_type *t);

// duckext_logical returns the type in DuckDB, which the caller destroys; NULL = DuckDB has no such type.
duckdb_logical_type duckext_logical(const struct duckext_type *t);

// duckext_fill copies n values of an array, from one on, into a vector, from at on. parent, NULL = all, has a bit for each
// place of the vector at which the parent is valid. It returns NULL, or why a value cannot be copied.
const char *duckext_fill(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *parent);

// duckext_validity sets which of n places are valid: those that the array and the parent say. It returns the bits of the
// vector; NULL = all n are valid.
const uint64_t *duckext_validity(const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at, const uint64_t *parent);
int duckext_valid(const struct ArrowArray *a, int64_t i); // i is counted from the offset of a

const char *duckext_fill_text(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at);
const char *duckext_fill_nested(const struct duckext_type *t, const struct ArrowArray *a, int64_t from, int64_t n, duckdb_vector v, idx_t at,
	const uint64_t *parent);

// A table that is open. C frees what is in it.
struct duckext_column {
	char *name;
	char *refused; // why it cannot be read; NULL = it can
	struct duckext_type type;
};
struct duckext_table {
	uint64_t handle; // of Go; 0 = it is not open
	int64_t rows;    // negative = not known
	int exact;       // rows are all that there will be
	int64_t n;
	struct duckext_column *columns;
};

// What an extension has. It stays as long as the process.
struct duckext_function {
	char *name;
	char **options; // names of named parameters
	size_t n_options;
};
struct duckext_suffix {
	char *suffix; // ".orc"
	char *function;
};
struct duckext_offer {
	struct duckext_function *functions;
	size_t n_functions;
	struct duckext_suffix *suffixes;
	size_t n_suffixes;
};

// duckext_load registers what is offered in the database that loads the extension.
bool duckext_load(duckdb_extension_info info, struct duckdb_extension_access *access, struct duckext_offer *offer);

#endif
