package trevniwire

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cursor"
	"github.com/arrowio/arrowio/internal/fieldname"
)

// Version is what we write: runs of lengths and booleans.
const Version = 2

// Magic are the first three bytes of every file; the fourth is the version.
const Magic = "Trv"

// FixedHeader is the size of magic, row count and column count.
const FixedHeader = 4 + 8 + 4

// ErrShort says that the header goes on behind the bytes given.
var ErrShort = errors.New("header goes on")

// Column is one stored column as the header describes it.
type Column struct {
	Name     string
	Type     Type
	Array    bool // trevni.array: a length precedes the values of each entry
	Values   bool // trevni.values: descriptors carry the block's first value
	Parent   int  // position of the array column that repeats this one, -1 = none
	Children []int
	Codec    blockcodec.Codec
	Checksum Checksum
	Meta     Meta
	Start    int64 // absolute offset of the block count
}

// Header is everything in front of the columns.
type Header struct {
	Version byte
	Rows    int64
	Meta    Meta
	Columns []Column
	Size    int64 // bytes from magic to the last column start
	// BadNames are the names of columns that are not UTF-8: Column.Name is another.
	BadNames fieldname.Names
}

// Match reports whether head begins a Trevni file of a version that exists.
func Match(head []byte) bool {
	return len(head) >= 4 && string(head[:3]) == Magic && head[3] <= Version
}

// ParseHeader reads the header from the first bytes of a file of the given size. When b ends too early, and the file
// does not, the error is ErrShort: call again with more.
func ParseHeader(b []byte, size int64, lim errs.Limits) (*Header, error) {
	if len(b) < 4 || string(b[:3]) != Magic {
		return nil, &errs.Error{Kind: errs.ErrCorrupt, Op: "magic", Split: -1, Off: 0, Err: errors.New("not a Trevni file")}
	}
	if b[3] > Version {
		return nil, &errs.Error{Kind: errs.ErrUnsupported, Op: "magic", Split: -1, Off: 3, Err: fmt.Errorf("version %d is unknown", b[3])}
	}
	h, err := parseHeader(b, lim)
	if err != nil && errors.Is(err, cursor.ErrShort) {
		if int64(len(b)) < size {
			return nil, ErrShort
		}
		return nil, errs.Locate(errs.Errorf(errs.ErrCorrupt, "the file ends within the header, it was cut off: %w", err), errs.At{Op: "header", Off: errs.N(size)})
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{Op: "header"})
	}
	return h, nil
}

func parseHeader(b []byte, lim errs.Limits) (*Header, error) {
	c := cursor.New(b[4:], 4)
	h := &Header{Version: b[3], Rows: c.I64()}
	n := int64(c.I32())
	if c.Err() != nil {
		return nil, c.Err()
	}
	if h.Rows < 0 {
		return nil, at(4, errs.Errorf(errs.ErrCorrupt, "%d rows", h.Rows))
	}
	if n < 0 {
		return nil, at(12, errs.Errorf(errs.ErrCorrupt, "%d columns", n))
	}
	if n > int64(lim.Columns) {
		return nil, at(12, errs.Errorf(errs.ErrLimit, "%d columns are more than the limit Columns = %d", n, lim.Columns))
	}
	var err error
	if h.Meta, err = parseMeta(c, lim); err != nil {
		return nil, errs.Locate(err, errs.At{Op: "file metadata", Off: errs.N(c.Offset())})
	}
	byName := map[string]int{}
	for i := range int(n) {
		off := c.Offset()
		m, err := parseMeta(c, lim)
		if err == nil {
			var col Column
			if col, err = h.column(i, m, byName); err == nil {
				h.Columns = append(h.Columns, col)
				h.BadNames.Check(m.Text(KeyName), col.Name)
				continue
			}
		}
		return nil, errs.Locate(err, errs.At{Op: fmt.Sprintf("metadata of column %d", i), Off: errs.N(off)})
	}
	for i := range h.Columns {
		h.Columns[i].Start = c.I64()
	}
	if c.Err() != nil {
		return nil, c.Err()
	}
	h.Size = c.Offset()
	return h, nil
}

