package kudu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// madeSet writes a set: hosts of two rows each, rowsets of the given numbers of hosts. Without keys it has no key index
// and no filters.
func madeSet(t testing.TB, keys bool, rowsets ...int) (dir string, set *kuduwire.Set) {
	t.Helper()
	dir = t.TempDir()
	set = &kuduwire.Set{Writer: "test", Table: "metrics", Schema: kuduwire.Schema{Columns: []kuduwire.Column{
		{ID: 0, HasID: true, Name: "host", Type: cfilewire.String, Key: keys},
		{ID: 1, HasID: true, Name: "at", Type: cfilewire.Int64, Key: keys},
		{ID: 5, HasID: true, Name: "v", Type: cfilewire.Int32, Nullable: true},
	}}}
	if !keys {
		set.Table = ""
	}
	first := 0
	for i, hosts := range rowsets {
		set.RowSets = append(set.RowSets, madeRowSet(t, dir, fmt.Sprintf("rowset-%05d", i), first, hosts, keys))
		first += hosts
	}
	writeSet(t, dir, set)
	return dir, set
}

func writeSet(t testing.TB, dir string, set *kuduwire.Set) {
	t.Helper()
	b, err := set.Text()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, kuduwire.SetFileName), b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func madeRowSet(t testing.TB, dir, name string, first, hosts int, keys bool) kuduwire.SetRowSet {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, name), 0o777))
	var offsets []int32
	var text, at, v, valid []byte
	var encoded [][]byte
	offsets = append(offsets, 0)
	for h := first; h < first+hosts; h++ {
		for k := range 2 {
			row := len(offsets) - 1
			host := fmt.Sprintf("host-%04d", h)
			text = append(text, host...)
			offsets = append(offsets, int32(len(text)))
			at = binary.LittleEndian.AppendUint64(at, uint64(1000+k))
			v = binary.LittleEndian.AppendUint32(v, uint32(h*10+k))
			if row%8 == 0 {
				valid = append(valid, 0)
			}
			if h%3 > 0 {
				valid[row>>3] |= 1 << (row & 7)
			}
			key, err := cfilewire.AppendKey(nil, cfilewire.String, []byte(host), false)
			must(err)
			key, err = cfilewire.AppendKey(key, cfilewire.Int64, at[len(at)-8:], true)
			must(err)
			encoded = append(encoded, key)
		}
	}
	out := kuduwire.SetRowSet{Rows: int64(2 * hosts)}
	save := func(file string, b []byte) kuduwire.SetFile {
		must(os.WriteFile(filepath.Join(dir, name, file), b, 0o666))
		return kuduwire.SetFile{Name: name + "/" + file, Bytes: int64(len(b))}
	}
	column := func(file string, s cfilewire.FileSettings, put func(c *cfilewire.ColumnOut) error) kuduwire.SetFile {
		var b []byte
		var c cfilewire.ColumnOut
		must(c.Open(s, func(p []byte) error { b = append(b, p...); return nil }))
		must(put(&c))
		_, err := c.Finish()
		must(err)
		return save(file, b)
	}
	settings := func(typ cfilewire.DataType, nullable bool) cfilewire.FileSettings {
		s := cfilewire.ColumnSettings(typ, cfilewire.EncodingAuto, cfilewire.LZ4, nullable, false)
		s.BlockSize = 512
		return s
	}
	n := 2 * hosts
	out.Columns = append(out.Columns,
		column("host.cfile", settings(cfilewire.String, false), func(c *cfilewire.ColumnOut) error { return c.PutStrings(offsets, text, nil, 0) }),
		column("at.cfile", settings(cfilewire.Int64, false), func(c *cfilewire.ColumnOut) error { return c.PutFixed(at, n, nil, 0) }),
		column("v.cfile", settings(cfilewire.Int32, true), func(c *cfilewire.ColumnOut) error { return c.PutFixed(v, n, valid, 0) }))
	if !keys {
		return out
	}
	index := column("key-index.cfile", cfilewire.KeyIndexSettings(), func(c *cfilewire.ColumnOut) error {
		o, data := []int32{0}, []byte(nil)
		for _, k := range encoded {
			data = append(data, k...)
			o = append(o, int32(len(data)))
		}
		return c.PutStrings(o, data, nil, 0)
	})
	var b []byte
	var bloom cfilewire.BloomFileOut
	must(bloom.Open(0, 0, func(p []byte) error { b = append(b, p...); return nil }))
	for _, k := range encoded {
		must(bloom.Put(k))
	}
	_, err := bloom.Finish()
	must(err)
	filters := save("bloom.cfile", b)
	out.Keys, out.Bloom, out.MinKey, out.MaxKey = &index, &filters, encoded[0], encoded[len(encoded)-1]
	return out
}

