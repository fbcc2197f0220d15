// Callbacks of the C interfaces. Go is entered only to get schemas and batches and to give them back.

#include "arrowc.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

extern void arrowcGiveBack(uint64_t handle);
extern int arrowcStreamSchema(uint64_t handle, struct ArrowSchema *out, char **error);
extern int arrowcStreamNext(uint64_t handle, int64_t millis, struct ArrowArray *out, char **error);
extern void arrowcStreamCancel(uint64_t handle);
extern void arrowcStreamRelease(uint64_t handle);

enum { again = -1, poll_millis = 100 };

const uint8_t arrowc_zeroes[64] __attribute__((aligned(64)));

// The flag of a child process: threads of Go that would answer do not exist there.
static volatile int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

int arrowio_forked(void) { return forked; }

void *arrowc_allocate(size_t n) {
	void *p = NULL;
	return posix_memalign(&p, 64, n) == 0 ? p : NULL;
}

#ifdef __linux__

static int64_t cpu_nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// slow_page is what a huge page may cost: as much as the small ones in its place.
enum { slow_page = 1000000, most_skipped = 64 };

static struct { int skip, next; } slow; // how many maps go without huge pages, now and after the next slow one

// ask_huge asks for huge pages where they are quick. Below a hypervisor that has taken the free memory back they are not: it
// brings a huge page 4 KiB at a time, while small pages are those that were in use a moment ago. So the first page is tried.
static void ask_huge(char *p, size_t page, size_t n) {
	if (slow.skip > 0) {
		slow.skip--;
		return;
	}
	if (madvise(p, page < n ? page : n, MADV_HUGEPAGE) != 0) return;
	int64_t start = cpu_nanos();
	*(volatile char *)p = 0;
	if (cpu_nanos() - start > slow_page) {
		slow.next = slow.next == 0 ? 4 : slow.next < most_skipped ? 2 * slow.next : most_skipped;
		slow.skip = slow.next;
		return;
	}
	slow.next = 0;
	if (n > page) madvise(p + page, n - page, MADV_HUGEPAGE);
}

void *arrowc_map(size_t n, size_t align, size_t huge) {
	if (n > SIZE_MAX - align) return NULL;
	char *all = mmap(NULL, n + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED) return NULL;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (align - (uintptr_t)all % align) % align;
	size_t used = before + (n + page - 1) / page * page;
	if (before > 0) munmap(all, before);
	if (used < n + align) munmap(all + used, n + align - used);
	if (huge > 0) ask_huge(all + before, align, huge);
	return all + before;
}

void arrowc_unmap(void *p, size_t n) { munmap(p, n); }

void arrowc_discard(void *p, size_t n) {
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)p + page - 1) / page * page, to = ((uintptr_t)p + n) / page * page;
	if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}

#else // the heap of C is asked

void *arrowc_map(size_t n, size_t align, size_t huge) { return NULL; }
void arrowc_unmap(void *p, size_t n) {}
void arrowc_discard(void *p, size_t n) {}

#endif

void arrowc_trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static void let_go(struct arrowc_shared *s) {
	if (__atomic_sub_fetch(&s->live, 1, __ATOMIC_ACQ_REL) > 0) return;
	uint64_t handle = s->handle;
	free(s);
	if (handle != 0 && !forked) arrowcGiveBack(handle);
}

void arrowc_release_array(struct ArrowArray *a) {
	if (a->release == NULL) return;
	for (int64_t i = 0; i < a->n_children; i++) {
		struct ArrowArray *c = a->children[i];
		if (c->release != NULL) c->release(c);
	}
	if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
	struct arrowc_shared *s = a->private_data;
	a->release = NULL; // before the block, which may hold it, goes
	let_go(s);
}

void arrowc_release_schema(struct ArrowSchema *a) {
	if (a->release == NULL) return;
	for (int64_t i = 0; i < a->n_children; i++) {
		struct ArrowSchema *c = a->children[i];
		if (c->release != NULL) c->release(c);
	}
	if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
	struct arrowc_shared *s = a->private_data;
	a->release = NULL;
	let_go(s);
}

void arrowc_own_array(struct ArrowArray *a, struct arrowc_shared *s) {
	a->release = arrowc_release_array;
	a->private_data = s;
	s->live++;
}

void arrowc_own_schema(struct ArrowSchema *a, struct arrowc_shared *s) {
	a->release = arrowc_release_schema;
	a->private_data = s;
	s->live++;
}

// What Python brings: functions of its C interface, so that this library links with none of its versions.
static struct {
	uint64_t main_thread;
	int (*gil_ensure)(void);
	void (*gil_release)(int);
	int (*check_signals)(void);
	void (*err_fetch)(void **, void **, void **);
	int (*set_async)(unsigned long, void *);
	void *(*capsule_pointer)(void *, const char *);
} python;

