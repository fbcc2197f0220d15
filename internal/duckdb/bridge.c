//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

// The callbacks of DuckDB. Chunks are filled without a call into Go but for the next batch.

#include "bridge.h"
#include "planlimit.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern void duckdbBind(duckdb_bind_info info, uint64_t db);
extern void duckdbInit(duckdb_init_info info, uint64_t bound);
extern int duckdbKnown(uint64_t db, char *name);
extern void duckdbUnbind(uint64_t bound);

static const char *const function_name = "arrowio";

// message takes the text of an error and frees the rest; NULL = there was none.
static char *message(duckdb_error_data e) {
	char *text = NULL;
	if (e != NULL) {
		if (duckdb_error_data_has_error(e)) text = strdup(duckdb_error_data_message(e));
		duckdb_destroy_error_data(&e);
	}
	return text;
}

// A batch is held by the threads that cut it and by the vectors that are made of its slices.
struct batch {
	int64_t live;
	struct ArrowArray root;
};

static void let_go(struct batch *b) {
	if (b == NULL || __atomic_sub_fetch(&b->live, 1, __ATOMIC_ACQ_REL) > 0) return;
	if (b->root.release != NULL) b->root.release(&b->root);
	free(b);
}

// A piece is a slice of one column, as the only child of an array of structs: DuckDB gives an array's ownership to its
// first column alone, and so each column has an array of its own.
struct piece {
	struct batch *b;
	struct ArrowArray child;
	struct ArrowArray *children[1];
	const void *buffers[1];
};

static void release_child(struct ArrowArray *a) { a->release = NULL; }

static void release_piece(struct ArrowArray *a) {
	struct piece *p = a->private_data;
	a->release = NULL;
	let_go(p->b);
	free(p);
}

static int cut(struct batch *b, int64_t column, int64_t at, int64_t n, struct ArrowArray *out) {
	struct piece *p = calloc(1, sizeof *p);
	if (p == NULL) return ENOMEM;
	p->b = b;
	__atomic_add_fetch(&b->live, 1, __ATOMIC_RELAXED);
	p->child = *b->root.children[column];
	p->child.offset += at;
	p->child.length = n;
	if (p->child.null_count != 0) p->child.null_count = -1;
	p->child.release = release_child;
	p->children[0] = &p->child;
	memset(out, 0, sizeof *out);
	out->length = n;
	out->n_buffers = 1;
	out->buffers = p->buffers;
	out->n_children = 1;
	out->children = p->children;
	out->release = release_piece;
	out->private_data = p;
	return 0;
}

void bridge_release(struct ArrowArrayStream *s) {
	if (s->release != NULL) s->release(s);
}

char *bridge_column(duckdb_connection c, struct ArrowSchema *schema, struct ArrowArrayStream *stream,
	duckdb_arrow_converted_schema *converted, duckdb_logical_type *type) {
	struct ArrowArray a = {0}, slice = {0};
	duckdb_data_chunk chunk = NULL;
	char *error = message(duckdb_schema_from_arrow(c, schema, converted));
	if (error == NULL && stream->get_next(stream, &a) != 0) error = strdup("no batch of it");
	if (error == NULL && a.release != NULL) {
		struct batch *b = calloc(1, sizeof *b);
		if (b == NULL) {
			error = strdup("out of memory");
		} else {
			b->live = 1;
			b->root = a;
			a.release = NULL;
			if (cut(b, 0, 0, 0, &slice) != 0) error = strdup("out of memory");
			if (error == NULL) error = message(duckdb_data_chunk_from_arrow(c, &slice, *converted, &chunk));
			let_go(b);
		}
	}
	if (error == NULL && chunk != NULL) *type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk, 0));
	if (chunk != NULL) duckdb_destroy_data_chunk(&chunk);
	if (slice.release != NULL) slice.release(&slice);
	if (a.release != NULL) a.release(&a);
	if (stream->release != NULL) stream->release(stream);
	if (schema->release != NULL) schema->release(schema);
	if (error == NULL && *type == NULL) error = strdup("no type for it");
	return error;
}

