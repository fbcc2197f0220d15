// The part of DuckDB's C API (duckdb.h of 1.5.5) that is used here. It is declared once more because the module that
// carries the library keeps its header to itself, and the module that has a Go face for it needs another Arrow.
#ifndef ARROWIO_DUCKDB_CAPI_H
#define ARROWIO_DUCKDB_CAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../arrowc/arrowc.h"

typedef uint64_t idx_t;
typedef int duckdb_state; // 0 = success

typedef struct _duckdb_database *duckdb_database;
typedef struct _duckdb_connection *duckdb_connection;
typedef struct _duckdb_config *duckdb_config;
typedef struct _duckdb_prepared_statement *duckdb_prepared_statement;
typedef struct _duckdb_extracted_statements *duckdb_extracted_statements;
typedef struct _duckdb_logical_type *duckdb_logical_type;
typedef struct _duckdb_data_chunk *duckdb_data_chunk;
typedef struct _duckdb_vector *duckdb_vector;
typedef struct _duckdb_value *duckdb_value;
typedef struct _duckdb_error_data *duckdb_error_data;
typedef struct _duckdb_table_function *duckdb_table_function;
typedef struct _duckdb_function_info *duckdb_function_info;
typedef struct _duckdb_bind_info *duckdb_bind_info;
typedef struct _duckdb_init_info *duckdb_init_info;
typedef struct _duckdb_replacement_scan_info *duckdb_replacement_scan_info;
typedef struct _duckdb_arrow_options *duckdb_arrow_options;
typedef struct _duckdb_arrow_converted_schema *duckdb_arrow_converted_schema;
typedef void (*duckdb_delete_callback_t)(void *data);

typedef struct {
	idx_t deprecated_column_count, deprecated_row_count, deprecated_rows_changed;
	void *deprecated_columns;
	char *deprecated_error_message;
	void *internal_data;
} duckdb_result;

typedef struct _duckdb_selection_vector *duckdb_selection_vector;

typedef struct {
	int32_t months, days;
	int64_t micros;
} duckdb_interval;

enum {
	DUCKDB_TYPE_INVALID = 0,
	DUCKDB_TYPE_TIMESTAMP = 12,
	DUCKDB_TYPE_DATE = 13,
	DUCKDB_TYPE_TIME = 14,
	DUCKDB_TYPE_INTERVAL = 15,
	DUCKDB_TYPE_HUGEINT = 16,
	DUCKDB_TYPE_VARCHAR = 17,
	DUCKDB_TYPE_TIMESTAMP_S = 20,
	DUCKDB_TYPE_TIMESTAMP_MS = 21,
	DUCKDB_TYPE_TIMESTAMP_NS = 22,
	DUCKDB_TYPE_LIST = 24,
	DUCKDB_TYPE_STRUCT = 25,
	DUCKDB_TYPE_MAP = 26,
	DUCKDB_TYPE_UNION = 28,
	DUCKDB_TYPE_BIT = 29,
	DUCKDB_TYPE_TIME_TZ = 30,
	DUCKDB_TYPE_TIMESTAMP_TZ = 31,
	DUCKDB_TYPE_UHUGEINT = 32,
	DUCKDB_TYPE_ARRAY = 33,
	DUCKDB_TYPE_ANY = 34,
	DUCKDB_TYPE_BIGNUM = 35,
	DUCKDB_TYPE_SQLNULL = 36,
	DUCKDB_TYPE_STRING_LITERAL = 37,
	DUCKDB_TYPE_INTEGER_LITERAL = 38,
	DUCKDB_TYPE_TIME_NS = 39,
	DUCKDB_TYPE_VARIANT = 41,
};

extern const char *duckdb_library_version(void);
extern duckdb_state duckdb_create_config(duckdb_config *);
extern duckdb_state duckdb_set_config(duckdb_config, const char *name, const char *option);
extern void duckdb_destroy_config(duckdb_config *);
extern duckdb_state duckdb_open_ext(const char *path, duckdb_database *, duckdb_config, char **error);
extern void duckdb_close(duckdb_database *);
extern duckdb_state duckdb_connect(duckdb_database, duckdb_connection *);
extern void duckdb_disconnect(duckdb_connection *);
extern void duckdb_interrupt(duckdb_connection);
extern void duckdb_free(void *);

