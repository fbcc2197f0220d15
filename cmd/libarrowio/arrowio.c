// The doors of the library that lead into Go: they are shut in the child of a fork.

#ifdef _WIN32
#define ARROWIO_API __declspec(dllexport)
#endif

#include "arrowio.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern uint64_t goStart(char *request, void *stream);
extern int goWait(uint64_t call, int64_t millis, char **answer);
extern void goCancel(uint64_t call);
extern char *goSchema(uint64_t handle, char *request, void *out);
extern char *goScan(uint64_t handle, char *request, void *out);
extern char *goStreamError(void *stream);
extern void goClose(uint64_t handle);
extern uint64_t goPlace(void);
extern int goPlaceNext(uint64_t place, int64_t millis, uint64_t *question, char **text);
extern void goPlaceAnswer(uint64_t place, uint64_t question, char *text, void *data, int64_t n);
extern void goPlaceClose(uint64_t place);
extern int64_t goAllocated(void);
extern void goTrim(void);
extern void *arrowc_in_capsule(void *capsule, const char *name);
extern void *arrowc_unlock(void);
extern void arrowc_lock(void *state);

static volatile int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

static char *fork_error(void) {
	return strdup("{\"error\":{\"kind\":\"forked\",\"message\":\"this process was forked after arrowio had been used, which the Go runtime "
		"does not survive: start it with spawn or forkserver, or use arrowio only after the fork\"}}");
}

uint64_t arrowio_start(const char *request, struct ArrowArrayStream *stream) {
	return forked ? 0 : goStart((char *)request, stream);
}

int arrowio_wait(uint64_t call, int64_t millis, char **answer) {
	*answer = NULL;
	if (forked) {
		*answer = fork_error();
		return 0;
	}
	return goWait(call, millis, answer);
}

void arrowio_cancel(uint64_t call) {
	if (!forked) goCancel(call);
}

char *arrowio_schema(uint64_t handle, const char *request, struct ArrowSchema *out) {
	return forked ? fork_error() : goSchema(handle, (char *)request, out);
}

char *arrowio_scan(uint64_t handle, const char *request, struct ArrowArrayStream *out) {
	return forked ? fork_error() : goScan(handle, (char *)request, out);
}

char *arrowio_stream_error(struct ArrowArrayStream *stream) { return forked ? fork_error() : goStreamError(stream); }

void arrowio_close(uint64_t handle) {
	if (!forked) goClose(handle);
}

void arrowio_handle_capsule(void *capsule) {
	uint64_t handle = (uintptr_t)arrowc_in_capsule(capsule, "arrowio_handle");
	void *state = arrowc_unlock();
	arrowio_close(handle);
	arrowc_lock(state);
}

uint64_t arrowio_place(void) { return forked ? 0 : goPlace(); }

int arrowio_place_next(uint64_t place, int64_t millis, uint64_t *question, char **text) {
	return forked ? 0 : goPlaceNext(place, millis, question, text);
}

void arrowio_place_answer(uint64_t place, uint64_t question, const char *text, const void *data, int64_t n) {
	if (!forked) goPlaceAnswer(place, question, (char *)text, (void *)data, n);
}

void arrowio_place_close(uint64_t place) {
	if (!forked) goPlaceClose(place);
}

int64_t arrowio_allocated(void) { return forked ? 0 : goAllocated(); }

void arrowio_trim(void) {
	if (!forked) goTrim();
}

void arrowio_free(char *text) { free(text); }