struct bridge_scan *bridge_new_scan(size_t wanted) {
	struct bridge_scan *s = calloc(1, sizeof *s);
	if (s == NULL) return NULL;
	s->wanted = wanted;
	s->converted = calloc(wanted + 1, sizeof *s->converted);
	s->place = calloc(wanted + 1, sizeof *s->place);
	s->lock = malloc(sizeof(pthread_mutex_t));
	if (s->converted == NULL || s->place == NULL || s->lock == NULL) {
		free(s->converted);
		free(s->place);
		free(s->lock);
		free(s);
		return NULL;
	}
	pthread_mutex_init(s->lock, NULL);
	return s;
}

void bridge_free_scan(void *scan) {
	struct bridge_scan *s = scan;
	if (s == NULL) return;
	if (s->stream.release != NULL) s->stream.release(&s->stream);
	pthread_mutex_destroy(s->lock);
	free(s->lock);
	free(s->converted);
	free(s->place);
	free(s);
}

// A cutter is what one thread of a scan has in hand.
struct cutter {
	struct batch *b;
	int64_t at;
};

static void free_cutter(void *p) {
	struct cutter *c = p;
	let_go(c->b);
	free(c);
}

// next_batch moves a cutter to the next batch with rows; 0 = there is none, or the error was reported.
static int next_batch(duckdb_function_info info, struct bridge_scan *s, struct cutter *c) {
	while (c->b == NULL || c->at >= c->b->root.length) {
		let_go(c->b);
		c->b = NULL;
		c->at = 0;
		struct batch *b = calloc(1, sizeof *b);
		if (b == NULL) {
			duckdb_function_set_error(info, "out of memory");
			return 0;
		}
		b->live = 1;
		pthread_mutex_lock(s->lock);
		if (!s->ended && s->stream.get_next(&s->stream, &b->root) != 0) {
			const char *text = s->stream.get_last_error(&s->stream);
			duckdb_function_set_error(info, text != NULL ? text : "the scan failed");
			s->ended = 1;
		}
		if (b->root.release == NULL) s->ended = 1;
		pthread_mutex_unlock(s->lock);
		if (b->root.release == NULL) {
			let_go(b);
			return 0;
		}
		c->b = b;
	}
	return 1;
}

static void fill(duckdb_function_info info, duckdb_data_chunk out) {
	struct bridge_scan *s = duckdb_function_get_init_data(info);
	struct cutter *c = duckdb_function_get_local_init_data(info);
	duckdb_data_chunk_set_size(out, 0);
	if (!next_batch(info, s, c)) return;
	int64_t n = c->b->root.length - c->at;
	if (n > (int64_t)duckdb_vector_size()) n = (int64_t)duckdb_vector_size();
	for (size_t i = 0; i < s->wanted; i++) {
		if (s->place[i] < 0) continue;
		struct ArrowArray a;
		duckdb_data_chunk chunk = NULL;
		char *error = NULL;
		if (cut(c->b, s->place[i], c->at, n, &a) != 0) {
			error = strdup("out of memory");
		} else {
			error = message(duckdb_data_chunk_from_arrow(s->connection, &a, s->converted[i], &chunk));
			if (a.release != NULL) a.release(&a);
		}
		if (error == NULL)
			duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(out, i), duckdb_data_chunk_get_vector(chunk, 0));
		if (chunk != NULL) duckdb_destroy_data_chunk(&chunk);
		if (error != NULL) {
			duckdb_function_set_error(info, error);
			free(error);
			return;
		}
	}
	duckdb_data_chunk_set_size(out, (idx_t)n);
	c->at += n;
}

static void bind(duckdb_bind_info info) {
	struct planlimit *l = planlimit_pause();
	duckdbBind(info, (uint64_t)(uintptr_t)duckdb_bind_get_extra_info(info));
	planlimit_resume(l);
}

static void unbind(void *bound) { duckdbUnbind((uint64_t)(uintptr_t)bound); }

