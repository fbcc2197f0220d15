package arrowio

// Share runs n tasks, numbered from 0, in the caller's goroutine and in others that have nothing to do, and returns when
// all have ended: nil, or the error of the task with the lowest number.
type Share func(n int, task func(i int) error) error

// Sharer is implemented by split readers that can decode parts of a batch, say its columns, at the same time. Share is
// called once, before the first Read; the reader calls run within its methods. It returns how many goroutines it can
// keep about equally busy: with as many workers, splits are decoded one after another, which takes the memory of one.
type Sharer interface {
	Share(run Share) int
}
