package ipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// An error of a damaged file names the part of the file, its offset, and the column where it is about one.
func TestDamageIsLocated(t *testing.T) {
	whole := fixture(t, "types_lz4.arrow")
	f := mustOpen(t, "types_lz4.arrow").(*file)
	block := f.Batches[1]
	b, err := f.batch(context.Background(), block)
	if err != nil {
		t.Fatal(err)
	}
	l, err := layOut(&b, f.Footer.Schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	column := -1
	for i, fld := range f.Schema().Fields() {
		if fld.Name == "int64" {
			column = i
		}
	}
	at, _ := b.Buffer(l.from[column].buffers + 1) // the values, behind the validity
	footer := int64(len(whole)) - tail - int64(binary.LittleEndian.Uint32(whole[len(whole)-tail:]))
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		want   errs.Error
	}{
		{
			"the size of a compressed buffer",
			func(b []byte) []byte { b[block.Off+block.Meta+at+7] = 0x7F; return b },
			errs.Error{Kind: errs.ErrCorrupt, Op: "record batch 1", Column: "int64", Off: block.Off},
		},
		{
			"the metadata of a batch",
			func(b []byte) []byte {
				copy(b[block.Off+8:], bytes.Repeat([]byte{0xFF}, int(block.Meta-8)))
				return b
			},
			errs.Error{Kind: errs.ErrCorrupt, Op: "record batch 1", Off: block.Off},
		},
		{
			"the footer",
			func(b []byte) []byte { copy(b[footer:], bytes.Repeat([]byte{0xFF}, 64)); return b },
			errs.Error{Kind: errs.ErrCorrupt, Op: "footer", Off: footer},
		},
		{
			"the end of the file",
			func(b []byte) []byte { return b[:len(b)-1] },
			errs.Error{Kind: errs.ErrCorrupt, Op: "footer"},
		},
	} {
		file, err := open(c.damage(bytes.Clone(whole)), "x.arrow", arrowio.OpenOptions{})
		if err == nil {
			_, err = readAll(file, nil, 100, checked(t))
		}
		var e *errs.Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("%s: %v", c.name, err)
		case e.Kind != c.want.Kind || e.Op != c.want.Op || e.Column != c.want.Column || c.want.Off != 0 && e.Off != c.want.Off:
			t.Errorf("%s: %v, want %v", c.name, err, &c.want)
		}
	}
	if got := kept(t, whole, block.Off+block.Meta+at+7); got != nil {
		t.Errorf("a column that is not damaged: %v", got)
	}
}

// kept reads a column of whole, of which the byte at off, in another column, is damaged.
func kept(t *testing.T, whole []byte, off int64) error {
	b := bytes.Clone(whole)
	b[off] = 0x7F
	f, err := Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		return err
	}
	recs, err := readAll(f, []string{"int32"}, 100, checked(t))
	release(recs)
	return err
}
