package kudu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// madeSet is a set of rowsets, made for a test.
type madeSet struct {
	t       testing.TB
	table   string
	columns []kuduwire.Column
	dir     string
	set     kuduwire.Set
	rows    [][][]byte // of all rowsets
}

// newSet begins a set of a table with some columns: keys first, ids as they are.
func newSet(t testing.TB, table string, columns ...kuduwire.Column) *madeSet {
	t.Helper()
	for i := range columns {
		columns[i].HasID = true
	}
	s := &madeSet{t: t, table: table, columns: columns, dir: t.TempDir()}
	s.set = kuduwire.Set{Writer: "a test", Table: table, Schema: kuduwire.Schema{Columns: columns}}
	return s
}

// le returns a number as a cell of a type.
func le(typ cfilewire.DataType, v int64) []byte {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	if v < 0 {
		binary.LittleEndian.PutUint64(b[8:], ^uint64(0))
	}
	return b[:typ.Width():typ.Width()]
}

// key returns the encoded key of a row.
func (s *madeSet) key(row [][]byte) []byte {
	s.t.Helper()
	var key []byte
	keys := s.set.Schema.Keys()
	for i := range keys {
		var err error
		if key, err = cfilewire.AppendKey(key, s.columns[i].Type, row[i], i == keys-1); err != nil {
			s.t.Fatal(err)
		}
	}
	return key
}

// add adds a rowset of rows, cell by cell; nil = null. The rows are sorted.
func (s *madeSet) add(rows [][][]byte) {
	s.t.Helper()
	slices.SortFunc(rows, func(a, b [][]byte) int { return bytes.Compare(s.key(a), s.key(b)) })
	s.addSorted(rows)
}

func (s *madeSet) addSorted(rows [][][]byte) {
	s.t.Helper()
	folder := fmt.Sprintf("rowset-%05d", len(s.set.RowSets))
	if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o777); err != nil {
		s.t.Fatal(err)
	}
	keys := s.set.Schema.Keys()
	r := kuduwire.SetRowSet{Rows: int64(len(rows))}
	for i := range s.columns {
		c := &s.columns[i]
		settings := cfilewire.ColumnSettings(c.Type, c.Encoding, c.Compression, c.Nullable, keys == 1 && i == 0)
		settings.BlockSize = 4 << 10
		cells := make([][]byte, len(rows))
		for j := range rows {
			cells[j] = rows[j][i]
		}
		r.Columns = append(r.Columns, s.file(folder+"/"+c.Name+".cfile", columnFile(s.t, settings, cells)))
	}
	index := make([][]byte, len(rows))
	for j := range rows {
		index[j] = s.key(rows[j])
	}
	if keys > 1 {
		f := s.file(folder+"/key-index.cfile", columnFile(s.t, cfilewire.KeyIndexSettings(), index))
		r.Keys = &f
	}
	f := s.file(folder+"/bloom.cfile", bloomFile(s.t, index))
	r.Bloom = &f
	if len(rows) > 0 {
		r.MinKey, r.MaxKey = index[0], index[len(index)-1]
	}
	s.set.RowSets = append(s.set.RowSets, r)
	s.rows = append(s.rows, rows...)
	s.describe()
}

// describe writes schema.json.
func (s *madeSet) describe() {
	s.t.Helper()
	text, err := s.set.Text()
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(kuduwire.SetFileName, text)
}

func (s *madeSet) file(name string, b []byte) kuduwire.SetFile {
	s.write(name, b)
	return kuduwire.SetFile{Name: name, Bytes: int64(len(b))}
}

func (s *madeSet) write(name string, b []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(name)), b, 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// columnFile writes a CFile of cells; nil = null.
func columnFile(t testing.TB, settings cfilewire.FileSettings, cells [][]byte) []byte {
	t.Helper()
	var out []byte
	var c cfilewire.ColumnOut
	err := c.Open(settings, func(b []byte) error {
		out = append(out, b...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	valid := make([]byte, (len(cells)+7)/8)
	var fixed, bits, data []byte
	offsets := []int32{0}
	bits = make([]byte, (len(cells)+7)/8)
	width := settings.Type.Width()
	for i, v := range cells {
		if v != nil {
			valid[i/8] |= 1 << (i % 8)
		}
		data = append(data, v...)
		offsets = append(offsets, int32(len(data)))
		fixed = append(fixed, append(append([]byte{}, v...), make([]byte, width)...)[:width]...)
		if len(v) > 0 && v[0] != 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	switch {
	case settings.Type.Binary():
		err = c.PutStrings(offsets, data, valid, 0)
	case settings.Type == cfilewire.Bool:
		err = c.PutBits(bits, 0, len(cells), valid, 0)
	default:
		err = c.PutFixed(fixed, len(cells), valid, 0)
	}
	if err == nil {
		_, err = c.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func bloomFile(t testing.TB, keys [][]byte) []byte {
	t.Helper()
	var out []byte
	var w cfilewire.BloomFileOut
	err := w.Open(0, 0, func(b []byte) error {
		out = append(out, b...)
		return nil
	})
	for _, k := range keys {
		if err == nil {
			err = w.Put(k)
		}
	}
	if err == nil {
		_, err = w.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lines are the rows of the set as rows of a table read: what the set lacks is null, or the default.
func (s *madeSet) lines(table *kuduwire.Schema) (out []string) {
	for _, row := range s.rows {
		cells := make([]string, len(table.Columns))
		for i := range table.Columns {
			c := &table.Columns[i]
			cell := c.ReadDefault
			if at := slices.IndexFunc(s.columns, func(x kuduwire.Column) bool { return x.Name == c.Name }); at >= 0 {
				cell = row[at]
			}
			cells[i] = c.Name + "=" + cellText(s.t, c, cell)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

// cellText is a cell as a value of an array reads.
func cellText(t testing.TB, c *kuduwire.Column, cell []byte) string {
	t.Helper()
	if cell == nil {
		return "null"
	}
	dt, _, err := cfilewire.ArrowType(c.Type, cfilewire.ArrowOptions{Precision: c.Precision, Scale: c.Scale, StringsBinary: true})
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	switch b := b.(type) {
	case *array.BinaryBuilder:
		b.Append(cell)
	case *array.BooleanBuilder:
		b.Append(cell[0] != 0)
	case *array.Decimal128Builder:
		var wide [16]byte
		n := copy(wide[:], cell)
		for i := n; i < 16; i++ {
			wide[i] = byte(int8(cell[n-1]) >> 7)
		}
		b.Append(decimal128.New(int64(binary.LittleEndian.Uint64(wide[8:])), binary.LittleEndian.Uint64(wide[:])))
	case *array.Int8Builder:
		b.Append(int8(cell[0]))
	case *array.Int16Builder:
		b.Append(int16(binary.LittleEndian.Uint16(cell)))
	case *array.Int32Builder:
		b.Append(int32(binary.LittleEndian.Uint32(cell)))
	case *array.Int64Builder:
		b.Append(int64(binary.LittleEndian.Uint64(cell)))
	case *array.Float32Builder:
		b.Append(math.Float32frombits(binary.LittleEndian.Uint32(cell)))
	case *array.Float64Builder:
		b.Append(math.Float64frombits(binary.LittleEndian.Uint64(cell)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(binary.LittleEndian.Uint32(cell)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(binary.LittleEndian.Uint64(cell)))
	default:
		t.Fatalf("%T", b)
	}
	a := b.NewArray()
	defer a.Release()
	return valueText(a, 0)
}
