package orc

import (
	"context"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// findJoined finds out whether another file lies in front of this one, as in files that were joined end to end: the footer is that of
// the last one, and counts from where that one begins. If so, findJoined moves the stripes to where they are.
func (f *File) findJoined(ctx context.Context) error {
	const magic = int64(len(orcwire.Magic))
	tail := f.tail.stats.Off
	last := magic
	for i := range f.footer.Stripes {
		s := &f.footer.Stripes[i]
		if s.Offset < magic || s.End() < s.Offset || s.End() > tail {
			return nil // reading tells
		}
		last = max(last, s.End())
	}
	begin := tail - last // nothing is between the last stripe and the tail
	if begin <= 2*magic {
		return nil
	}
	b, err := f.fetchBytes(ctx, begin-magic-1, 2*magic+1) // the end of a file is the magic and a byte
	if err != nil || string(b[:magic]) != orcwire.Magic || string(b[magic+1:]) != orcwire.Magic {
		return err
	}
	f.begin = begin
	for i := range f.footer.Stripes {
		f.footer.Stripes[i].Offset += begin
	}
	f.joined = located(corrupt("another ORC file ends here, and its %d bytes are not read: rows may be missing", begin), "layout", begin)
	return nil
}
