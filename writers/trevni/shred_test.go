package trevni_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/trevniwire"
)

// stored is one column as a file must have it, with the columns that it repeats.
type stored struct {
	name, typ string
	array     bool
	children  []*stored
	meta      map[string]string // user metadata
}

// element is an entry of an array column: its own value, and data for its children. What belongs to a column that is
// no array is the value alone.
type element struct {
	own      any
	children []any
}

// shredSchema returns the columns of data of schema s (docs/formats/trevni.md, Avro records).
func shredSchema(s *trevniwire.Avro, path string) []*stored {
	switch s.Kind {
	case trevniwire.AvroRecord:
		var out []*stored
		for _, f := range s.Fields {
			name := f.Name
			if path != "" {
				name = path + "#" + f.Name
			}
			out = append(out, shredSchema(f.Type, name)...)
		}
		return out
	case trevniwire.AvroArray:
		return []*stored{repeated(s.Items, path+"[]")}
	case trevniwire.AvroMap:
		children := append([]*stored{{name: path + ">key", typ: "string"}}, shredSchema(s.Items, path+">value")...)
		return []*stored{{name: path + ">", typ: "null", array: true, children: children}}
	case trevniwire.AvroUnion:
		var out []*stored
		for _, b := range s.Branches {
			if !b.IsNull() {
				out = append(out, repeated(b, path+"/"+b.Name))
			}
		}
		return out
	}
	return []*stored{{name: path, typ: s.Type.String()}}
}

func simple(s *trevniwire.Avro) bool {
	return !slices.Contains([]trevniwire.AvroKind{trevniwire.AvroRecord, trevniwire.AvroArray, trevniwire.AvroMap, trevniwire.AvroUnion}, s.Kind)
}

func repeated(s *trevniwire.Avro, path string) *stored {
	if simple(s) {
		return &stored{name: path, typ: s.Type.String(), array: true}
	}
	return &stored{name: path, typ: "null", array: true, children: shredSchema(s, path)}
}

// shred returns what a datum puts into the columns of shredSchema.
func shred(s *trevniwire.Avro, d any) []any {
	switch s.Kind {
	case trevniwire.AvroRecord:
		var out []any
		for k, f := range s.Fields {
			out = append(out, shred(f.Type, d.([]any)[k])...)
		}
		return out
	case trevniwire.AvroArray:
		elems := []element{}
		for _, x := range d.([]any) {
			elems = append(elems, elementOf(s.Items, x))
		}
		return []any{elems}
	case trevniwire.AvroMap:
		elems := []element{}
		for _, e := range d.([]entry) {
			elems = append(elems, element{children: append([]any{e.key}, shred(s.Items, e.value)...)})
		}
		return []any{elems}
	case trevniwire.AvroUnion:
		var out []any
		for k, b := range s.Branches {
			if b.IsNull() {
				continue
			}
			elems := []element{}
			if x := d.(branch); x.index == k {
				elems = append(elems, elementOf(b, x.value))
			}
			out = append(out, elems)
		}
		return out
	}
	return []any{d}
}

func elementOf(s *trevniwire.Avro, d any) element {
	if simple(s) {
		return element{own: d}
	}
	return element{children: shred(s, d)}
}

// plainColumn is a field as trevni-schema=columns stores it.
func plainColumn(f arrow.Field, path string) *stored {
	name := f.Name
	if path != "" {
		name = path + "." + name
	}
	c := &stored{name: name}
	t := f.Type
	if l, ok := t.(*arrow.ListType); ok {
		c.array, t = true, l.Elem()
	}
	if st, ok := t.(*arrow.StructType); ok {
		c.typ = "null"
		for _, k := range st.Fields() {
			c.children = append(c.children, plainColumn(k, name))
		}
		return c
	}
	for {
		d, ok := t.(*arrow.DictionaryType)
		if !ok {
			break
		}
		t = d.ValueType
	}
	c.typ = map[arrow.Type]string{
		arrow.NULL: "null", arrow.BOOL: "boolean", arrow.FLOAT16: "float", arrow.FLOAT32: "float", arrow.FLOAT64: "double",
		arrow.INT8: "int", arrow.INT16: "int", arrow.INT32: "int", arrow.UINT8: "int", arrow.UINT16: "int", arrow.DATE32: "int", arrow.TIME32: "int",
		arrow.INT64: "long", arrow.UINT32: "long", arrow.UINT64: "long", arrow.TIME64: "long", arrow.TIMESTAMP: "long", arrow.DURATION: "long",
		arrow.STRING: "string", arrow.LARGE_STRING: "string", arrow.STRING_VIEW: "string",
		arrow.BINARY: "bytes", arrow.LARGE_BINARY: "bytes", arrow.BINARY_VIEW: "bytes", arrow.FIXED_SIZE_BINARY: "bytes",
	}[t.ID()]
	return c
}

// plainData is what a value of such a field stores.
func plainData(f arrow.Field, a arrow.Array, i int) any {
	l, ok := f.Type.(*arrow.ListType)
	if !ok {
		return plainValue(a, i)
	}
	st, nested := l.Elem().(*arrow.StructType)
	list := a.(*array.List)
	elems := []element{}
	from, to := list.ValueOffsets(i)
	for j := int(from); j < int(to); j++ {
		var e element
		if nested {
			for k, f := range st.Fields() {
				e.children = append(e.children, plainData(f, list.ListValues().(*array.Struct).Field(k), j))
			}
		} else {
			e.own = plainValue(list.ListValues(), j)
		}
		elems = append(elems, e)
	}
	return elems
}

