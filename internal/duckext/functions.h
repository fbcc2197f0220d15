// The callbacks of the table functions.
#ifndef ARROWIO_DUCKEXT_FUNCTIONS_H
#define ARROWIO_DUCKEXT_FUNCTIONS_H

#include "capi.h"

void duckext_bind(duckdb_bind_info info);
void duckext_init(duckdb_init_info info);
void duckext_init_thread(duckdb_init_info info);
void duckext_next(duckdb_function_info info, duckdb_data_chunk out);

#endif