void arrowio_python(uint64_t main_thread, void *gil_ensure, void *gil_release, void *check_signals, void *err_fetch,
	void *set_async, void *capsule_pointer) {
	python.main_thread = main_thread;
	python.gil_ensure = (int (*)(void))gil_ensure;
	python.gil_release = (void (*)(int))gil_release;
	python.check_signals = (int (*)(void))check_signals;
	python.err_fetch = (void (*)(void **, void **, void **))err_fetch;
	python.set_async = (int (*)(unsigned long, void *))set_async;
	python.capsule_pointer = (void *(*)(void *, const char *))capsule_pointer;
}

// in_main_thread tells whether signals of Python can be looked for here. Anywhere else that would be of no use, and would
// wait for the lock of the interpreter, which the main thread may hold while it waits for this one.
static int in_main_thread(void) {
	return python.check_signals != NULL && (uint64_t)pthread_self() == python.main_thread;
}

// interrupted runs the handlers of pending signals. What one raises cannot pass through the consumer, so it is raised
// again as soon as the consumer has returned to Python.
static int interrupted(void) {
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

static int64_t now_millis(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct stream {
	uint64_t handle;
	char *error;
	int polls;
	int64_t polled; // when
};

static const char *const fork_error =
	"this process was forked after arrowio had been used, which the Go runtime does not survive: start it with spawn or forkserver, or use arrowio only after the fork";

static int failed(struct stream *s, int code, char *error) {
	if (error != NULL) {
		free(s->error);
		s->error = error;
	}
	return code;
}

int arrowc_stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
	struct stream *s = stream->private_data;
	if (forked) return EIO;
	memset(out, 0, sizeof *out);
	char *error = NULL;
	int code = arrowcStreamSchema(s->handle, out, &error);
	return failed(s, code, error);
}

static int next(struct stream *s, struct ArrowArray *out, int64_t millis) {
	if (forked) return EIO;
	memset(out, 0, sizeof *out);
	char *error = NULL;
	int code = arrowcStreamNext(s->handle, millis, out, &error);
	return failed(s, code, error);
}

int arrowc_stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
	struct stream *s = stream->private_data;
	if (forked || !s->polls || !in_main_thread()) return next(s, out, -1);
	for (;;) {
		int code = next(s, out, poll_millis);
		if (code != 0 && code != again) return code;
		int64_t now = now_millis();
		if (now - s->polled < poll_millis) {
			if (code == again) continue;
			return code;
		}
		s->polled = now;
		if (interrupted()) {
			if (code == 0 && out->release != NULL) out->release(out);
			memset(out, 0, sizeof *out);
			arrowcStreamCancel(s->handle);
			return failed(s, EINTR, strdup("interrupted"));
		}
		if (code == 0) return 0;
	}
}

const char *arrowc_stream_get_last_error(struct ArrowArrayStream *stream) {
	if (forked) return fork_error;
	return ((struct stream *)stream->private_data)->error;
}

void arrowc_stream_release(struct ArrowArrayStream *stream) {
	if (stream->release == NULL) return;
	struct stream *s = stream->private_data;
	stream->release = NULL;
	stream->private_data = NULL;
	if (!forked) arrowcStreamRelease(s->handle);
	free(s->error);
	free(s);
}

int arrowc_make_stream(struct ArrowArrayStream *out, uint64_t handle, int polls) {
	struct stream *s = calloc(1, sizeof *s);
	if (s == NULL) return ENOMEM;
	s->handle = handle;
	s->polls = polls;
	s->polled = now_millis();
	memset(out, 0, sizeof *out);
	out->get_schema = arrowc_stream_get_schema;
	out->get_next = arrowc_stream_get_next;
	out->get_last_error = arrowc_stream_get_last_error;
	out->release = arrowc_stream_release;
	out->private_data = s;
	return 0;
}

static int ours(struct ArrowArrayStream *s) { return s->release == arrowc_stream_release; }

void arrowc_stream_cancel(struct ArrowArrayStream *s) {
	if (ours(s) && !forked) arrowcStreamCancel(((struct stream *)s->private_data)->handle);
}

int arrowio_stream_next(struct ArrowArrayStream *s, struct ArrowArray *out, int64_t millis) {
	return ours(s) ? next(s->private_data, out, millis) : EINVAL;
}

uint64_t arrowio_stream_handle(struct ArrowArrayStream *s) {
	return ours(s) ? ((struct stream *)s->private_data)->handle : 0;
}

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

void arrowio_array_capsule(void *capsule) {
	struct ArrowArray *a = python.capsule_pointer(capsule, "arrow_array");
	if (a == NULL) return;
	if (a->release != NULL) a->release(a);
	free(a);
}