void bridge_set_bound(duckdb_bind_info info, uint64_t handle) {
	duckdb_bind_set_bind_data(info, (void *)(uintptr_t)handle, unbind);
}

uint64_t bridge_bound(duckdb_init_info info) { return (uint64_t)(uintptr_t)duckdb_init_get_bind_data(info); }

void bridge_set_scan(duckdb_init_info info, struct bridge_scan *s) { duckdb_init_set_init_data(info, s, bridge_free_scan); }

static void init(duckdb_init_info info) { duckdbInit(info, bridge_bound(info)); }

static void init_thread(duckdb_init_info info) {
	struct cutter *c = calloc(1, sizeof *c);
	if (c == NULL) {
		duckdb_init_set_error(info, "out of memory");
		return;
	}
	duckdb_init_set_init_data(info, c, free_cutter);
}

static void replace(duckdb_replacement_scan_info info, const char *name, void *db) {
	struct planlimit *l = planlimit_pause();
	if (duckdbKnown((uint64_t)(uintptr_t)db, (char *)name)) {
		duckdb_replacement_scan_set_function_name(info, function_name);
		duckdb_value v = duckdb_create_varchar(name);
		duckdb_replacement_scan_add_parameter(info, v);
		duckdb_destroy_value(&v);
	}
	planlimit_resume(l);
}

duckdb_state bridge_register(duckdb_database db, duckdb_connection c, uint64_t handle, const char **options, size_t n) {
	duckdb_table_function f = duckdb_create_table_function();
	duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR), any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
	duckdb_table_function_set_name(f, function_name);
	duckdb_table_function_add_parameter(f, text);
	for (size_t i = 0; i < n; i++) duckdb_table_function_add_named_parameter(f, options[i], any);
	duckdb_table_function_set_extra_info(f, (void *)(uintptr_t)handle, NULL);
	duckdb_table_function_set_bind(f, bind);
	duckdb_table_function_set_init(f, init);
	duckdb_table_function_set_local_init(f, init_thread);
	duckdb_table_function_set_function(f, fill);
	duckdb_table_function_supports_projection_pushdown(f, true);
	duckdb_state st = duckdb_register_table_function(c, f);
	duckdb_destroy_table_function(&f);
	duckdb_destroy_logical_type(&text);
	duckdb_destroy_logical_type(&any);
	if (st == 0) duckdb_add_replacement_scan(db, replace, (void *)(uintptr_t)handle, NULL);
	return st;
}

// unknown tells whether a type is not known before values are bound.
static int unknown(duckdb_logical_type t) {
	if (t == NULL) return 1;
	int id = duckdb_get_type_id(t);
	return id == DUCKDB_TYPE_INVALID || id == DUCKDB_TYPE_ANY || id == DUCKDB_TYPE_SQLNULL || id == DUCKDB_TYPE_STRING_LITERAL || id == DUCKDB_TYPE_INTEGER_LITERAL;
}

char *bridge_described(duckdb_connection c, duckdb_prepared_statement stmt, int parameters, struct ArrowSchema *out) {
	idx_t n = parameters ? duckdb_nparams(stmt) : duckdb_prepared_statement_column_count(stmt);
	duckdb_logical_type *types = calloc(n + 1, sizeof *types);
	char **names = calloc(n + 1, sizeof *names);
	char *error = NULL;
	duckdb_arrow_options options = NULL;
	duckdb_connection_get_arrow_options(c, &options);
	if (types == NULL || names == NULL || options == NULL) {
		error = strdup("out of memory");
	} else {
		for (idx_t i = 0; i < n; i++) {
			types[i] = parameters ? duckdb_param_logical_type(stmt, i + 1) : duckdb_prepared_statement_column_logical_type(stmt, i);
			names[i] = (char *)(parameters ? duckdb_parameter_name(stmt, i + 1) : duckdb_prepared_statement_column_name(stmt, i));
			if (unknown(types[i])) {
				if (types[i] != NULL) duckdb_destroy_logical_type(&types[i]);
				types[i] = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
			}
			if (names[i] == NULL && error == NULL) error = strdup("a column without a name");
		}
		if (error == NULL) error = message(duckdb_to_arrow_schema(options, types, (const char **)names, n, out));
	}
	for (idx_t i = 0; types != NULL && names != NULL && i < n; i++) {
		if (types[i] != NULL) duckdb_destroy_logical_type(&types[i]);
		if (names[i] != NULL) duckdb_free(names[i]);
	}
	if (options != NULL) duckdb_destroy_arrow_options(&options);
	free(types);
	free(names);
	return error;
}

