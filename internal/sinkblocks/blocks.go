package sinkblocks

import "github.com/arrowio/arrowio/arrowio"

// Blocks is what a sink can also do whose store divides objects into blocks, as HDFS does.
type Blocks interface {
	// BlockBytes returns the size of the object's blocks.
	BlockBytes() int64
	// SetBlockBytes asks for blocks of n bytes, before the first Write. The store may take a few more, as BlockBytes says then.
	// Whether it takes such blocks at all may show at the first Write.
	SetBlockBytes(n int64) error
}

// Of returns the Blocks of a sink, or of one that it wraps, which has a method Unwrap then; nil = the store has no blocks.
func Of(k arrowio.Sink) Blocks {
	for k != nil {
		if b, ok := k.(Blocks); ok {
			return b
		}
		w, ok := k.(interface{ Unwrap() arrowio.Sink })
		if !ok {
			break
		}
		k = w.Unwrap()
	}
	return nil
}

// One asks that an object of size bytes is one block. Blocks of the store's own size are left as they are where one suffices.
func One(k arrowio.Sink, size int64) error {
	if b := Of(k); b != nil && size > b.BlockBytes() {
		return b.SetBlockBytes(size)
	}
	return nil
}
