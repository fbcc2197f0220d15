// Streams. The consumer waits here, in C, for batches that a goroutine brings: a thread of C that waited in Go would take one
// of Go's processors whenever it woke, and keep it for a while after it left, when those that decode want it. For the same
// reason it tells the goroutine about room only when half of the batches are gone.
//
// The interface of C asks for one caller at a time, but readers of pyarrow pass on the calls of all their threads at once. So
// any number of threads may call: each batch goes to one of them, and the end or its error to all, as often as they ask.

#include "arrowc.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern int arrowcStreamSchema(uint64_t handle, struct ArrowSchema *out, char **error);
extern void arrowcStreamStart(uint64_t handle, struct arrowc_stream *s);
extern void arrowcStreamRoom(uint64_t handle);
extern void arrowcStreamCancel(uint64_t handle);
extern void arrowcStreamRelease(uint64_t handle);

enum { again = -1, poll_millis = 100, most_ready = 4 };

static const char *const fork_error =
	"this process was forked after arrowio had been used, which the Go runtime does not survive: start it with spawn or forkserver, or use arrowio only after the fork";

struct arrowc_stream {
	uint64_t handle;
	int polls;
	int unlocks;
	int64_t polled; // when; of Python's main thread only

	pthread_mutex_t mu; // of what follows
	int started;
	const char *error; // what get_last_error returns: a text that stays until release
	char *no_schema;   // the error of get_schema
	pthread_cond_t changed; // there is a batch, or the end
	struct ArrowArray ready[most_ready];
	int first, count;
	int full; // the goroutine waits until half of them are gone
	int ended;
	int code; // of the end; 0 = all was read
	char *cause;
};

static int64_t now_millis(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// new_cond makes a condition that await can wait for.
static int new_cond(pthread_cond_t *c) {
#if defined(__APPLE__) || defined(_WIN32) // their conditions have no clock of their own
	return pthread_cond_init(c, NULL);
#else
	pthread_condattr_t a;
	int rc = pthread_condattr_init(&a);
	if (rc != 0) return rc;
	rc = pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	if (rc == 0) rc = pthread_cond_init(c, &a);
	pthread_condattr_destroy(&a);
	return rc;
#endif
}

// await waits for a change until a time, for ever where it is negative. It returns 0 when the time has come.
static int await(struct arrowc_stream *s, int64_t until) {
	if (until < 0) {
		pthread_cond_wait(&s->changed, &s->mu);
		return 1;
	}
	int64_t left = until - now_millis();
	if (left <= 0) return 0;
#if defined(__APPLE__) || defined(_WIN32) // their conditions have no clock of their own
	struct timespec t = {left / 1000, left % 1000 * 1000000};
	pthread_cond_timedwait_relative_np(&s->changed, &s->mu, &t);
#else
	struct timespec t = {until / 1000, until % 1000 * 1000000};
	pthread_cond_timedwait(&s->changed, &s->mu, &t);
#endif
	return 1;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
	struct arrowc_stream *s = stream->private_data;
	if (arrowio_forked()) return EIO;
	memset(out, 0, sizeof *out);
	char *error = NULL;
	int code = arrowcStreamSchema(s->handle, out, &error);
	if (code == 0) return 0;
	pthread_mutex_lock(&s->mu);
	if (s->no_schema == NULL) { // the first text stays: somebody may read it
		s->no_schema = error;
		error = NULL;
	}
	s->error = s->no_schema;
	pthread_mutex_unlock(&s->mu);
	free(error);
	return code;
}

// take waits millis at most, for ever where they are negative, and returns again when there is nothing yet.
static int take(struct arrowc_stream *s, struct ArrowArray *out, int64_t millis) {
	if (arrowio_forked()) return EIO;
	memset(out, 0, sizeof *out);
	int64_t until = millis < 0 ? -1 : now_millis() + millis;
	pthread_mutex_lock(&s->mu);
	if (!s->started) {
		s->started = 1;
		pthread_mutex_unlock(&s->mu);
		arrowcStreamStart(s->handle, s);
		pthread_mutex_lock(&s->mu);
	}
	void *state = NULL;
	if (s->unlocks && s->count == 0 && !s->ended) {
		pthread_mutex_unlock(&s->mu);
		state = arrowc_unlock();
		pthread_mutex_lock(&s->mu);
	}
	int come = 1;
	while (s->count == 0 && !s->ended && come) come = await(s, until);
	int code = 0, room = 0;
	if (s->count > 0) {
		*out = s->ready[s->first];
		s->first = (s->first + 1) % most_ready;
		s->count--;
		room = s->full && s->count <= most_ready / 2;
		if (room) s->full = 0;
	} else if (!s->ended) {
		code = again;
	} else if (s->code != 0) {
		code = s->code;
		s->error = s->cause;
	}
	pthread_mutex_unlock(&s->mu);
	arrowc_lock(state);
	if (room) arrowcStreamRoom(s->handle);
	return code;
}

int arrowc_stream_put(struct arrowc_stream *s, const struct ArrowArray *a) {
	pthread_mutex_lock(&s->mu);
	s->ready[(s->first + s->count) % most_ready] = *a;
	int full = s->full = ++s->count == most_ready;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->mu);
	return full;
}

