package orc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// Dump prints the bytes of the file and what they mean: of each stripe the index with positions and bloom filters, the
// first chunks and runs of each stream, and the stripe footer; then metadata, footer and postscript, field by field.
// What a codec or a cipher hides is said without its bytes. What is wrong is said where it stands, and the dump goes on;
// bytes that nothing refers to come last. An error is one of reading or writing.
func (f *File) Dump(ctx context.Context, w io.Writer) error {
	d := dumper{Writer: annotate.New(w, f.src, f.src.Size()), f: f, ctx: ctx}
	err := d.file()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// dumper is one run of Dump.
type dumper struct {
	*annotate.Writer
	f     *File
	ctx   context.Context
	codec blockcodec.Decoder
	buf   []byte
	after []arrowio.ByteRange // of the part that is being shown: what is left out
	order []number            // what the positions of the row index at hand are
}

func (d *dumper) file() error {
	f := d.f
	if f.src.Size() >= 3 {
		head, err := f.fetchBytes(d.ctx, 0, 3)
		if err != nil {
			return err
		}
		if string(head) == orcwire.Magic {
			d.Range(0, 3, "magic")
		}
	}
	for i := range f.footer.Stripes {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if err := d.stripe(i); err != nil {
			return err
		}
	}
	return d.tail()
}

// note prints a fault of the file. It returns what says nothing about the file.
func (d *dumper) note(err error) error {
	var e *errs.Error
	if err == nil || isIO(err) || !errors.As(err, &e) {
		return err
	}
	d.Note("! %v", err)
	return nil
}

// tail prints what is behind the stripes.
func (d *dumper) tail() error {
	if d.f.src.Size() == 0 {
		d.Note("no bytes: a table without rows and columns")
		return nil
	}
	l := &d.f.tail
	if l.stats.Len > 0 {
		d.Range(l.stats.Off, l.stats.Len, "stripe statistics of encrypted columns")
	}
	for _, x := range []struct {
		title string
		r     arrowio.ByteRange
		m     *pb.Shape
	}{{"metadata", l.metadata, orcwire.ShapeMetadata}, {"footer", l.footer, orcwire.ShapeFooter}} {
		if x.r.Len == 0 {
			continue
		}
		if err := d.part(x.title, stored{ByteRange: x.r, packed: true}, x.m); err != nil {
			return err
		}
	}
	if err := d.part("postscript", stored{ByteRange: l.postscript}, orcwire.ShapePostScript); err != nil {
		return err
	}
	d.Range(l.postscript.End(), 1, "the postscript has %d bytes", l.postscript.Len)
	return nil
}

// part prints a message that is a part of the file.
func (d *dumper) part(title string, x stored, m *pb.Shape) error {
	d.Section("%s", title)
	defer d.End()
	c, err := d.open(x)
	if err != nil {
		return err
	}
	d.rest(c, d.message(c, m), "the rest")
	d.leftOut()
	return nil
}

// leftOut prints the ranges that were not opened.
func (d *dumper) leftOut() {
	for _, r := range d.after {
		d.Range(r.Off, r.Len, "the rest")
	}
	d.after = d.after[:0]
}

// stripe prints a stripe.
func (d *dumper) stripe(i int) error {
	f := d.f
	info := &f.footer.Stripes[i]
	d.Section("stripe %d: %d rows", i, info.Rows)
	defer d.End()
	s, err := f.stripe(d.ctx, i)
	if err != nil {
		return d.note(err)
	}
	defer s.release()
	for k := range s.footer.Streams {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if err := d.stream(s, &s.footer.Streams[k]); err != nil {
			return err
		}
	}
	footer := arrowio.ByteRange{Off: info.Offset + info.IndexLength + info.DataLength, Len: info.FooterLength}
	return d.part("stripe footer", stored{ByteRange: footer, packed: true}, orcwire.ShapeStripeFooter)
}

// stream prints one stream.
func (d *dumper) stream(s *stripe, x *orcwire.Stream) error {
	if x.Length == 0 {
		return nil
	}
	t := d.f.footer.Types[x.Column]
	where := fmt.Sprintf("column %d", x.Column)
	if path := t.Path(); path != "" {
		where += ", " + brief(path)
	}
	at := arrowio.ByteRange{Off: s.info.Offset + x.Offset, Len: x.Length}
	title := fmt.Sprintf("%s of %s, %s", x.Kind, where, t.Kind)
	switch x.Kind {
	case orcwire.RowIndex:
		d.order = s.numbersOf(t, s.clearPresent(t.ID), s.footer.Encodings[t.ID].Kind)
		return d.part(title, stored{ByteRange: at, packed: true}, orcwire.ShapeRowIndex)
	case orcwire.BloomFilterOriginal, orcwire.BloomFilterUTF8:
		return d.part(title, stored{ByteRange: at, packed: true}, orcwire.ShapeBloomIndex)
	case orcwire.EncryptedIndex, orcwire.EncryptedData:
		d.Section("%s", x.Kind)
		defer d.End()
		return d.hidden(s, x.Kind == orcwire.EncryptedIndex, at)
	}
	return d.data(title, t, x.Kind, s.footer.Encodings[t.ID].Kind, stored{ByteRange: at, packed: true, most: shownChunks})
}

// clearPresent reports whether a column has a PRESENT stream in the clear.
func (s *stripe) clearPresent(id int) bool {
	return slices.ContainsFunc(s.footer.Streams, func(x orcwire.Stream) bool {
		return x.Column == id && x.Kind == orcwire.Present && x.Length > 0
	})
}

// opened prints a stream that was encrypted.
func (d *dumper) opened(s *stripe, x stream) error {
	t := d.f.footer.Types[x.column]
	in := stored{ByteRange: arrowio.ByteRange{Off: x.off, Len: x.len}, packed: true, secret: &x}
	title := fmt.Sprintf("%s of column %d, %s, %s", x.kind, x.column, brief(t.Path()), t.Kind)
	switch x.kind {
	case orcwire.RowIndex:
		d.order = s.numbers(t)
		return d.part(title, in, orcwire.ShapeRowIndex)
	case orcwire.BloomFilterOriginal, orcwire.BloomFilterUTF8:
		return d.part(title, in, orcwire.ShapeBloomIndex)
	}
	in.most = shownChunks
	return d.data(title, t, x.kind, s.encoding(t.ID).Kind, in)
}

// data prints a stream of values.
func (d *dumper) data(title string, t *orcwire.Type, kind orcwire.StreamKind, e orcwire.EncodingKind, in stored) error {
	d.Section("%s, %s", title, e)
	defer d.End()
	c, err := d.open(in)
	if err != nil {
		return err
	}
	d.rest(c, d.values(c, t, kind, e), "the rest")
	d.leftOut()
	return nil
}

// hidden prints the streams of encrypted columns, which lie one behind the other.
func (d *dumper) hidden(s *stripe, index bool, at arrowio.ByteRange) error {
	for _, x := range s.streams {
		if x.key == nil || x.kind.Index() != index || x.len == 0 {
			continue
		}
		if err := d.opened(s, x); err != nil {
			return err
		}
	}
	off := at.Off
	for v, sv := range s.footer.Encryption {
		for _, x := range sv.Streams {
			if x.Kind.Index() != index || x.Length == 0 {
				continue
			}
			if off+x.Length > at.End() {
				d.Note("! %s of column %d goes beyond the part", x.Kind, x.Column)
				return nil
			}
			if _, open := d.f.secrets.variant(x.Column); !open {
				d.Range(off, x.Length, "%s of column %d, encrypted, variant %d", x.Kind, x.Column, v)
			}
			off += x.Length
		}
	}
	return nil
}
