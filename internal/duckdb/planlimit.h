// Planning of a statement, bounded in time and memory: DuckDB looks at neither until a plan runs.
#ifndef ARROWIO_DUCKDB_PLANLIMIT_H
#define ARROWIO_DUCKDB_PLANLIMIT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "capi.h"

// planlimit is what one call may use, of one query after another.
struct planlimit;
struct planlimit *planlimit_new(int64_t bytes);
void planlimit_free(struct planlimit *l);

// planlimit_begin makes it that of another query.
void planlimit_begin(struct planlimit *l);

// planlimit_stop ends the call that is under way, and those that follow. Any thread may call it.
void planlimit_stop(struct planlimit *l);

// planlimit_full reports whether a call has been ended because of its memory.
int planlimit_full(const struct planlimit *l);

// planlimit_largest returns the size of the largest allocation that calls have made, or have been refused.
int64_t planlimit_largest(const struct planlimit *l);

// planlimit_refuses reports whether the thread plans a statement that may not have an allocation of n bytes, which is one of
// DuckDB's allocator: those of lists.
int planlimit_refuses(size_t n);

// planlimit_pause lifts the limit of the thread, for calls out of DuckDB that no exception may pass. Its result is for planlimit_resume.
struct planlimit *planlimit_pause(void);
void planlimit_resume(struct planlimit *l);

// These are DuckDB's functions of these names, limited. One that was ended returns 1, and what it would have made is NULL.
idx_t planlimit_extract(struct planlimit *l, duckdb_connection c, const char *sql, duckdb_extracted_statements *out);
duckdb_state planlimit_prepare(struct planlimit *l, duckdb_connection c, duckdb_extracted_statements list, idx_t i, duckdb_prepared_statement *out);
duckdb_state planlimit_query(struct planlimit *l, duckdb_connection c, const char *sql, duckdb_result *out);

#ifdef __cplusplus
}
#endif

#endif
