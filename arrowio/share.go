package arrowio

// Share runs n tasks, numbered from 0, in the caller's goroutine and in idle workers. It returns when all tasks have ended. If
// tasks fail, it returns the error of the failed task with the lowest number.
type Share func(n int, task func(i int) error) error

// Sharer is implemented by split readers that can decode parts of a batch, such as its columns, at the same time. Share is called
// once, before the first Read; the reader then calls run within its methods. Share returns how many goroutines the reader can
// keep about equally busy. If there are no more workers than that, splits are decoded one after another, which needs the memory
// of only one split.
type Sharer interface {
	Share(run Share) int
}
