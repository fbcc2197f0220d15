package ipc

import (
	"bytes"
	"context"

	"github.com/arrowio/arrowio/internal/arrowipc"
)

// joinWindow is how many bytes in front of the footer are searched for the beginning of the file: a schema message and an end mark
// may stand there.
const joinWindow = 64 << 10

// findJoined finds out whether another file lies in front of this one, as in files that were joined end to end: the footer, which is
// at footer, is that of the last one, and counts from where that one begins. If so, findJoined moves the blocks to where they are.
func (f *file) findJoined(ctx context.Context, footer int64) error {
	last := int64(firstMessage)
	for _, blocks := range [][]arrowipc.Block{f.Dictionaries, f.Batches} {
		for _, b := range blocks {
			last = max(last, b.Off+b.Meta+b.Body)
		}
	}
	n := int64(len(magic))
	most := footer - last // if nothing else is between the last block and the footer, the file begins here
	if most < firstMessage+tail {
		return nil
	}
	from := max(most-joinWindow, firstMessage+tail)
	b := make([]byte, most-from+2*n)
	if err := readAt(ctx, f.src, b, from-n); err != nil {
		return err
	}
	i := bytes.LastIndex(b, bytes.Repeat(magic, 2))
	if i < 0 {
		return nil
	}
	f.begin = from + int64(i)
	for _, blocks := range [][]arrowipc.Block{f.Dictionaries, f.Batches} {
		for k := range blocks {
			blocks[k].Off += f.begin
		}
	}
	f.layout = append(f.layout, locateLayout(corrupt("another Arrow file ends here, and its %d bytes are not read: rows may be missing", f.begin), f.begin))
	return nil
}