extern idx_t duckdb_extract_statements(duckdb_connection, const char *query, duckdb_extracted_statements *);
extern const char *duckdb_extract_statements_error(duckdb_extracted_statements);
extern void duckdb_destroy_extracted(duckdb_extracted_statements *);
extern duckdb_state duckdb_prepare_extracted_statement(duckdb_connection, duckdb_extracted_statements, idx_t, duckdb_prepared_statement *);
extern const char *duckdb_prepare_error(duckdb_prepared_statement);
extern idx_t duckdb_nparams(duckdb_prepared_statement);
extern const char *duckdb_parameter_name(duckdb_prepared_statement, idx_t);
extern int duckdb_prepared_statement_type(duckdb_prepared_statement);
extern idx_t duckdb_rows_changed(duckdb_result *);
extern duckdb_logical_type duckdb_param_logical_type(duckdb_prepared_statement, idx_t); // counted from 1
extern idx_t duckdb_prepared_statement_column_count(duckdb_prepared_statement);
extern const char *duckdb_prepared_statement_column_name(duckdb_prepared_statement, idx_t); // to be freed
extern duckdb_logical_type duckdb_prepared_statement_column_logical_type(duckdb_prepared_statement, idx_t);
extern void duckdb_connection_get_arrow_options(duckdb_connection, duckdb_arrow_options *);
extern void duckdb_destroy_prepare(duckdb_prepared_statement *);
extern duckdb_state duckdb_execute_prepared(duckdb_prepared_statement, duckdb_result *);
extern duckdb_state duckdb_execute_prepared_streaming(duckdb_prepared_statement, duckdb_result *);
extern duckdb_state duckdb_query(duckdb_connection, const char *query, duckdb_result *);
extern char *duckdb_value_varchar(duckdb_result *, idx_t column, idx_t row);

extern const char *duckdb_result_error(duckdb_result *);
extern int duckdb_result_error_type(duckdb_result *);
extern void duckdb_destroy_result(duckdb_result *);
extern idx_t duckdb_column_count(duckdb_result *);
extern const char *duckdb_column_name(duckdb_result *, idx_t);
extern duckdb_logical_type duckdb_column_logical_type(duckdb_result *, idx_t);
extern duckdb_data_chunk duckdb_fetch_chunk(duckdb_result);
extern duckdb_arrow_options duckdb_result_get_arrow_options(duckdb_result *);
extern void duckdb_destroy_arrow_options(duckdb_arrow_options *);

extern duckdb_logical_type duckdb_create_logical_type(int);
extern void duckdb_destroy_logical_type(duckdb_logical_type *);
extern int duckdb_get_type_id(duckdb_logical_type);
extern duckdb_logical_type duckdb_list_type_child_type(duckdb_logical_type);
extern duckdb_logical_type duckdb_array_type_child_type(duckdb_logical_type);
extern idx_t duckdb_array_type_array_size(duckdb_logical_type);
extern duckdb_logical_type duckdb_map_type_key_type(duckdb_logical_type);
extern duckdb_logical_type duckdb_map_type_value_type(duckdb_logical_type);
extern idx_t duckdb_struct_type_child_count(duckdb_logical_type);
extern char *duckdb_struct_type_child_name(duckdb_logical_type, idx_t);
extern duckdb_logical_type duckdb_struct_type_child_type(duckdb_logical_type, idx_t);
extern idx_t duckdb_union_type_member_count(duckdb_logical_type);
extern char *duckdb_union_type_member_name(duckdb_logical_type, idx_t);
extern duckdb_logical_type duckdb_union_type_member_type(duckdb_logical_type, idx_t);
extern duckdb_logical_type duckdb_get_value_type(duckdb_value); // not to be destroyed
extern duckdb_value duckdb_create_varchar(const char *);
extern char *duckdb_get_varchar(duckdb_value);
extern bool duckdb_is_null_value(duckdb_value);
extern idx_t duckdb_get_list_size(duckdb_value);
extern duckdb_value duckdb_get_list_child(duckdb_value, idx_t);
extern void duckdb_destroy_value(duckdb_value *);

extern void duckdb_destroy_data_chunk(duckdb_data_chunk *);
extern idx_t duckdb_data_chunk_get_size(duckdb_data_chunk);
extern duckdb_vector duckdb_data_chunk_get_vector(duckdb_data_chunk, idx_t);
extern void duckdb_data_chunk_set_size(duckdb_data_chunk, idx_t);
extern duckdb_logical_type duckdb_vector_get_column_type(duckdb_vector);
extern void duckdb_vector_reference_vector(duckdb_vector to, duckdb_vector from);
extern idx_t duckdb_vector_size(void);
extern duckdb_vector duckdb_create_vector(duckdb_logical_type, idx_t capacity);
extern void duckdb_destroy_vector(duckdb_vector *);
extern void *duckdb_vector_get_data(duckdb_vector);
extern uint64_t *duckdb_vector_get_validity(duckdb_vector); // NULL = all are valid
extern duckdb_vector duckdb_list_vector_get_child(duckdb_vector);
extern idx_t duckdb_list_vector_get_size(duckdb_vector);
extern duckdb_vector duckdb_struct_vector_get_child(duckdb_vector, idx_t);
extern duckdb_vector duckdb_array_vector_get_child(duckdb_vector);
extern void duckdb_vector_copy_sel(duckdb_vector from, duckdb_vector to, duckdb_selection_vector, idx_t count, idx_t from_offset, idx_t to_offset);
extern duckdb_selection_vector duckdb_create_selection_vector(idx_t);
extern void duckdb_destroy_selection_vector(duckdb_selection_vector);
extern uint32_t *duckdb_selection_vector_get_data_ptr(duckdb_selection_vector);

