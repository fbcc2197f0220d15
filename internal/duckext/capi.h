// The part of DuckDB's C API for extensions (duckdb_extension.h) that is used here, declared once more: the functions of
// version 1.2.0 of the API, by their places in the struct that DuckDB hands to an extension. The places of a version stay
// the same in later ones.
#ifndef ARROWIO_DUCKEXT_CAPI_H
#define ARROWIO_DUCKEXT_CAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t idx_t;
typedef int duckdb_state; // 0 = success

typedef struct _duckdb_database *duckdb_database;
typedef struct _duckdb_connection *duckdb_connection;
typedef struct _duckdb_logical_type *duckdb_logical_type;
typedef struct _duckdb_data_chunk *duckdb_data_chunk;
typedef struct _duckdb_vector *duckdb_vector;
typedef struct _duckdb_value *duckdb_value;
typedef struct _duckdb_table_function *duckdb_table_function;
typedef struct _duckdb_function_info *duckdb_function_info;
typedef struct _duckdb_bind_info *duckdb_bind_info;
typedef struct _duckdb_init_info *duckdb_init_info;
typedef struct _duckdb_replacement_scan_info *duckdb_replacement_scan_info;
typedef struct _duckdb_extension_info *duckdb_extension_info;
typedef void (*duckdb_delete_callback_t)(void *data);
typedef void (*duckdb_replacement_callback_t)(duckdb_replacement_scan_info, const char *table, void *data);

// What DuckDB gives to the function that it calls when it loads an extension.
struct duckdb_extension_access {
	void (*set_error)(duckdb_extension_info, const char *error);
	duckdb_database *(*get_database)(duckdb_extension_info);
	const void *(*get_api)(duckdb_extension_info, const char *version);
};

#define DUCKEXT_API_VERSION "v1.2.0"

enum {
	DUCKDB_TYPE_INVALID = 0,
	DUCKDB_TYPE_BOOLEAN = 1,
	DUCKDB_TYPE_TINYINT = 2,
	DUCKDB_TYPE_SMALLINT = 3,
	DUCKDB_TYPE_INTEGER = 4,
	DUCKDB_TYPE_BIGINT = 5,
	DUCKDB_TYPE_UTINYINT = 6,
	DUCKDB_TYPE_USMALLINT = 7,
	DUCKDB_TYPE_UINTEGER = 8,
	DUCKDB_TYPE_UBIGINT = 9,
	DUCKDB_TYPE_FLOAT = 10,
	DUCKDB_TYPE_DOUBLE = 11,
	DUCKDB_TYPE_TIMESTAMP = 12,
	DUCKDB_TYPE_DATE = 13,
	DUCKDB_TYPE_TIME = 14,
	DUCKDB_TYPE_INTERVAL = 15,
	DUCKDB_TYPE_VARCHAR = 17,
	DUCKDB_TYPE_BLOB = 18,
	DUCKDB_TYPE_DECIMAL = 19,
	DUCKDB_TYPE_TIMESTAMP_S = 20,
	DUCKDB_TYPE_TIMESTAMP_MS = 21,
	DUCKDB_TYPE_TIMESTAMP_NS = 22,
	DUCKDB_TYPE_LIST = 24,
	DUCKDB_TYPE_STRUCT = 25,
	DUCKDB_TYPE_MAP = 26,
	DUCKDB_TYPE_UUID = 27,
	DUCKDB_TYPE_UNION = 28,
	DUCKDB_TYPE_TIMESTAMP_TZ = 31,
	DUCKDB_TYPE_ARRAY = 33,
	DUCKDB_TYPE_ANY = 34,
	DUCKDB_TYPE_SQLNULL = 36,
};

// A text or blob in a vector. Up to 12 bytes are in it, followed by zeros; more are elsewhere.
struct duckdb_text {
	uint32_t length;
	union {
		char inlined[12];
		struct {
			char prefix[4];
			const char *at;
		} __attribute__((packed)) pointer;
	} value;
};
_Static_assert(sizeof(struct duckdb_text) == 16, "a text of DuckDB has 16 bytes");

struct duckdb_entry { uint64_t offset, length; }; // of a list
struct duckdb_interval { int32_t months, days; int64_t micros; };