func plainValue(a arrow.Array, i int) any {
	a, i, ok := slot(a, i)
	if !ok {
		return nil
	}
	if t, ok := a.DataType().(*arrow.TimestampType); ok && t.Unit == arrow.Nanosecond {
		return flat(a, i).(int64) / 1000 // plain columns have microseconds
	}
	return flat(a, i)
}

// rawLine is a row in the canonical text of stored columns: an entry a column in file order; a column below d array
// columns, itself counted, is a list nested d deep.
func rawLine(columns []*stored, data []any) string {
	var cells [][]byte
	for k, c := range columns {
		cells = append(cells, rawCells(c, data[k])...)
	}
	b := []byte{'['}
	for k, c := range cells {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(b, c...)
	}
	return string(append(b, ']'))
}

// rawCells returns the text of c and of each column below it.
func rawCells(c *stored, d any) [][]byte {
	if !c.array {
		return [][]byte{appendFlat(nil, d)}
	}
	out := make([][]byte, c.width())
	each := func(ch byte) {
		for k := range out {
			out[k] = append(out[k], ch)
		}
	}
	each('[')
	for j, e := range d.([]element) {
		if j > 0 {
			each(',')
		}
		out[0] = appendFlat(out[0], e.own)
		at := 1
		for k, child := range c.children {
			for _, cell := range rawCells(child, e.children[k]) {
				out[at] = append(out[at], cell...)
				at++
			}
		}
	}
	each(']')
	return out
}

func (c *stored) width() int {
	n := 1
	for _, k := range c.children {
		n += k.width()
	}
	return n
}

// avroLine is a record, or another datum, in canonical text.
func avroLine(s *trevniwire.Avro, d any) string { return string(appendAvro(nil, s, d)) }

func appendAvro(b []byte, s *trevniwire.Avro, d any) []byte {
	switch s.Kind {
	case trevniwire.AvroRecord:
		b = append(b, '{')
		for k, f := range s.Fields {
			if k > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, f.Name), ':')
			b = appendAvro(b, f.Type, d.([]any)[k])
		}
		return append(b, '}')
	case trevniwire.AvroArray:
		b = append(b, '[')
		for k, x := range d.([]any) {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendAvro(b, s.Items, x)
		}
		return append(b, ']')
	case trevniwire.AvroMap:
		last := map[string]any{}
		var keys []string
		for _, e := range d.([]entry) {
			last[e.key] = e.value
			keys = append(keys, e.key)
		}
		b = append(b, '{')
		for k, key := range javaSorted(keys) {
			if k > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, key), ':')
			b = appendAvro(b, s.Items, last[key])
		}
		return append(b, '}')
	case trevniwire.AvroUnion:
		x := d.(branch)
		if s.Branches[x.index].IsNull() {
			return append(b, "null"...)
		}
		b = append(appendText(append(b, '{'), s.Branches[x.index].Name), ':')
		return append(appendAvro(b, s.Branches[x.index], x.value), '}')
	}
	return appendFlat(b, d)
}

// javaSorted orders texts as Java does, by UTF-16 code units, each once.
func javaSorted(keys []string) []string {
	keys = slices.Clone(keys)
	sort.Slice(keys, func(i, j int) bool {
		return slices.Compare(utf16.Encode([]rune(keys[i])), utf16.Encode([]rune(keys[j]))) < 0
	})
	return slices.Compact(keys)
}

func appendFlat(b []byte, d any) []byte {
	switch d := d.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, d)
	case int64:
		return strconv.AppendInt(b, d, 10)
	case float32:
		return fmt.Appendf(b, `"%08x"`, math.Float32bits(d))
	case float64:
		return fmt.Appendf(b, `"%016x"`, math.Float64bits(d))
	case string:
		return appendText(b, d)
	case []byte:
		return append(hex.AppendEncode(append(b, '"'), d), '"')
	}
	panic(fmt.Sprintf("%T is not flat", d))
}

func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// headLine is the line about a file in front of its rows: what its header must say.
func headLine(rows int, meta map[string]string, columns []*stored, codec func(string) string, sum string, values func(string) (has, sorted bool), stats func(string) []byte) string {
	b := fmt.Appendf(nil, `{"trevni":{"rows":%d,"meta":`, rows)
	b = appendMetadata(b, meta)
	b = append(b, `,"columns":[`...)
	first := true
	var column func(c *stored, parent string, top bool)
	column = func(c *stored, parent string, top bool) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendText(append(b, `{"name":`...), c.name)
		b = fmt.Appendf(b, `,"type":"%s"`, c.typ)
		if c.array {
			b = append(b, `,"array":true`...)
		}
		if !top {
			b = appendText(append(b, `,"parent":`...), parent)
		}
		own := map[string]string{}
		for k, v := range c.meta {
			own[k] = v
		}
		if top && !c.array {
			has, sorted := values(c.name)
			if has {
				b = append(b, `,"values":true`...)
			}
			if sorted {
				own["arrowio.sorted"] = "ascending"
			}
		}
		if s := stats(c.name); s != nil {
			own[trevniwire.KeyStats] = string(s)
		}
		b = fmt.Appendf(b, `,"codec":"%s","checksum":"%s"`, codec(c.name), sum)
		if len(own) > 0 {
			b = appendMetadata(append(b, `,"meta":`...), own)
		}
		b = append(b, '}')
		for _, k := range c.children {
			column(k, c.name, false)
		}
	}
	for _, c := range columns {
		column(c, "", true)
	}
	return string(append(b, "]}}"...))
}

func appendMetadata(b []byte, m map[string]string) []byte {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	b = append(b, '{')
	for i, k := range javaSorted(keys) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, k), ':')
		if !utf8.ValidString(m[k]) {
			b = fmt.Appendf(b, `{"hex":"%x"}`, m[k])
			continue
		}
		b = appendText(b, m[k])
	}
	return append(b, '}')
}
