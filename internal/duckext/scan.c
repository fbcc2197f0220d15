//go:build duckdb_extension && cgo && (linux || darwin)

// Scanning: one stream of batches for a scan, which all threads of DuckDB take from, and copy into vectors side by side.
// Go is entered when a scan begins and ends; batches are waited for in C.

#include "duckext.h"
#include "functions.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *duckextScan(uint64_t handle, int64_t *columns, size_t n, struct ArrowArrayStream *out);

enum { most_threads = 1024 }; // DuckDB starts as many as it has

// A scan. Column i of the chunks is column place[i] of the batches, of type[i]; place -1 = only the number of rows counts.
struct scan {
	struct ArrowArrayStream stream;
	const struct duckext_table *table;
	pthread_mutex_t mu;
	int ended;
	size_t wanted;
	int64_t *place;
	const struct duckext_column **column;
};

// A slice is what one thread has in hand: a batch, of which the rows from at on are left.
struct slice {
	struct ArrowArray batch;
	int64_t at;
};

static void free_scan(void *p) {
	struct scan *s = p;
	if (s->stream.release != NULL) s->stream.release(&s->stream);
	pthread_mutex_destroy(&s->mu);
	free(s->place);
	free(s->column);
	free(s);
}

static void free_slice(void *p) {
	struct slice *s = p;
	if (s->batch.release != NULL) s->batch.release(&s->batch);
	free(s);
}

static struct scan *new_scan(const struct duckext_table *t, size_t wanted) {
	struct scan *s = calloc(1, sizeof *s);
	if (s == NULL) return NULL;
	s->table = t;
	s->wanted = wanted;
	s->place = calloc(wanted + 1, sizeof *s->place);
	s->column = calloc(wanted + 1, sizeof *s->column);
	if (s->place == NULL || s->column == NULL || pthread_mutex_init(&s->mu, NULL) != 0) {
		free(s->place);
		free(s->column);
		free(s);
		return NULL;
	}
	return s;
}

// refusal is the error for a column that DuckDB cannot take.
static void refusal(duckdb_init_info info, const struct duckext_column *c) {
	char text[512];
	snprintf(text, sizeof text, "column \"%.200s\": %.200s: leave the column out", c->name, c->refused);
	duckdb.init_set_error(info, text);
}

void duckext_init(duckdb_init_info info) {
	const struct duckext_table *t = duckdb.init_get_bind_data(info);
	size_t wanted = duckdb.init_get_column_count(info);
	struct scan *s = new_scan(t, wanted);
	int64_t *columns = calloc(wanted + 1, sizeof *columns);
	if (s == NULL || columns == NULL) {
		duckdb.init_set_error(info, "out of memory");
		if (s != NULL) free_scan(s);
		free(columns);
		return;
	}
	size_t n = 0;
	for (size_t i = 0; i < wanted; i++) {
		idx_t k = duckdb.init_get_column_index(info, i);
		s->place[i] = -1;
		if (k >= (idx_t)t->n) continue;
		s->column[i] = &t->columns[k];
		if (t->columns[k].refused != NULL) {
			refusal(info, &t->columns[k]);
			free_scan(s);
			free(columns);
			return;
		}
		s->place[i] = (int64_t)n;
		columns[n++] = (int64_t)k;
	}
	char *error = duckextScan(t->handle, columns, n, &s->stream);
	free(columns);
	if (error != NULL) {
		duckdb.init_set_error(info, error);
		free(error);
		free_scan(s);
		return;
	}
	duckdb.init_set_max_threads(info, most_threads);
	duckdb.init_set_init_data(info, s, free_scan);
}

void duckext_init_thread(duckdb_init_info info) {
	struct slice *s = calloc(1, sizeof *s);
	if (s == NULL) {
		duckdb.init_set_error(info, "out of memory");
		return;
	}
	duckdb.init_set_init_data(info, s, free_slice);
}

// next_batch gives a thread the next batch that has rows; 0 = there is none, or the error was reported.
static int next_batch(duckdb_function_info info, struct scan *s, struct slice *in_hand) {
	struct ArrowArray *b = &in_hand->batch;
	while (b->release == NULL || in_hand->at >= b->length) {
		if (b->release != NULL) b->release(b);
		b->release = NULL;
		in_hand->at = 0;
		pthread_mutex_lock(&s->mu);
		if (!s->ended && s->stream.get_next(&s->stream, b) != 0) {
			const char *text = s->stream.get_last_error(&s->stream);
			duckdb.function_set_error(info, text != NULL ? text : "the scan failed");
			b->release = NULL;
		}
		if (b->release == NULL) s->ended = 1;
		pthread_mutex_unlock(&s->mu);
		if (b->release == NULL) return 0;
	}
	return 1;
}

void duckext_next(duckdb_function_info info, duckdb_data_chunk out) {
	struct scan *s = duckdb.function_get_init_data(info);
	struct slice *in_hand = duckdb.function_get_local_init_data(info);
	duckdb.data_chunk_set_size(out, 0);
	if (!next_batch(info, s, in_hand)) return;
	const struct ArrowArray *b = &in_hand->batch;
	int64_t n = b->length - in_hand->at, most = (int64_t)duckdb.vector_size();
	if (n > most) n = most;
	for (size_t i = 0; i < s->wanted; i++) {
		if (s->place[i] < 0) continue;
		const char *error = duckext_fill(&s->column[i]->type, b->children[s->place[i]], b->offset + in_hand->at, n,
			duckdb.data_chunk_get_vector(out, i), 0, NULL);
		if (error != NULL) {
			char text[640];
			snprintf(text, sizeof text, "column \"%.200s\": %s", s->column[i]->name, error);
			duckdb.function_set_error(info, text);
			return;
		}
	}
	duckdb.data_chunk_set_size(out, (idx_t)n);
	in_hand->at += n;
}
