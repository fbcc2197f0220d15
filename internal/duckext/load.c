//go:build duckdb_extension && cgo && (linux || darwin)

// Loading: the functions of DuckDB are taken over, and the table functions registered.

#include "duckext.h"
#include "functions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct duckext_api duckdb;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

#define DUCKEXT_TAKE(place, result, name, parameters) taken.name = (result (*) parameters)places[place];

// take takes the functions over; 0 = those of another DuckDB are in use already.
static int take(void *const *places) {
	struct duckext_api taken;
	DUCKEXT_API(DUCKEXT_TAKE)
	pthread_mutex_lock(&loading);
	int first = duckdb.connect == NULL;
	if (first) duckdb = taken;
	int same = memcmp(&duckdb, &taken, sizeof taken) == 0;
	pthread_mutex_unlock(&loading);
	return same;
}

static void replace(duckdb_replacement_scan_info info, const char *name, void *data) {
	const struct duckext_offer *offer = data;
	size_t n = strlen(name);
	for (size_t i = 0; i < offer->n_suffixes; i++) {
		const struct duckext_suffix *s = &offer->suffixes[i];
		size_t k = strlen(s->suffix);
		if (n <= k || strcasecmp(name + n - k, s->suffix) != 0) continue;
		duckdb.replacement_scan_set_function_name(info, s->function);
		duckdb_value v = duckdb.create_varchar(name);
		duckdb.replacement_scan_add_parameter(info, v);
		duckdb.destroy_value(&v);
		return;
	}
}

static duckdb_state add(duckdb_connection c, struct duckext_function *f) {
	duckdb_table_function t = duckdb.create_table_function();
	duckdb_logical_type any = duckdb.create_logical_type(DUCKDB_TYPE_ANY);
	duckdb.table_function_set_name(t, f->name);
	duckdb.table_function_add_parameter(t, any);
	for (size_t i = 0; i < f->n_options; i++) duckdb.table_function_add_named_parameter(t, f->options[i], any);
	duckdb.table_function_set_extra_info(t, f, NULL);
	duckdb.table_function_set_bind(t, duckext_bind);
	duckdb.table_function_set_init(t, duckext_init);
	duckdb.table_function_set_local_init(t, duckext_init_thread);
	duckdb.table_function_set_function(t, duckext_next);
	duckdb.table_function_supports_projection_pushdown(t, true);
	duckdb_state st = duckdb.register_table_function(c, t);
	duckdb.destroy_table_function(&t);
	duckdb.destroy_logical_type(&any);
	return st;
}

bool duckext_load(duckdb_extension_info info, struct duckdb_extension_access *access, struct duckext_offer *offer) {
	void *const *places = access->get_api(info, DUCKEXT_API_VERSION);
	if (places == NULL) return false; // DuckDB says why
	if (!take(places)) {
		access->set_error(info, "another DuckDB in this process has loaded this file of arrowio: load a copy of the file");
		return false;
	}
	duckdb_database *db = access->get_database(info);
	duckdb_connection c = NULL;
	if (db == NULL || duckdb.connect(*db, &c) != 0) {
		access->set_error(info, "arrowio cannot connect to the database");
		return false;
	}
	duckdb_state st = 0;
	for (size_t i = 0; st == 0 && i < offer->n_functions; i++) st = add(c, &offer->functions[i]);
	duckdb.disconnect(&c); // it would keep the database open
	if (st != 0) {
		access->set_error(info, "the functions of arrowio cannot be registered: are there others of their names?");
		return false;
	}
	duckdb.add_replacement_scan(*db, replace, offer, NULL);
	return true;
}
