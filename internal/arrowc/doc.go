// Package arrowc hands Arrow over to C and takes it from there, through the Arrow C data interface and the C stream
// interface (arrow.apache.org/docs/format/CDataInterface.html, …/CStreamInterface.html), without copying a buffer.
//
// # Memory
//
// What C is to own must not move and must not be collected. Memory is the allocator of scans whose batches are handed
// over: a pool over malloc and, for large blocks, over extents that the system maps, in huge pages where those are quick.
// Buffers of other origin are pinned while C has them.
//
// # Ownership
//
// A batch is described in one block of C memory: all its ArrowArray structures, and the arrays of pointers they need.
//
//	shared: live count, handle of the record | ArrowArray × nodes | pointers …
//
// The format lets a consumer move a child away and release it after its parent, in any thread, so each structure counts
// for itself. The last one that is released frees the block and gives the record back: at once, with a call into Go, or by
// a goroutine that reads for some stream and will come along. Schemas are made the same way, without a call into Go.
//
// # Waiting
//
//	goroutine: Next, export ──> up to 4 batches ──> get_next: a thread of the consumer
//	      └── gives back <── up to 4 batches that were released
//
// A consumer calls get_next in a thread of its own choice, which waits in C. A thread of C that enters Go takes one of its
// processors, so it does that only when a goroutine must be told about room, or when nobody comes to take back what it has
// released.
//
// It cannot be told to stop either. Python runs the handlers of signals only in its main thread and only between its own
// instructions, so a long scan would not hear Ctrl-C: a stream that was asked to polls for it where it is waited for in
// that thread.
//
// # Fork
//
// Go does not survive fork. In the child, streams fail instead of waiting for threads that are not there, and releasing
// gives back nothing.
package arrowc
