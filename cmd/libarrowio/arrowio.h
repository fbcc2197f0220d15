// The C interface of arrowio. Every text is UTF-8 and ends with a zero; every text that a function returns is freed with
// arrowio_free. All functions may be called in any thread.
//
// After fork, the functions fail in the child: see arrowio_forked.

#ifndef ARROWIO_H
#define ARROWIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The library itself is built with what exports a function.
#ifndef ARROWIO_API
#define ARROWIO_API
#endif

struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

// arrowio_start begins a call and returns its number, 0 where it cannot be one. request is an object whose "call" says what is done:
//
//	open      {"paths": [...], "from", "options": {}, "columns": [...], "where", "partitions", "partition_types", "stores": {},
//	          "place": {"number", "schemes": [...]}}
//	describe  {"handle", "info": true, "where"}
//	write     {"path", "to", "options": {}, "compression", "row_group_bytes", "max_file_bytes", "memory", "jobs", "force", "dry_run", "sort": [...],
//	          "sort_by_key", "partition_by": [...], "stores": {}}
//	formats   {}
//
// stream is what write reads, a struct ArrowArrayStream that belongs to the library from then on; NULL otherwise.
ARROWIO_API uint64_t arrowio_start(const char *request, struct ArrowArrayStream *stream);

// arrowio_wait waits for a call, millis at most. It returns 0 when the call has ended: *answer is {"ok": ...} or
// {"error": {"kind", "format", "column", "split", "offset", "file", "errno", "message"}}, and its number means nothing any more. It returns 1 when it
// goes on: *answer is {"rows", "bytes"} of a write, else NULL.
ARROWIO_API int arrowio_wait(uint64_t call, int64_t millis, char **answer);

// arrowio_cancel asks a call to end soon, which arrowio_wait then reports.
ARROWIO_API void arrowio_cancel(uint64_t call);

// arrowio_schema fills out with the schema that a scan with the same request has. It returns NULL, or an error.
ARROWIO_API char *arrowio_schema(uint64_t handle, const char *request, struct ArrowSchema *out);

// arrowio_scan fills out with a new scan of what open opened. request:
//
//	{"columns": [...], "where", "rows": [from, to], "batch_rows", "batch_bytes", "jobs", "memory", "polls"}
//
// The stream keeps the files open by itself. It returns NULL, or an error.
ARROWIO_API char *arrowio_scan(uint64_t handle, const char *request, struct ArrowArrayStream *out);

// arrowio_stream_next is get_next of such a stream, and returns -1 when there is no answer after millis.
ARROWIO_API int arrowio_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out, int64_t millis);

// arrowio_stream_error says why such a stream failed, as arrowio_wait does; NULL = it did not.
ARROWIO_API char *arrowio_stream_error(struct ArrowArrayStream *stream);

// arrowio_close gives back what open opened; files are closed when the last stream of it is released.
ARROWIO_API void arrowio_close(uint64_t handle);

// arrowio_place makes a place: a store whose files the caller reads, in threads of its own that take and answer questions. Its
// number goes into "place" of open, with the schemes of the URLs that are there; it is closed with what open opened, after the
// last stream, and by arrowio_place_close. 0 = there is none, after fork.
ARROWIO_API uint64_t arrowio_place(void);
ARROWIO_API void arrowio_place_close(uint64_t place);

// arrowio_place_next waits for a question, millis at most, and returns 1 with its number and JSON, 2 when none came, 0 when the
// place is closed:
//
//	{"ask": "stat", "url"}
//	{"ask": "list", "url"}
//	{"ask": "read", "url", "version", "offset", "length"}
ARROWIO_API int arrowio_place_next(uint64_t place, int64_t millis, uint64_t *question, char **text);

// arrowio_place_answer answers a question, once. text is one of
//
//	{"entry": {"name", "dir", "size", "modified", "version"}}   what is there; modified in nanoseconds since 1970
//	{"entries": [...]}                                          what is in the directory
//	{}                                                          with the n bytes at data, as many as were asked for
//	{"error": {"kind", "errno", "message"}}                     kind is missing, denied, memory or empty
//
// An error that comes of the last has the number of the question as "question".
ARROWIO_API void arrowio_place_answer(uint64_t place, uint64_t question, const char *text, const void *data, int64_t n);

// arrowio_allocated returns the bytes of batches that are not released; arrowio_trim gives the memory that is kept for
// the next ones back to the system.
ARROWIO_API int64_t arrowio_allocated(void);
ARROWIO_API void arrowio_trim(void);

ARROWIO_API void arrowio_free(char *text);

// arrowio_forked tells whether this process is the child of one that had loaded the library.
ARROWIO_API int arrowio_forked(void);

// arrowio_python makes streams look for signals where they are waited for in Python's main thread. It takes the functions
// PyGILState_Ensure, PyGILState_Release, PyErr_CheckSignals, PyErr_Fetch, PyThreadState_SetAsyncExc; PyCapsule_GetPointer, for
// the destructors of capsules below; and, for those who wait for a place of Python and hold its lock, which the place needs,
// PyGILState_GetThisThreadState, PyThreadState_GetUnchecked, PyEval_SaveThread and PyEval_RestoreThread.
ARROWIO_API void arrowio_python(uint64_t main_thread, void *gil_ensure, void *gil_release, void *check_signals, void *err_fetch,
	void *set_async, void *capsule_pointer, void *own_state, void *current_state, void *save_thread, void *restore_thread);
// arrowio_zeros returns n bytes of zeros for a structure in a capsule, which the destructors below free; NULL = there is no memory.
ARROWIO_API void *arrowio_zeros(size_t n);
ARROWIO_API void arrowio_stream_capsule(void *capsule);
ARROWIO_API void arrowio_schema_capsule(void *capsule);
ARROWIO_API void arrowio_array_capsule(void *capsule);
ARROWIO_API void arrowio_handle_capsule(void *capsule); // its pointer is a handle, and its name arrowio_handle

#ifdef __cplusplus
}
#endif

#endif
