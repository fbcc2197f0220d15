#ifndef ARROWIO_ARROWC_H
#define ARROWIO_ARROWC_H

#include <stdint.h>
#include <stddef.h>

// The structures of the Arrow C data interface, in the layout that it fixes.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};
#endif

// arrowc_shared begins the block that all structures of a batch, or of a schema, live in.
struct arrowc_shared {
	int64_t live;    // structures that are not released; changed atomically
	uint64_t handle; // of what Go gives back with the last one; 0 = nothing
};

// arrowc_zeroes stands where a buffer of no bytes must not be NULL.
extern const uint8_t arrowc_zeroes[64];

// arrowc_allocate returns n bytes that begin at a multiple of 64; NULL = there is no memory. arrowc_free gives them back.
void *arrowc_allocate(size_t n);
void arrowc_free(void *p);
void arrowc_trim(void);

// arrowc_map returns n bytes of zeros that begin at a multiple of align, the size of a huge page, and asks for such pages for
// the first huge of them, where they are quick; NULL = there is no memory. It is called by one thread at a time. arrowc_unmap
// gives them back. arrowc_discard gives back the pages that lie within n bytes at p, which stay mapped and become zero.
void *arrowc_map(size_t n, size_t align, size_t huge);
void arrowc_unmap(void *p, size_t n);
void arrowc_discard(void *p, size_t n);

void arrowc_own_array(struct ArrowArray *a, struct arrowc_shared *s);
void arrowc_own_schema(struct ArrowSchema *a, struct arrowc_shared *s);
void arrowc_release_array(struct ArrowArray *a);
void arrowc_release_schema(struct ArrowSchema *a);

// arrowc_will_take_back changes the number of goroutines that will soon call arrowc_take_back. That returns the handle of a
// batch that was released and is to be given back; 0 = there is none.
void arrowc_will_take_back(int takers);
uint64_t arrowc_take_back(void);

// arrowc_make_stream fills out for the stream of a handle. polls: whether get_next polls for signals of Python; unlocks: whether
// it and release give up Python's lock while they wait.
//
// The first get_next starts a goroutine. It hands batches over with arrowc_stream_put, which tells whether it must wait until
// it hears of room, and ends with arrowc_stream_end: code and the allocated cause of an error, or 0 and NULL.
struct arrowc_stream;
int arrowc_make_stream(struct ArrowArrayStream *out, uint64_t handle, int polls, int unlocks);
int arrowc_stream_put(struct arrowc_stream *s, const struct ArrowArray *a);
void arrowc_stream_end(struct arrowc_stream *s, int code, char *cause);

// arrowc_stream_cancel ends what a stream of arrowc_make_stream is doing; of others, nothing.
void arrowc_stream_cancel(struct ArrowArrayStream *s);

// arrowc_in_main_thread tells whether this is the main thread of Python; arrowc_interrupted runs handlers of pending signals
// there, and tells whether one of them has raised.
int arrowc_in_main_thread(void);
int arrowc_interrupted(void);
void *arrowc_in_capsule(void *capsule, const char *name);

// arrowc_unlock gives up the lock of Python where this thread holds it, so that other threads of Python can do what this one is
// going to wait for. It returns what arrowc_lock takes the lock back with; NULL = it was not held.
void *arrowc_unlock(void);
void arrowc_lock(void *state);

// What Python calls by itself; see cmd/libarrowio/arrowio.h. Elsewhere than on Windows a library exports it without a word.
#ifdef _WIN32
#define ARROWC_API __declspec(dllexport)
#else
#define ARROWC_API
#endif

ARROWC_API int arrowio_stream_next(struct ArrowArrayStream *s, struct ArrowArray *out, int64_t millis);
ARROWC_API uint64_t arrowio_stream_handle(struct ArrowArrayStream *s);
ARROWC_API int arrowio_forked(void);
ARROWC_API void arrowio_python(uint64_t main_thread, void *gil_ensure, void *gil_release, void *check_signals, void *err_fetch,
	void *set_async, void *capsule_pointer, void *own_state, void *current_state, void *save_thread, void *restore_thread);
ARROWC_API void *arrowio_zeros(size_t n);
ARROWC_API void arrowio_stream_capsule(void *capsule);
ARROWC_API void arrowio_schema_capsule(void *capsule);
ARROWC_API void arrowio_array_capsule(void *capsule);

#endif