// DUCKEXT_API lists place, result, name without duckdb_, and parameters of each function.
#define DUCKEXT_API(F) \
	F(3, duckdb_state, connect, (duckdb_database, duckdb_connection *)) \
	F(6, void, disconnect, (duckdb_connection *)) \
	F(25, void, free, (void *)) \
	F(26, idx_t, vector_size, (void)) \
	F(92, void, destroy_value, (duckdb_value *)) \
	F(93, duckdb_value, create_varchar, (const char *)) \
	F(136, duckdb_logical_type, get_value_type, (duckdb_value)) \
	F(142, char *, get_varchar, (duckdb_value)) \
	F(149, bool, is_null_value, (duckdb_value)) \
	F(151, idx_t, get_list_size, (duckdb_value)) \
	F(152, duckdb_value, get_list_child, (duckdb_value, idx_t)) \
	F(156, duckdb_logical_type, create_logical_type, (int)) \
	F(159, duckdb_logical_type, create_list_type, (duckdb_logical_type)) \
	F(160, duckdb_logical_type, create_array_type, (duckdb_logical_type, idx_t)) \
	F(161, duckdb_logical_type, create_map_type, (duckdb_logical_type key, duckdb_logical_type value)) \
	F(162, duckdb_logical_type, create_union_type, (duckdb_logical_type *, const char **, idx_t)) \
	F(163, duckdb_logical_type, create_struct_type, (duckdb_logical_type *, const char **, idx_t)) \
	F(165, duckdb_logical_type, create_decimal_type, (uint8_t width, uint8_t scale)) \
	F(166, int, get_type_id, (duckdb_logical_type)) \
	F(184, void, destroy_logical_type, (duckdb_logical_type *)) \
	F(190, duckdb_vector, data_chunk_get_vector, (duckdb_data_chunk, idx_t)) \
	F(192, void, data_chunk_set_size, (duckdb_data_chunk, idx_t)) \
	F(194, void *, vector_get_data, (duckdb_vector)) \
	F(195, uint64_t *, vector_get_validity, (duckdb_vector)) \
	F(196, void, vector_ensure_validity_writable, (duckdb_vector)) \
	F(198, void, vector_assign_string_element_len, (duckdb_vector, idx_t, const char *, idx_t)) \
	F(199, duckdb_vector, list_vector_get_child, (duckdb_vector)) \
	F(200, idx_t, list_vector_get_size, (duckdb_vector)) \
	F(201, duckdb_state, list_vector_set_size, (duckdb_vector, idx_t)) \
	F(202, duckdb_state, list_vector_reserve, (duckdb_vector, idx_t)) \
	F(203, duckdb_vector, struct_vector_get_child, (duckdb_vector, idx_t)) \
	F(204, duckdb_vector, array_vector_get_child, (duckdb_vector)) \
	F(242, duckdb_table_function, create_table_function, (void)) \
	F(243, void, destroy_table_function, (duckdb_table_function *)) \
	F(244, void, table_function_set_name, (duckdb_table_function, const char *)) \
	F(245, void, table_function_add_parameter, (duckdb_table_function, duckdb_logical_type)) \
	F(246, void, table_function_add_named_parameter, (duckdb_table_function, const char *, duckdb_logical_type)) \
	F(247, void, table_function_set_extra_info, (duckdb_table_function, void *, duckdb_delete_callback_t)) \
	F(248, void, table_function_set_bind, (duckdb_table_function, void (*)(duckdb_bind_info))) \
	F(249, void, table_function_set_init, (duckdb_table_function, void (*)(duckdb_init_info))) \
	F(250, void, table_function_set_local_init, (duckdb_table_function, void (*)(duckdb_init_info))) \
	F(251, void, table_function_set_function, (duckdb_table_function, void (*)(duckdb_function_info, duckdb_data_chunk))) \
	F(252, void, table_function_supports_projection_pushdown, (duckdb_table_function, bool)) \
	F(253, duckdb_state, register_table_function, (duckdb_connection, duckdb_table_function)) \
	F(254, void *, bind_get_extra_info, (duckdb_bind_info)) \
	F(255, void, bind_add_result_column, (duckdb_bind_info, const char *, duckdb_logical_type)) \
	F(257, duckdb_value, bind_get_parameter, (duckdb_bind_info, idx_t)) \
	F(258, duckdb_value, bind_get_named_parameter, (duckdb_bind_info, const char *)) \
	F(259, void, bind_set_bind_data, (duckdb_bind_info, void *, duckdb_delete_callback_t)) \
	F(260, void, bind_set_cardinality, (duckdb_bind_info, idx_t, bool exact)) \
	F(261, void, bind_set_error, (duckdb_bind_info, const char *)) \
	F(263, void *, init_get_bind_data, (duckdb_init_info)) \
	F(264, void, init_set_init_data, (duckdb_init_info, void *, duckdb_delete_callback_t)) \
	F(265, idx_t, init_get_column_count, (duckdb_init_info)) \
	F(266, idx_t, init_get_column_index, (duckdb_init_info, idx_t)) \
	F(267, void, init_set_max_threads, (duckdb_init_info, idx_t)) \
	F(268, void, init_set_error, (duckdb_init_info, const char *)) \
	F(271, void *, function_get_init_data, (duckdb_function_info)) \
	F(272, void *, function_get_local_init_data, (duckdb_function_info)) \
	F(273, void, function_set_error, (duckdb_function_info, const char *)) \
	F(274, void, add_replacement_scan, (duckdb_database, duckdb_replacement_callback_t, void *, duckdb_delete_callback_t)) \
	F(275, void, replacement_scan_set_function_name, (duckdb_replacement_scan_info, const char *)) \
	F(276, void, replacement_scan_add_parameter, (duckdb_replacement_scan_info, duckdb_value))

#define DUCKEXT_FIELD(place, result, name, parameters) result (*name) parameters;
struct duckext_api {
	DUCKEXT_API(DUCKEXT_FIELD)
};
#undef DUCKEXT_FIELD

extern struct duckext_api duckdb; // of the DuckDB that has loaded this library

#endif
