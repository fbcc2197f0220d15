package encode

import "encoding/binary"

// Magic stands at both ends of a file.
const Magic = "PAR1"

// Bound is a smallest or largest value.
type Bound struct {
	Set     bool
	Value   []byte // as PLAIN has it, without a length
	Inexact bool   // below the smallest, or above the largest
}

// Chunk is the metadata of a column chunk. Offsets are those of the file.
type Chunk struct {
	Type        Type
	Encodings   []Encoding
	Path        []string
	Codec       Codec
	Values      int64 // nulls among them
	Raw, Stored int64 // bytes of the pages with headers
	DataPage    int64
	Dictionary  int64 // 0 = none
	Nulls       int64
	Min, Max    Bound
	DataPages   []PageCount
	Bloom       int64 // 0 = none
	BloomBytes  int
}

// PageCount is how many data pages have an encoding.
type PageCount struct {
	V2       bool
	Encoding Encoding
	Pages    int
}

// AppendChunk appends the fields of a ColumnChunk up to its metadata: AppendRowGroup adds the rest.
func AppendChunk(dst []byte, c *Chunk) []byte {
	t := thrift{b: dst}
	t.i64(2, 0)
	t.open(3)
	t.i32(1, int32(c.Type))
	t.list(2, tI32, len(c.Encodings))
	for _, e := range c.Encodings {
		t.b = binary.AppendVarint(t.b, int64(e))
	}
	t.list(3, tBinary, len(c.Path))
	for _, p := range c.Path {
		t.b = append(binary.AppendUvarint(t.b, uint64(len(p))), p...)
	}
	t.i32(4, int32(c.Codec))
	t.i64(5, c.Values)
	t.i64(6, c.Raw)
	t.i64(7, c.Stored)
	t.i64(9, c.DataPage)
	if c.Dictionary > 0 {
		t.i64(11, c.Dictionary)
	}
	t.open(12)
	t.i64(3, c.Nulls)
	if c.Max.Set {
		t.bytes(5, c.Max.Value)
	}
	if c.Min.Set {
		t.bytes(6, c.Min.Value)
	}
	if c.Max.Set {
		t.bool(7, !c.Max.Inexact)
	}
	if c.Min.Set {
		t.bool(8, !c.Min.Inexact)
	}
	t.end()
	c.appendCounts(&t)
	if c.Bloom > 0 {
		t.i64(14, c.Bloom)
		t.i32(15, int32(c.BloomBytes))
	}
	t.end()
	return t.b
}

func (c *Chunk) appendCounts(t *thrift) {
	n := len(c.DataPages)
	if c.Dictionary > 0 {
		n++
	}
	t.list(13, tStruct, n)
	count := func(kind int32, e Encoding, n int) {
		t.element()
		t.i32(1, kind)
		t.i32(2, int32(e))
		t.i32(3, int32(n))
		t.end()
	}
	if c.Dictionary > 0 {
		count(2, Plain, 1)
	}
	for _, p := range c.DataPages {
		kind := int32(0)
		if p.V2 {
			kind = 3
		}
		count(kind, p.Encoding, p.Pages)
	}
}

// Place is where an index of a column chunk is.
type Place struct {
	Offset int64
	Bytes  int
}

// Group is a row group.
type Group struct {
	Chunks      [][]byte // of AppendChunk
	Columns     []Place  // column indexes; nil = none; one without bytes is left out
	Offsets     []Place  // offset indexes; nil = none
	Raw, Stored int64
	Rows        int64
	Start       int64
}

// Sorting names a leaf column by which the rows of row groups are sorted.
type Sorting struct {
	Column     int
	Descending bool
	NullsFirst bool
}

// File is what the end of a file says.
type File struct {
	Elements  []Element // the root is the first
	Leaves    int
	Rows      int64
	Groups    []Group
	Sorting   []Sorting
	Keys      []string // metadata
	Values    []string
	CreatedBy string
}

// AppendFooter appends the metadata of a file, its length and the magic.
func AppendFooter(dst []byte, f *File) []byte {
	at := len(dst)
	t := thrift{b: dst}
	t.i32(1, 2)
	t.list(2, tStruct, len(f.Elements))
	for i := range f.Elements {
		t.element()
		f.Elements[i].append(&t, i == 0)
		t.end()
	}
	t.i64(3, f.Rows)
	t.list(4, tStruct, len(f.Groups))
	for i := range f.Groups {
		f.appendGroup(&t, i)
	}
	if len(f.Keys) > 0 {
		t.list(5, tStruct, len(f.Keys))
		for i, k := range f.Keys {
			t.element()
			t.text(1, k)
			t.text(2, f.Values[i])
			t.end()
		}
	}
	t.text(6, f.CreatedBy)
	t.list(7, tStruct, f.Leaves)
	for range f.Leaves {
		t.element()
		t.empty(1)
		t.end()
	}
	t.end()
	dst = binary.LittleEndian.AppendUint32(t.b, uint32(len(t.b)-at))
	return append(dst, Magic...)
}

func (f *File) appendGroup(t *thrift, i int) {
	g := &f.Groups[i]
	t.element()
	t.list(1, tStruct, len(g.Chunks))
	for c, b := range g.Chunks {
		t.b = append(t.b, b...)
		t.element()
		t.last = 3
		if g.Offsets != nil && g.Offsets[c].Bytes > 0 {
			t.i64(4, g.Offsets[c].Offset)
			t.i32(5, int32(g.Offsets[c].Bytes))
		}
		if g.Columns != nil && g.Columns[c].Bytes > 0 {
			t.i64(6, g.Columns[c].Offset)
			t.i32(7, int32(g.Columns[c].Bytes))
		}
		t.end()
	}
	t.i64(2, g.Raw)
	t.i64(3, g.Rows)
	if len(f.Sorting) > 0 {
		t.list(4, tStruct, len(f.Sorting))
		for _, s := range f.Sorting {
			t.element()
			t.i32(1, int32(s.Column))
			t.bool(2, s.Descending)
			t.bool(3, s.NullsFirst)
			t.end()
		}
	}
	t.i64(5, g.Start)
	t.i64(6, g.Stored)
	if i < 1<<15 {
		t.i16(7, int16(i))
	}
	t.end()
}