func openSet(t testing.TB, dir string, o arrowio.OpenOptions) (arrowio.File, error) {
	t.Helper()
	tree := local.DirTree(dir)
	ok, err := Format().MatchTree(t.Context(), tree)
	if err != nil || !ok {
		t.Fatalf("not taken for a set: %v, %v", ok, err)
	}
	o.Limits = testLimits
	return Format().OpenTree(t.Context(), tree, o)
}

// A set is read as the table that its rowsets are of, pruned by its keys, described and found in order; one without a key
// as columns.
func TestSet(t *testing.T) {
	for _, keys := range []bool{true, false} {
		dir, _ := madeSet(t, keys, 300, 1, 50)
		f, err := openSet(t, dir, arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		where, err := expr.Parse("host >= 'host-0299' and host <= 'host-0301' and at = 1001")
		if err != nil {
			t.Fatal(err)
		}
		r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Filter: where})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		var got strings.Builder
		for r.Next() {
			rec := r.Record()
			for i := range int(rec.NumRows()) {
				for _, c := range rec.Columns() {
					fmt.Fprint(&got, c.ValueStr(i), " ")
				}
			}
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		if want := "host-0299 1001 2991 host-0300 1001 (null) host-0301 1001 3011 "; got.String() != want {
			t.Errorf("got %q, want %q", got.String(), want)
		}
		info, err := f.Info(t.Context(), arrowio.InfoOptions{Blocks: true, Checksums: true})
		if err != nil || info.Rows != 702 || len(info.Facts) == 0 {
			t.Errorf("%+v, %v", info, err)
		}
		v, err := openSet(t, dir, arrowio.OpenOptions{For: arrowio.ForVerify})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if err := v.(arrowio.Verifier).Verify(t.Context(), func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
	}
}

// An empty set has a schema and no rows.
func TestSetEmpty(t *testing.T) {
	dir, _ := madeSet(t, true)
	f, err := openSet(t, dir, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Splits()) != 0 || f.Schema().NumFields() != 3 {
		t.Errorf("%v, %v", f.Splits(), f.Schema())
	}
}

// A set that is not as schema.json says is refused, and Verify says why.
func TestSetDamaged(t *testing.T) {
	for name, harm := range map[string]func(dir string, set *kuduwire.Set) error{
		"a file is missing": func(dir string, _ *kuduwire.Set) error {
			return os.Remove(filepath.Join(dir, "rowset-00001", "host.cfile"))
		},
		"bytes":    func(_ string, set *kuduwire.Set) error { set.RowSets[1].Columns[0].Bytes++; return nil },
		"rows":     func(_ string, set *kuduwire.Set) error { set.RowSets[1].Rows--; return nil },
		"type":     func(_ string, set *kuduwire.Set) error { set.Schema.Columns[0].Type = cfilewire.Int32; return nil },
		"nullable": func(_ string, set *kuduwire.Set) error { set.Schema.Columns[2].Nullable = false; return nil },
		"bounds":   func(_ string, set *kuduwire.Set) error { set.RowSets[1].MinKey = []byte("x"); return nil },
		"swapped": func(_ string, set *kuduwire.Set) error {
			c := set.RowSets
			c[0].Keys, c[1].Keys = c[1].Keys, c[0].Keys
			return nil
		},
	} {
		dir, set := madeSet(t, true, 40, 30)
		if err := harm(dir, set); err != nil {
			t.Fatal(err)
		}
		writeSet(t, dir, set)
		faults := 0
		v, err := openSet(t, dir, arrowio.OpenOptions{For: arrowio.ForVerify})
		if err == nil {
			err = v.(arrowio.Verifier).Verify(t.Context(), func(error) { faults++ })
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
		if err != nil || faults == 0 {
			t.Errorf("%s: Verify: %d faults, %v", name, faults, err)
		}
		f, err := openSet(t, dir, arrowio.OpenOptions{})
		if err == nil {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			var rec arrow.Record
			if rec, err = conformance.Collect(t, f, mem, 100); err == nil {
				rec.Release()
			}
			mem.AssertSize(t, 0)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if err == nil && name != "bounds" && name != "swapped" { // which no reading of all rows looks at
			t.Errorf("%s: it was read", name)
		}
	}
}

// Errors, faults and warnings of a set name the file, and no tablets or blocks, which a set does not have.
func TestSetNamesFiles(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"a flip": func(path string) error {
			b, err := os.ReadFile(path)
			if err == nil {
				b[30] ^= 1
				err = os.WriteFile(path, b, 0o666)
			}
			return err
		},
		"cut":  func(path string) error { return os.Truncate(path, 40) },
		"gone": os.Remove,
	} {
		dir, _ := madeSet(t, true, 40, 30)
		path := filepath.Join(dir, "rowset-00001", "v.cfile")
		if err := harm(path); err != nil {
			t.Fatal(err)
		}
		said := func(what, text string) {
			t.Helper()
			if !strings.Contains(text, path) || strings.Contains(text, "tablet") || strings.Contains(text, "block 0") || strings.Count(text, Name+": ") > 1 {
				t.Errorf("%s: %s: %s", name, what, text)
			}
		}
		f, err := openSet(t, dir, arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if rec, err := conformance.Collect(t, f, memory.NewGoAllocator(), 100); err == nil {
			rec.Release()
			t.Errorf("%s: read", name)
		} else {
			said("reading", err.Error())
			if at, _ := errs.Where(err); at.File != path || at.Column != "v" || !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: %+v", name, at)
			}
		}
		info, err := f.Info(t.Context(), arrowio.InfoOptions{Checksums: true, Blocks: true})
		if err != nil {
			t.Fatal(err)
		}
		said("info", strings.Join(info.Notes, "; "))
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		v, err := openSet(t, dir, arrowio.OpenOptions{For: arrowio.ForVerify})
		if err != nil {
			t.Fatal(err)
		}
		faults := 0
		if err := v.(arrowio.Verifier).Verify(t.Context(), func(err error) { faults++; said("verify", err.Error()) }); err != nil || faults != 1 {
			t.Errorf("%s: %d faults, %v", name, faults, err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		s, err := openSet(t, dir, arrowio.OpenOptions{Options: map[string]string{"kudu-salvage": "true"}})
		if err != nil {
			t.Fatal(err)
		}
		if rec, err := conformance.Collect(t, s, memory.NewGoAllocator(), 100); err != nil {
			t.Errorf("%s: salvage: %v", name, err)
		} else {
			rec.Release()
		}
		w := s.(arrowio.Warner).Warnings()
		if len(w) == 0 {
			t.Errorf("%s: no warning", name)
		}
		for _, w := range w {
			said("salvage", w.Text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Options about servers do not fit a set.
func TestSetOptions(t *testing.T) {
	dir, _ := madeSet(t, true, 1)
	for _, o := range []map[string]string{
		{"kudu-snapshot": "7"}, {"kudu-tablet": "x"}, {"kudu-table": "metrics"}, {"kudu-data-dir": "x"}, {"kudu-metadata-dir": "x"}, {"kudu-block": "1"}, {"kudu-uncommitted": "skip"},
	} {
		if f, err := openSet(t, dir, arrowio.OpenOptions{Options: o}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%v: %v, %v", o, f, err)
		}
	}
	for _, name := range []string{t.TempDir(), filepath.Dir(dir)} {
		if ok, err := Format().MatchTree(t.Context(), local.DirTree(name)); ok || err != nil {
			t.Errorf("a directory without a set: %v, %v", ok, err)
		}
	}
}

// A set whose schema.json is lost is an error: its columns would be read as rows of one column.
func TestSetWithoutText(t *testing.T) {
	files := func(names ...string) string {
		dir := filepath.Join(t.TempDir(), names[0])
		for _, name := range names[1:] {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, dir := range []string{files("a.cfile", "x.cfile"), files("a.kudu", "rowset-00000/x.cfile"), files("a", "rowset-00012/x.cfile")} {
		if ok, err := Format().MatchTree(t.Context(), local.DirTree(dir)); ok || !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "schema.json is not there") {
			t.Errorf("%s: %v, %v", dir, ok, err)
		}
	}
	for _, dir := range []string{files("a", "x.cfile", "y.cfile"), files("b.cfile", "x.orc"), files("c", "rowset-/x.cfile"), files("d", "rowset-1")} {
		if ok, err := Format().MatchTree(t.Context(), local.DirTree(dir)); ok || err != nil {
			t.Errorf("%s: %v, %v", dir, ok, err)
		}
	}
}

// Sets behave as the contract says.
func TestSetConformance(t *testing.T) {
	dir, _ := madeSet(t, true, 100, 3, 60)
	o := Options{sizes: sizes{rows: 37, bytes: 1 << 20, updates: 1 << 20, kept: 1 << 20}}
	f, err := OpenSet(t.Context(), local.DirTree(dir), testLimits, o)
	if err != nil {
		t.Fatal(err)
	}
	j := joinBlocks(t, f)
	_ = f.Close()
	conformance.Run(t, conformance.Harness{
		Source: local.NewBytesSource(j.bytes),
		Scans:  8,
		Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
			o := o
			o.through = func(id uint64, _ arrowio.Source) arrowio.Source { return partOf{src, j.at[id]} }
			return OpenSet(ctx, local.DirTree(dir), testLimits, o)
		},
	})
}
