package orcwire

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// unpackMessage decompresses a message chunk by chunk.
func unpackMessage(t *testing.T, ps *PostScript, b []byte) []byte {
	t.Helper()
	if ps.Compression == CompressionNone {
		return b
	}
	codec, err := ps.Compression.Codec()
	if err != nil {
		t.Fatal(err)
	}
	var d blockcodec.Decoder
	var out []byte
	for len(b) > 0 {
		head := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		chunk := b[3 : 3+head>>1]
		b = b[3+head>>1:]
		if head&1 == 0 {
			if chunk, err = d.Decode(codec, nil, chunk, int(ps.BlockSize), false); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, chunk...)
	}
	return out
}

// Whatever wrote a file: its stripes have the rows that its footer counts, its streams fill the stripe, and its indexes
// have an entry for each row group.
func TestFiles(t *testing.T) {
	err := filepath.WalkDir("../../testdata/orc", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".orc") {
			t.Run(filepath.ToSlash(path), func(t *testing.T) { checkFile(t, path) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return // a table without rows, to Java
	}
	end := len(b) - 1 - int(b[len(b)-1])
	ps, err := ParsePostScript(b[end : len(b)-1])
	if err != nil {
		t.Fatal(err)
	}
	foot := end - int(ps.FooterLength)
	f, err := ParseFooter(unpackMessage(t, ps, b[foot:end]), errs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Schema(f, nanos); err != nil {
		t.Error(err)
	}
	f.Stats.readAll(t)
	m, err := ParseMetadata(unpackMessage(t, ps, b[foot-int(ps.MetadataLength):foot]), errs.Limits{})
	if err != nil {
		t.Error(err)
	}
	for _, l := range m {
		l.readAll(t)
	}
	rows := int64(0)
	for i := range f.Stripes {
		rows += f.Stripes[i].Rows
		checkStripe(t, b, ps, f, i)
	}
	if f.HasRows && len(f.Types) > 1 && rows != f.Rows {
		t.Errorf("%d rows in stripes, the footer counts %d", rows, f.Rows)
	}
}

func checkStripe(t *testing.T, b []byte, ps *PostScript, f *Footer, i int) {
	s := &f.Stripes[i]
	data := s.IndexLength + s.DataLength
	sf, err := ParseStripeFooter(unpackMessage(t, ps, b[s.Offset+data:s.End()]), len(f.Types), data)
	if err != nil {
		t.Errorf("stripe %d: %v", i, err)
		return
	}
	groups := 0
	if stride := int64(f.RowIndexStride); stride > 0 {
		groups = int((s.Rows + stride - 1) / stride)
	}
	end := int64(0)
	for _, x := range sf.Streams {
		end = x.Offset + x.Length
		if x.Length == 0 {
			continue
		}
		n := groups
		switch x.Kind {
		case RowIndex:
			r, err := ParseRowIndex(unpackMessage(t, ps, b[s.Offset+x.Offset:s.Offset+end]), groups)
			if err != nil {
				t.Errorf("stripe %d, column %d: %v", i, x.Column, err)
			}
			n = len(r)
		case BloomFilterOriginal, BloomFilterUTF8:
			r, err := ParseBloomIndex(unpackMessage(t, ps, b[s.Offset+x.Offset:s.Offset+end]), groups)
			if err != nil {
				t.Errorf("stripe %d, column %d: %v", i, x.Column, err)
			}
			n = len(r)
		}
		if n != groups {
			t.Errorf("stripe %d: %s of column %d has %d entries for %d row groups", i, x.Kind, x.Column, n, groups)
		}
	}
	if end != data {
		t.Errorf("stripe %d: streams end at %d, index and data at %d", i, end, data)
	}
}
