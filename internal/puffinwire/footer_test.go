package puffinwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
)

const blobs = `{"blobs": [{"type": "deletion-vector-v1", "fields": [2147483645], "snapshot-id": -1, "sequence-number": -1, "offset": 4, "length": 44,
	"properties": {"referenced-data-file": "/t/a.orc", "cardinality": "6"}}], "properties": {"created-by": "x"}}`

// footerOf makes a footer.
func footerOf(text string, flags uint32) []byte {
	out := append([]byte(magic), text...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	return append(binary.LittleEndian.AppendUint32(out, flags), magic...)
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFooter(t *testing.T) {
	for _, footer := range [][]byte{footerOf(blobs, 0), footerOf(packed(t, blobs), 1)} {
		n, err := FooterSize(footer[len(footer)-TailSize:], int64(len(footer)+4))
		if err != nil || n != int64(len(footer)) {
			t.Fatal(n, err)
		}
		list, err := ParseFooter(footer, 1<<10)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		b := list[0]
		if b.Type != VectorType || b.Offset != 4 || b.Length != 44 || b.SnapshotID != -1 || b.Properties[PropertyDataFile] != "/t/a.orc" || b.Properties[PropertyCardinality] != "6" {
			t.Errorf("%+v", b)
		}
	}
}

// TestFooterOfIceberg reads the footer of a file that Iceberg's Java library wrote, and the vector that it lists.
func TestFooterOfIceberg(t *testing.T) {
	file, err := os.ReadFile("testdata/small.puffin")
	if err != nil {
		t.Fatal(err)
	}
	n, err := FooterSize(file[len(file)-TailSize:], int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	list, err := ParseFooter(file[len(file)-int(n):], 1<<20)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	b := list[0]
	if b.Type != VectorType || b.Codec != "" || b.Properties[PropertyDataFile] != "/t/data.parquet" || b.Properties[PropertyCardinality] != "6" {
		t.Errorf("%+v", b)
	}
	got, err := Vector(file[b.Offset:][:b.Length], 6)
	if err != nil || !slices.Equal(got, []int64{0, 3, 4, 5, 9, 70000}) {
		t.Error(got, err)
	}
}

func TestFooterDamaged(t *testing.T) {
	whole := footerOf(blobs, 0)
	for i := range whole {
		for _, b := range [][]byte{whole[:i], append(slices.Clone(whole[:i]), append([]byte{whole[i] ^ 1}, whole[i+1:]...)...)} {
			_, err := ParseFooter(b, 1<<10)
			var e *errs.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%d: %v", i, err)
			}
		}
	}
	for _, c := range []struct {
		footer []byte
		kind   errs.Kind
	}{
		{footerOf(blobs, 2), errs.ErrUnsupported},
		{footerOf(blobs, 1), errs.ErrCorrupt},
		{footerOf(packed(t, strings.Repeat(" ", 5000)+blobs), 1), errs.ErrLimit},
		{footerOf("{", 0), errs.ErrCorrupt},
		{nil, errs.ErrCorrupt},
	} {
		if _, err := ParseFooter(c.footer, 1<<10); !errors.Is(err, c.kind) {
			t.Errorf("%q: %v, not %v", c.footer, err, c.kind)
		}
	}
	tail := func(n uint32) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, n), "\x00\x00\x00\x00PFA1"...)
	}
	for _, b := range [][]byte{tail(1 << 31), tail(85), tail(1<<32 - 1), nil, []byte("\x01\x00\x00\x00\x00\x00\x00\x00PFA2")} {
		if n, err := FooterSize(b, 104); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%q: %d %v", b, n, err)
		}
	}
	if n, err := FooterSize(tail(84), 104); err != nil || n != 100 {
		t.Error(n, err)
	}
}