static int failed(struct bridge_result *r, char *text, int type) {
	free(r->error);
	r->error = text;
	r->error_type = type;
	return EIO;
}

static int result_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
	struct bridge_result *r = s->private_data;
	idx_t n = duckdb_column_count(&r->result);
	duckdb_logical_type *types = calloc(n + 1, sizeof *types);
	const char **names = calloc(n + 1, sizeof *names);
	char *error = NULL;
	if (types == NULL || names == NULL) {
		error = strdup("out of memory");
	} else {
		for (idx_t i = 0; i < n; i++) {
			types[i] = duckdb_column_logical_type(&r->result, i);
			names[i] = duckdb_column_name(&r->result, i);
		}
		error = message(duckdb_to_arrow_schema(r->options, types, names, n, out));
		for (idx_t i = 0; i < n; i++) duckdb_destroy_logical_type(&types[i]);
	}
	free(types);
	free(names);
	return error == NULL ? 0 : failed(r, error, 0);
}

// has_intervals tells whether there are intervals in values of a type.
static int has_intervals(duckdb_logical_type t) {
	idx_t n = 0;
	int id = duckdb_get_type_id(t), found = 0;
	switch (id) {
	case DUCKDB_TYPE_INTERVAL:
		return 1;
	case DUCKDB_TYPE_LIST:
	case DUCKDB_TYPE_ARRAY:
		n = 1;
		break;
	case DUCKDB_TYPE_MAP:
		n = 2;
		break;
	case DUCKDB_TYPE_STRUCT:
		n = duckdb_struct_type_child_count(t);
		break;
	case DUCKDB_TYPE_UNION:
		n = duckdb_union_type_member_count(t);
	}
	for (idx_t i = 0; i < n && !found; i++) {
		duckdb_logical_type child = id == DUCKDB_TYPE_LIST ? duckdb_list_type_child_type(t)
			: id == DUCKDB_TYPE_ARRAY ? duckdb_array_type_child_type(t)
			: id == DUCKDB_TYPE_MAP   ? (i == 0 ? duckdb_map_type_key_type(t) : duckdb_map_type_value_type(t))
			: id == DUCKDB_TYPE_UNION ? duckdb_union_type_member_type(t, i)
									  : duckdb_struct_type_child_type(t, i);
		found = has_intervals(child);
		duckdb_destroy_logical_type(&child);
	}
	return found;
}

// long_interval tells whether an interval in the first n values of a flat vector has more microseconds than Arrow's nanoseconds can say.
static int long_interval(duckdb_vector v, idx_t n) {
	duckdb_logical_type t = duckdb_vector_get_column_type(v);
	int id = duckdb_get_type_id(t), found = 0;
	if (id == DUCKDB_TYPE_INTERVAL) {
		const duckdb_interval *values = duckdb_vector_get_data(v);
		const uint64_t *valid = duckdb_vector_get_validity(v);
		for (idx_t i = 0; i < n && !found; i++) {
			if (valid != NULL && !(valid[i / 64] >> (i % 64) & 1)) continue;
			found = values[i].micros > INT64_MAX / 1000 || values[i].micros < INT64_MIN / 1000;
		}
	} else if (has_intervals(t)) {
		switch (id) {
		case DUCKDB_TYPE_LIST:
		case DUCKDB_TYPE_MAP: // a list of structs
			found = long_interval(duckdb_list_vector_get_child(v), duckdb_list_vector_get_size(v));
			break;
		case DUCKDB_TYPE_ARRAY:
			found = long_interval(duckdb_array_vector_get_child(v), n * duckdb_array_type_array_size(t));
			break;
		case DUCKDB_TYPE_STRUCT:
			for (idx_t i = 0; i < duckdb_struct_type_child_count(t) && !found; i++) found = long_interval(duckdb_struct_vector_get_child(v, i), n);
			break;
		case DUCKDB_TYPE_UNION: // a struct whose first child tells the member
			for (idx_t i = 0; i < duckdb_union_type_member_count(t) && !found; i++) found = long_interval(duckdb_struct_vector_get_child(v, i + 1), n);
		}
	}
	duckdb_destroy_logical_type(&t);
	return found;
}

