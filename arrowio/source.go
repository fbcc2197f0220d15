package arrowio

import (
	"context"
	"io"
)

// Source is immutable random-access bytes. ReadAt may be called concurrently.
type Source interface {
	io.ReaderAt
	Size() int64
}

// RangeSource is implemented by sources that serve many ranges better than one ReadAt each (object stores, caches).
type RangeSource interface {
	Source
	ReadRanges(ctx context.Context, rs []ByteRange) ([][]byte, error)
}

// ByteRange is a range of bytes of a Source.
type ByteRange struct{ Off, Len int64 }
