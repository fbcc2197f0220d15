// Package workers runs tasks at the same time, and is the one place that turns panics into errors:
//
//	Guard    a panic is a bug: it becomes errs.ErrInternal, and goes on under the build tag arrowio_debug
//	Catch    the same in every build: for functions that C calls, which no panic may reach
//	Foreign  a panic of a library on input that it does not expect: it becomes an error of a kind
//	Each     n tasks in a few goroutines
//	Go       one task beside the caller
//	Ahead    things that the caller takes in order, some made before it comes to them
//	Pool     Each for a caller that has many rounds of tasks, reuses scratch memory, and leaves jobs for later
//	Helpers  goroutines that help any number of callers with their tasks
//	Groups   divides tasks among workers so that each has about the same to do
//
// Only packages that internal/arch lists start goroutines in other ways.
package workers