// long_column returns the first column with such an interval; -1 = none. Columns are copied, since children of vectors may be of any kind.
static int64_t long_column(struct bridge_result *r, duckdb_data_chunk chunk) {
	idx_t n = duckdb_data_chunk_get_size(chunk), columns = duckdb_column_count(&r->result);
	int64_t found = -1;
	for (idx_t c = 0; c < columns && n > 0 && found < 0; c++) {
		if (r->intervals[c] == NULL) continue;
		duckdb_selection_vector all = duckdb_create_selection_vector(n);
		uint32_t *at = duckdb_selection_vector_get_data_ptr(all);
		for (idx_t i = 0; i < n; i++) at[i] = (uint32_t)i;
		duckdb_vector flat = duckdb_create_vector(r->intervals[c], n);
		duckdb_vector_copy_sel(duckdb_data_chunk_get_vector(chunk, c), flat, all, n, 0, 0);
		if (long_interval(flat, n)) found = (int64_t)c;
		duckdb_destroy_vector(&flat);
		duckdb_destroy_selection_vector(all);
	}
	return found;
}

static int result_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
	struct bridge_result *r = s->private_data;
	memset(out, 0, sizeof *out);
	duckdb_data_chunk chunk = duckdb_fetch_chunk(r->result);
	if (chunk == NULL) {
		const char *text = duckdb_result_error(&r->result);
		if (text == NULL || text[0] == 0) return 0;
		return failed(r, strdup(text), duckdb_result_error_type(&r->result));
	}
	r->long_interval = long_column(r, chunk);
	char *error = r->long_interval >= 0 ? strdup("a long interval") : message(duckdb_data_chunk_to_arrow(r->options, chunk, out));
	duckdb_destroy_data_chunk(&chunk);
	return error == NULL ? 0 : failed(r, error, 0);
}

static const char *result_error(struct ArrowArrayStream *s) { return ((struct bridge_result *)s->private_data)->error; }

void bridge_free_result(struct bridge_result *r) {
	for (idx_t i = 0, n = duckdb_column_count(&r->result); r->intervals != NULL && i < n; i++) {
		if (r->intervals[i] != NULL) duckdb_destroy_logical_type(&r->intervals[i]);
	}
	free(r->intervals);
	duckdb_destroy_result(&r->result);
	if (r->options != NULL) duckdb_destroy_arrow_options(&r->options);
	free(r->error);
	free(r);
}

static void result_release(struct ArrowArrayStream *s) { s->release = NULL; }

int bridge_stream(struct bridge_result *r, struct ArrowArrayStream *out) {
	idx_t n = duckdb_column_count(&r->result);
	r->options = duckdb_result_get_arrow_options(&r->result);
	r->long_interval = -1;
	r->intervals = calloc(n + 1, sizeof *r->intervals);
	if (r->intervals == NULL) return ENOMEM;
	for (idx_t i = 0; i < n; i++) {
		duckdb_logical_type t = duckdb_column_logical_type(&r->result, i);
		if (has_intervals(t)) {
			r->intervals[i] = t;
		} else {
			duckdb_destroy_logical_type(&t);
		}
	}
	out->get_schema = result_schema;
	out->get_next = result_next;
	out->get_last_error = result_error;
	out->release = result_release;
	out->private_data = r;
	return 0;
}
