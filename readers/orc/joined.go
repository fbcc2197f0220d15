package orc

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// findJoined finds out whether other bytes lie in front of this file, such as another file that was joined with it end to end, with its
// tail or without: the footer counts from where its own file begins. If so, findJoined moves the stripes to where they are.
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
	if begin <= 0 {
		return nil
	}
	from := max(0, begin-magic-1) // the end of a file is the magic and a byte
	b, err := f.fetchBytes(ctx, from, begin+magic-from)
	if err != nil || string(b[begin-from:]) != orcwire.Magic {
		return err
	}
	what := "another ORC file ends here, and its %d bytes are not read: rows may be missing"
	if begin <= 2*magic || string(b[:magic]) != orcwire.Magic {
		if ok, err := f.beginsAt(ctx, begin); err != nil || !ok {
			return err
		}
		what = "the file begins here, and the %d bytes in front of it are not read: if they are of another file, rows may be missing"
	}
	f.begin = begin
	for i := range f.footer.Stripes {
		f.footer.Stripes[i].Offset += begin
	}
	f.joined = located(corrupt(what, begin), "layout", begin)
	return nil
}

// beginsAt reports whether the first stripe and the last are so far behind where the footer says. Some writers leave bytes between the
// last stripe and the tail, and what is in these may look like a magic.
func (f *File) beginsAt(ctx context.Context, begin int64) (bool, error) {
	n := len(f.footer.Stripes)
	if n == 0 {
		return false, nil
	}
	for _, i := range []int{0, n - 1} {
		s := &f.footer.Stripes[i]
		data := s.IndexLength + s.DataLength
		packed, err := f.readPart(ctx, arrowio.ByteRange{Off: begin + s.Offset + data, Len: s.FooterLength}, "stripe footer")
		if err != nil {
			return false, err
		}
		raw, err := f.unpack(packed)
		if err != nil {
			return false, nil //nolint:nilerr // no stripe is there
		}
		if _, err := orcwire.ParseStripeFooter(raw, len(f.footer.Types), data); err != nil {
			return false, nil //nolint:nilerr // no stripe is there
		}
	}
	return true, nil
}