// column interprets the metadata of column i and links it to its parent, which must come before it.
func (h *Header) column(i int, m Meta, byName map[string]int) (Column, error) {
	col := Column{Meta: m, Parent: -1}
	name, ok := m.Get(KeyName)
	if !ok {
		return col, errs.Errorf(errs.ErrCorrupt, "no %s", KeyName)
	}
	col.Name = fieldname.Fit(string(name))
	fail := func(k errs.Kind, format string, args ...any) (Column, error) {
		e := errs.Errorf(k, format, args...)
		e.Column = col.Name
		return col, e
	}
	if err := refuseImpala(m); err != nil {
		return fail(errs.ErrUnsupported, "%w", err)
	}
	typ, ok := m.Get(KeyType)
	if !ok {
		return fail(errs.ErrCorrupt, "no %s", KeyType)
	}
	if col.Type, ok = ParseType(string(typ)); !ok {
		return fail(errs.ErrCorrupt, "%s %q is unknown", KeyType, typ)
	}
	_, col.Array = m.Get(KeyArray)
	_, col.Values = m.Get(KeyValues)
	codec := h.inherited(m, KeyCodec)
	if col.Codec, ok = codecs[codec]; !ok {
		return fail(errs.ErrUnsupported, "%s %q is unknown", KeyCodec, codec)
	}
	sum := h.inherited(m, KeyChecksum)
	if col.Checksum, ok = ParseChecksum(sum); !ok {
		return fail(errs.ErrUnsupported, "%s %q is unknown", KeyChecksum, sum)
	}
	if parent, ok := m.Get(KeyParent); ok {
		p, ok := byName[string(parent)]
		if !ok {
			return fail(errs.ErrCorrupt, "%s %q is no column before this one", KeyParent, parent)
		}
		if !h.Columns[p].Array {
			return fail(errs.ErrCorrupt, "%s %q is not an array column", KeyParent, parent)
		}
		col.Parent = p
		h.Columns[p].Children = append(h.Columns[p].Children, i)
	}
	if col.Values && (col.Array || col.Parent >= 0) {
		return fail(errs.ErrCorrupt, "%s on an array column or a child", KeyValues)
	}
	byName[string(name)] = i
	return col, nil
}

// inherited looks a key up in a column's metadata, then in the file's (Java does; the specification says so for the
// checksum only).
func (h *Header) inherited(m Meta, key string) string {
	if v, ok := m.Get(key); ok {
		return string(v)
	}
	return h.Meta.Text(key)
}

var codecs = map[string]blockcodec.Codec{
	"": blockcodec.None, "null": blockcodec.None, "deflate": blockcodec.Deflate, "snappy": blockcodec.Snappy, "bzip2": blockcodec.Bzip2,
}

// CodecName returns a codec's name in metadata.
func CodecName(c blockcodec.Codec) string {
	switch c {
	case blockcodec.Deflate:
		return "deflate"
	case blockcodec.Snappy:
		return "snappy"
	case blockcodec.Bzip2:
		return "bzip2"
	}
	return "null"
}

// refuseImpala names the dialect of early Impala, which shares the header but stores Dremel levels.
func refuseImpala(m Meta) error {
	for _, k := range []string{"trevni.definition", "trevni.repetition"} {
		if _, ok := m.Get(k); ok {
			return fmt.Errorf("%s: the Impala dialect of Trevni (Dremel levels) is not read", k)
		}
	}
	switch t := m.Text(KeyType); t {
	case "fixed8", "fixed16", "timestamp":
		return fmt.Errorf("%s %q: the Impala dialect of Trevni is not read", KeyType, t)
	}
	return nil
}

func at(off int64, e *errs.Error) error {
	e.Off = off
	return e
}

// AppendHeader writes everything in front of the columns. Column starts are relative to the end of the header; the
// header's own size is added.
func AppendHeader(dst []byte, h *Header) []byte {
	begin := len(dst)
	dst = append(dst, Magic...)
	dst = append(dst, Version)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Rows))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(h.Columns)))
	dst = appendMeta(dst, h.Meta)
	for i := range h.Columns {
		dst = appendMeta(dst, h.Columns[i].Meta)
	}
	size := int64(len(dst)-begin) + 8*int64(len(h.Columns))
	for i := range h.Columns {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Columns[i].Start+size))
	}
	return dst
}