void arrowc_stream_end(struct arrowc_stream *s, int code, char *cause) {
	pthread_mutex_lock(&s->mu);
	s->ended = 1;
	s->code = code;
	s->cause = cause;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mu);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
	struct arrowc_stream *s = stream->private_data;
	if (!s->polls || !arrowc_in_main_thread()) return take(s, out, -1);
	for (;;) {
		int code = take(s, out, poll_millis);
		if (code != 0 && code != again) return code;
		int64_t now = now_millis();
		if (now - s->polled < poll_millis) {
			if (code == again) continue;
			return code;
		}
		s->polled = now;
		if (arrowc_interrupted()) {
			if (code == 0 && out->release != NULL) out->release(out);
			memset(out, 0, sizeof *out);
			arrowcStreamCancel(s->handle);
			pthread_mutex_lock(&s->mu);
			s->error = "interrupted";
			pthread_mutex_unlock(&s->mu);
			return EINTR;
		}
		if (code == 0) return 0;
	}
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
	if (arrowio_forked()) return fork_error;
	struct arrowc_stream *s = stream->private_data;
	pthread_mutex_lock(&s->mu);
	const char *error = s->error;
	pthread_mutex_unlock(&s->mu);
	return error;
}

static void release(struct ArrowArrayStream *stream) {
	if (stream->release == NULL) return;
	struct arrowc_stream *s = stream->private_data;
	stream->release = NULL;
	stream->private_data = NULL;
	if (!arrowio_forked()) {
		void *state = s->unlocks ? arrowc_unlock() : NULL;
		arrowcStreamRelease(s->handle); // waits for the goroutine
		arrowc_lock(state);
		pthread_cond_destroy(&s->changed);
		pthread_mutex_destroy(&s->mu);
	}
	for (; s->count > 0; s->count--, s->first = (s->first + 1) % most_ready) {
		struct ArrowArray *a = &s->ready[s->first];
		a->release(a);
	}
	free(s->no_schema);
	free(s->cause);
	free(s);
}

int arrowc_make_stream(struct ArrowArrayStream *out, uint64_t handle, int polls, int unlocks) {
	struct arrowc_stream *s = calloc(1, sizeof *s);
	if (s == NULL) return ENOMEM;
	int rc = pthread_mutex_init(&s->mu, NULL);
	if (rc == 0 && (rc = new_cond(&s->changed)) != 0) pthread_mutex_destroy(&s->mu);
	if (rc != 0) {
		free(s);
		return rc;
	}
	s->handle = handle;
	s->polls = polls;
	s->unlocks = unlocks;
	s->polled = now_millis();
	memset(out, 0, sizeof *out);
	out->get_schema = get_schema;
	out->get_next = get_next;
	out->get_last_error = get_last_error;
	out->release = release;
	out->private_data = s;
	return 0;
}

static int ours(struct ArrowArrayStream *s) { return s->release == release; }

void arrowc_stream_cancel(struct ArrowArrayStream *s) {
	if (ours(s) && !arrowio_forked()) arrowcStreamCancel(((struct arrowc_stream *)s->private_data)->handle);
}

int arrowio_stream_next(struct ArrowArrayStream *s, struct ArrowArray *out, int64_t millis) {
	return ours(s) ? take(s->private_data, out, millis) : EINVAL;
}

uint64_t arrowio_stream_handle(struct ArrowArrayStream *s) {
	return ours(s) ? ((struct arrowc_stream *)s->private_data)->handle : 0;
}
