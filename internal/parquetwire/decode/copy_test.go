package decode

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// footers returns the footers of files that pyarrow wrote.
func footers(tb testing.TB) (out [][]byte) {
	tb.Helper()
	paths, err := filepath.Glob("../../../testdata/parquet/pyarrow-26.0.1/*.parquet")
	if err != nil || len(paths) == 0 {
		tb.Fatal(err, paths)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		end := len(b) - 8
		out = append(out, b[end-int(binary.LittleEndian.Uint32(b[end:])):end])
	}
	return out
}

const budget = 1 << 26

// rewritten divides a footer and makes one of its parts, with offsets that are by further on.
func rewritten(b []byte, by int64) ([]byte, error) {
	f, _, err := ParseFooter(b, budget)
	if err != nil {
		return nil, err
	}
	p, err := SplitFooter(b)
	if err != nil {
		return nil, err
	}
	for i, g := range p.Groups {
		if p.Groups[i], err = AppendRowGroup(nil, g, i, func(_ int, to Place, off int64) int64 {
			if to == OffsetIndexSize {
				return off
			}
			return off + by
		}); err != nil {
			return nil, err
		}
	}
	return AppendFooter(nil, p, f.Rows, f.Metadata, f.CreatedBy), nil
}

// What is divided and put together again says the same, but for offsets.
func TestRewrittenFooter(t *testing.T) {
	for i, b := range footers(t) {
		want, _, err := ParseFooter(b, budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []int64{0, 1 << 40} {
			again, err := rewritten(b, by)
			if err != nil {
				t.Fatal(i, err)
			}
			got, _, err := ParseFooter(again, budget)
			if err != nil {
				t.Fatal(i, err)
			}
			for g := range got.Groups {
				for k := range got.Groups[g].Chunks {
					c, w := &got.Groups[g].Chunks[k], &want.Groups[g].Chunks[k]
					if c.DataPage != w.DataPage+by {
						t.Errorf("file %d: data pages at %d, want %d", i, c.DataPage, w.DataPage+by)
					}
					c.DataPage = w.DataPage
					for _, x := range [][2]*int64{{&c.Dictionary, &w.Dictionary}, {&c.Bloom, &w.Bloom}, {&c.OffsetIndex.Off, &w.OffsetIndex.Off}, {&c.ColumnIndex.Off, &w.ColumnIndex.Off}} {
						if *x[1] != 0 && *x[0] != *x[1]+by {
							t.Errorf("file %d: an offset is %d, want %d", i, *x[0], *x[1]+by)
						}
						*x[0] = *x[1]
					}
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("file %d: %+v, want %+v", i, got, want)
			}
		}
	}
}

func FuzzRewrittenFooter(f *testing.F) {
	for _, b := range footers(f) {
		f.Add(b, int64(0))
		f.Add(b, int64(1)<<40)
	}
	f.Fuzz(func(t *testing.T, b []byte, by int64) {
		again, err := rewritten(b, by)
		if err != nil {
			return
		}
		want, _, err := ParseFooter(b, budget)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := ParseFooter(again, budget)
		if err != nil {
			t.Fatalf("what was made of a footer is none: %v", err)
		}
		if got.Rows != want.Rows || len(got.Groups) != len(want.Groups) || !slices.Equal(got.Schema, want.Schema) || !slices.Equal(got.Metadata, want.Metadata) {
			t.Errorf("%+v, want %+v", got, want)
		}
		_, _ = AppendOffsetIndex(nil, b, by) // whatever it is
	})
}
