package cfile

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
)

const (
	testdata = "../../testdata/"
	byKudu   = testdata + "cfile/kudu-1.17.1/"
	damage   = testdata + "corrupt/cfile/"
)

// fixture is one entry of testdata/manifest.json. Text is what Kudu's client saw in the column, or Kudu's own tool in the
// deltas and keys. A file of bloom filters has none.
type fixture struct {
	File    string
	Format  string
	SHA256  string
	Rows    int64
	Options map[string]string
	Text    struct{ File string }
}

func manifest(t testing.TB) []fixture {
	t.Helper()
	var m struct{ Files []fixture }
	fixtures.ReadJSON(t, testdata+"manifest.json", &m)
	return slices.DeleteFunc(m.Files, func(f fixture) bool { return f.Format != Name })
}

// name is the file's without what is around it.
func (x fixture) name() string { return strings.TrimSuffix(filepath.Base(x.File), ".cfile") }

// open opens a fixture over src.
func (x fixture) open(ctx context.Context, src arrowio.Source) (*File, error) {
	o, err := parseOptions(x.Options)
	if err != nil {
		return nil, err
	}
	return Open(ctx, src, arrowio.Limits{}, o)
}

// textOf returns the rows of a file, printed, and the error that reading it ended with.
func textOf(f *File, mem memory.Allocator, batch int, most int64) (text []string, err error) {
	rows := int64(0)
	err = conformance.Everything(f, mem, batch, func(r arrow.Record) error {
		if rows += r.NumRows(); rows > most {
			return errEnough
		}
		if err := conformance.ValidateRecord(r); err != nil {
			return err
		}
		r = signed(r)
		text = append(text, orctext.Rows(r)...)
		r.Release()
		return nil
	})
	return text, err
}

// signed returns r with unsigned numbers as signed ones of the same bits: orctext prints those that ORC has. The caller
// releases it.
func signed(r arrow.Record) arrow.Record {
	types := map[arrow.Type]arrow.DataType{
		arrow.UINT8: arrow.PrimitiveTypes.Int8, arrow.UINT16: arrow.PrimitiveTypes.Int16,
		arrow.UINT32: arrow.PrimitiveTypes.Int32, arrow.UINT64: arrow.PrimitiveTypes.Int64,
	}
	fields, columns := slices.Clone(r.Schema().Fields()), slices.Clone(r.Columns())
	for i, c := range columns {
		c.Retain()
		if t := types[c.DataType().ID()]; t != nil {
			d := array.NewData(t, c.Len(), c.Data().Buffers(), nil, c.NullN(), c.Data().Offset())
			c.Release()
			columns[i], fields[i].Type = array.MakeFromData(d), t
			d.Release()
		}
		defer columns[i].Release()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, r.NumRows())
}

// compareText compares lines.
func compareText(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("row %d: %.200s\nwant %.200s", i, got[i], want[i])
			return
		}
	}
}

// Every file gives the rows that Kudu sees in it, however it is read.
func TestFixtures(t *testing.T) {
	ctx := context.Background()
	for _, x := range manifest(t) {
		b := fixtures.ReadSum(t, testdata+x.File, x.SHA256)
		t.Run(x.name(), func(t *testing.T) {
			f, err := x.open(ctx, local.NewBytesSource(b))
			if err != nil {
				t.Fatal(err)
			}
			if x.Text.File == "" {
				if _, err := textOf(f, memory.DefaultAllocator, 100, 100); err == nil {
					t.Error("there are rows, but no text")
				}
				return
			}
			want := fixtures.Lines(t, testdata+x.Text.File)
			if int64(len(want)) != x.Rows || f.Rows() != x.Rows {
				t.Errorf("%d lines and %d rows, the manifest says %d", len(want), f.Rows(), x.Rows)
			}
			for _, batch := range []int{1 << 16, 7 * (1 + len(want)/1000)} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				got, err := textOf(f, mem, batch, x.Rows)
				if err != nil {
					t.Error(err)
				}
				compareText(t, got, want)
				mem.AssertSize(t, 0)
			}
		})
	}
}

// Files as Kudu writes them behave as the contract says.
func TestConformanceFixtures(t *testing.T) {
	all := manifest(t)
	for i, x := range all {
		special := !strings.ContainsAny(x.name(), "0123456789") || strings.Contains(x.name(), "key") || strings.Contains(x.name(), "codes")
		if x.Text.File == "" || !special && i%6 != 0 {
			continue
		}
		src := local.NewBytesSource(fixtures.Read(t, testdata+x.File))
		for _, rows := range []int64{0, 1 + x.Rows/5} {
			if rows > 0 && i%4 != 0 {
				continue
			}
			t.Run(x.name(), func(t *testing.T) {
				conformance.Run(t, conformance.Harness{Source: src, Scans: 3, Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
					f, err := x.open(ctx, src)
					if err != nil {
						return nil, err
					}
					if rows > 0 && f.kind != deltaKind {
						recut(f, rows)
					}
					return f, nil
				}})
			})
		}
	}
}

// testdata and its manifests name the same files.
func TestManifests(t *testing.T) {
	var listed []string
	for _, x := range manifest(t) {
		listed = append(listed, testdata+x.File)
		if x.Text.File != "" {
			listed = append(listed, testdata+x.Text.File)
		}
	}
	for _, x := range damagedFiles(t) {
		listed = append(listed, damage+x.File)
	}
	fixtures.CheckListed(t, listed, nil, testdata+"cfile/*/*", damage+"*.cfile")
}
