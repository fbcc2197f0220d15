// What Python needs beside the C interfaces: its signals are heard, and its capsules give back what is in them.

#include "arrowc.h"

#include <stdlib.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#endif

// What Python brings: functions of its C interface, so that this library links with none of its versions.
static struct {
	uint64_t main_thread;
	int (*gil_ensure)(void);
	void (*gil_release)(int);
	int (*check_signals)(void);
	void (*err_fetch)(void **, void **, void **);
	int (*set_async)(unsigned long, void *);
	void *(*capsule_pointer)(void *, const char *);
	void *(*own_state)(void);
	void *(*current_state)(void);
	void *(*save_thread)(void);
	void (*restore_thread)(void *);
} python;

void arrowio_python(uint64_t main_thread, void *gil_ensure, void *gil_release, void *check_signals, void *err_fetch,
	void *set_async, void *capsule_pointer, void *own_state, void *current_state, void *save_thread, void *restore_thread) {
	python.main_thread = main_thread;
	python.gil_ensure = (int (*)(void))gil_ensure;
	python.gil_release = (void (*)(int))gil_release;
	python.check_signals = (int (*)(void))check_signals;
	python.err_fetch = (void (*)(void **, void **, void **))err_fetch;
	python.set_async = (int (*)(unsigned long, void *))set_async;
	python.capsule_pointer = (void *(*)(void *, const char *))capsule_pointer;
	python.own_state = (void *(*)(void))own_state;
	python.current_state = (void *(*)(void))current_state;
	python.save_thread = (void *(*)(void))save_thread;
	python.restore_thread = (void (*)(void *))restore_thread;
}

// this_thread is what Python calls the thread.
static uint64_t this_thread(void) {
#ifdef _WIN32
	return GetCurrentThreadId();
#else
	return (uint64_t)pthread_self();
#endif
}

// Signals of Python can be looked for in its main thread only. Anywhere else that would be of no use, and would wait for
// the lock of the interpreter, which the main thread may hold while it waits for this one.
int arrowc_in_main_thread(void) {
	return python.check_signals != NULL && this_thread() == python.main_thread;
}

// interrupted runs the handlers of pending signals. What one raises cannot pass through the consumer, so it is raised
// again as soon as the consumer has returned to Python.
int arrowc_interrupted(void) {
	int state = python.gil_ensure();
	int raised = python.check_signals() != 0;
	if (raised) {
		void *type = NULL, *value = NULL, *trace = NULL;
		python.err_fetch(&type, &value, &trace);
		python.set_async((unsigned long)python.main_thread, type);
	}
	python.gil_release(state);
	return raised;
}

// Before Python 3.12 the current state is that of whichever thread holds the lock, so it is compared with this thread's own.
void *arrowc_unlock(void) {
	if (python.save_thread == NULL) return NULL;
	void *own = python.own_state();
	return own != NULL && own == python.current_state() ? python.save_thread() : NULL;
}

void arrowc_lock(void *state) {
	if (state != NULL) python.restore_thread(state);
}

void *arrowio_zeros(size_t n) { return calloc(1, n); }

// Destructors of Python's capsules. They are called while an interpreter ends, too, when no code of Python can run.

void arrowio_stream_capsule(void *capsule) {
	struct ArrowArrayStream *s = python.capsule_pointer(capsule, "arrow_array_stream");
	if (s == NULL) return;
	if (s->release != NULL) s->release(s);
	free(s);
}

void arrowio_schema_capsule(void *capsule) {
	struct ArrowSchema *s = python.capsule_pointer(capsule, "arrow_schema");
	if (s == NULL) return;
	if (s->release != NULL) s->release(s);
	free(s);
}

// arrowc_in_capsule returns the pointer in a capsule.
void *arrowc_in_capsule(void *capsule, const char *name) { return python.capsule_pointer(capsule, name); }

void arrowio_array_capsule(void *capsule) {
	struct ArrowArray *a = python.capsule_pointer(capsule, "arrow_array");
	if (a == NULL) return;
	if (a->release != NULL) a->release(a);
	free(a);
}