extern duckdb_table_function duckdb_create_table_function(void);
extern void duckdb_destroy_table_function(duckdb_table_function *);
extern void duckdb_table_function_set_name(duckdb_table_function, const char *);
extern void duckdb_table_function_add_parameter(duckdb_table_function, duckdb_logical_type);
extern void duckdb_table_function_add_named_parameter(duckdb_table_function, const char *, duckdb_logical_type);
extern void duckdb_table_function_set_extra_info(duckdb_table_function, void *, duckdb_delete_callback_t);
extern void duckdb_table_function_set_bind(duckdb_table_function, void (*)(duckdb_bind_info));
extern void duckdb_table_function_set_init(duckdb_table_function, void (*)(duckdb_init_info));
extern void duckdb_table_function_set_local_init(duckdb_table_function, void (*)(duckdb_init_info));
extern void duckdb_table_function_set_function(duckdb_table_function, void (*)(duckdb_function_info, duckdb_data_chunk));
extern void duckdb_table_function_supports_projection_pushdown(duckdb_table_function, bool);
extern duckdb_state duckdb_register_table_function(duckdb_connection, duckdb_table_function);

extern void *duckdb_bind_get_extra_info(duckdb_bind_info);
extern duckdb_value duckdb_bind_get_parameter(duckdb_bind_info, idx_t);
extern duckdb_value duckdb_bind_get_named_parameter(duckdb_bind_info, const char *);
extern void duckdb_bind_add_result_column(duckdb_bind_info, const char *, duckdb_logical_type);
extern void duckdb_bind_set_bind_data(duckdb_bind_info, void *, duckdb_delete_callback_t);
extern void duckdb_bind_set_cardinality(duckdb_bind_info, idx_t, bool exact);
extern void duckdb_bind_set_error(duckdb_bind_info, const char *);
extern void *duckdb_init_get_bind_data(duckdb_init_info);
extern idx_t duckdb_init_get_column_count(duckdb_init_info);
extern idx_t duckdb_init_get_column_index(duckdb_init_info, idx_t);
extern void duckdb_init_set_init_data(duckdb_init_info, void *, duckdb_delete_callback_t);
extern void duckdb_init_set_max_threads(duckdb_init_info, idx_t);
extern void duckdb_init_set_error(duckdb_init_info, const char *);
extern void *duckdb_function_get_init_data(duckdb_function_info);
extern void *duckdb_function_get_local_init_data(duckdb_function_info);
extern void duckdb_function_set_error(duckdb_function_info, const char *);

extern void duckdb_add_replacement_scan(duckdb_database, void (*)(duckdb_replacement_scan_info, const char *, void *), void *, duckdb_delete_callback_t);
extern void duckdb_replacement_scan_set_function_name(duckdb_replacement_scan_info, const char *);
extern void duckdb_replacement_scan_add_parameter(duckdb_replacement_scan_info, duckdb_value);

extern const char *duckdb_error_data_message(duckdb_error_data);
extern bool duckdb_error_data_has_error(duckdb_error_data);
extern void duckdb_destroy_error_data(duckdb_error_data *);

extern duckdb_error_data duckdb_to_arrow_schema(duckdb_arrow_options, duckdb_logical_type *, const char **names, idx_t, struct ArrowSchema *);
extern duckdb_error_data duckdb_data_chunk_to_arrow(duckdb_arrow_options, duckdb_data_chunk, struct ArrowArray *);
extern duckdb_error_data duckdb_schema_from_arrow(duckdb_connection, struct ArrowSchema *, duckdb_arrow_converted_schema *);
extern duckdb_error_data duckdb_data_chunk_from_arrow(duckdb_connection, struct ArrowArray *, duckdb_arrow_converted_schema, duckdb_data_chunk *);
extern void duckdb_destroy_arrow_converted_schema(duckdb_arrow_converted_schema *);

#endif
