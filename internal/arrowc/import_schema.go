package arrowc

// #include "arrowc.h"
//
// static void arrowc_drop_schema(struct ArrowSchema *s) { if (s->release) s->release(s); }
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// maxDepth bounds the recursion into types.
const maxDepth = 200

// maxChildren bounds how many children a type may say that it has.
const maxChildren = 1 << 20

// importField reads a field, without releasing it. v15 does so, too, but loses the names and nullability of a map's
// children and the order of dictionaries, and panics on formats that are cut short.
func importField(in *C.struct_ArrowSchema, depth int) (f arrow.Field, err error) {
	bad := func(text string) error {
		return errs.Errorf(errs.ErrSchema, "column %s: %s", f.Name, text)
	}
	if in == nil || in.format == nil {
		return f, bad("a type without a format")
	}
	if in.name != nil {
		f.Name = C.GoString(in.name)
	}
	if depth > maxDepth || in.n_children < 0 || in.n_children > maxChildren || in.n_children > 0 && in.children == nil {
		return f, bad("a type that is nested too deep or has no children where it should")
	}
	f.Nullable = in.flags&C.ARROW_FLAG_NULLABLE != 0
	if f.Metadata, err = decodeMetadata(unsafe.Pointer(in.metadata)); err != nil {
		return f, err
	}
	var children []arrow.Field
	if in.n_children > 0 {
		for _, c := range unsafe.Slice(in.children, in.n_children) {
			child, err := importField(c, depth+1)
			if err != nil {
				return f, err
			}
			children = append(children, child)
		}
	}
	format := C.GoString(in.format)
	if f.Type = typeOf(format, children, int64(in.flags)); f.Type == nil {
		return f, errs.Errorf(errs.ErrUnsupported, "column %s: values of the type %s cannot be read%s", f.Name, nameOf(format), insteadOf(format))
	}
	if in.dictionary != nil {
		if !arrow.IsInteger(f.Type.ID()) {
			return f, bad("a dictionary whose indexes are no integers")
		}
		values, err := importField(in.dictionary, depth+1)
		if err != nil {
			return f, err
		}
		f.Type = &arrow.DictionaryType{IndexType: f.Type, ValueType: values.Type, Ordered: in.flags&C.ARROW_FLAG_DICTIONARY_ORDERED != 0}
	}
	return f, nil
}

// nameOf returns what a format that v15 does not know is called.
func nameOf(format string) string {
	kind, rest, _ := strings.Cut(format, ":")
	n := strings.Split(rest, ",")
	switch {
	case kind == "d" && len(n) == 3:
		return fmt.Sprintf("decimal%s(%s, %s)", n[2], n[0], n[1])
	case format == "_pli128":
		return "Int128 of polars"
	case format == "_plu128":
		return "UInt128 of polars"
	}
	return strconv.Quote(format) + " (of the C data interface)"
}

// insteadOf returns what to do about a format that v15 does not know.
func insteadOf(format string) string {
	if strings.HasPrefix(format, "d:") && (strings.HasSuffix(format, ",32") || strings.HasSuffix(format, ",64")) {
		return ": cast it to decimal128"
	}
	if format == "_pli128" || format == "_plu128" {
		return ": cast it to a decimal"
	}
	return ""
}

// fixed are the types of formats without parameters.
var fixed = map[string]arrow.DataType{
	"n": arrow.Null, "b": arrow.FixedWidthTypes.Boolean,
	"c": arrow.PrimitiveTypes.Int8, "C": arrow.PrimitiveTypes.Uint8, "s": arrow.PrimitiveTypes.Int16, "S": arrow.PrimitiveTypes.Uint16,
	"i": arrow.PrimitiveTypes.Int32, "I": arrow.PrimitiveTypes.Uint32, "l": arrow.PrimitiveTypes.Int64, "L": arrow.PrimitiveTypes.Uint64,
	"e": arrow.FixedWidthTypes.Float16, "f": arrow.PrimitiveTypes.Float32, "g": arrow.PrimitiveTypes.Float64,
	"z": arrow.BinaryTypes.Binary, "Z": arrow.BinaryTypes.LargeBinary, "u": arrow.BinaryTypes.String, "U": arrow.BinaryTypes.LargeString,
	"vz": arrow.BinaryTypes.BinaryView, "vu": arrow.BinaryTypes.StringView,
	"tdD": arrow.FixedWidthTypes.Date32, "tdm": arrow.FixedWidthTypes.Date64,
	"tts": arrow.FixedWidthTypes.Time32s, "ttm": arrow.FixedWidthTypes.Time32ms,
	"ttu": arrow.FixedWidthTypes.Time64us, "ttn": arrow.FixedWidthTypes.Time64ns,
	"tDs": arrow.FixedWidthTypes.Duration_s, "tDm": arrow.FixedWidthTypes.Duration_ms,
	"tDu": arrow.FixedWidthTypes.Duration_us, "tDn": arrow.FixedWidthTypes.Duration_ns,
	"tiM": arrow.FixedWidthTypes.MonthInterval, "tiD": arrow.FixedWidthTypes.DayTimeInterval, "tin": arrow.FixedWidthTypes.MonthDayNanoInterval,
}

var unitOf = map[string]arrow.TimeUnit{"s": arrow.Second, "m": arrow.Millisecond, "u": arrow.Microsecond, "n": arrow.Nanosecond}

// typeOf returns the type of a format; nil = there is none, or none that v15 knows.
func typeOf(format string, children []arrow.Field, flags int64) arrow.DataType {
	if t, ok := fixed[format]; ok {
		if len(children) > 0 {
			return nil
		}
		return t
	}
	kind, rest, _ := strings.Cut(format, ":")
	switch {
	case len(kind) == 3 && kind[:2] == "ts":
		if u, ok := unitOf[kind[2:]]; ok {
			return &arrow.TimestampType{Unit: u, TimeZone: rest}
		}
	case kind == "w":
		if n, err := strconv.ParseInt(rest, 10, 32); err == nil && n >= 0 {
			return &arrow.FixedSizeBinaryType{ByteWidth: int(n)}
		}
	case kind == "d":
		return decimalOf(rest)
	case strings.HasPrefix(kind, "+"):
		return nestedOf(kind, rest, children, flags)
	}
	return nil
}

func decimalOf(text string) arrow.DataType {
	parts := strings.Split(text, ",")
	if len(parts) == 2 {
		parts = append(parts, "128")
	}
	if len(parts) != 3 {
		return nil
	}
	var n [3]int64
	for i, p := range parts {
		v, err := strconv.ParseInt(p, 10, 32)
		if err != nil {
			return nil
		}
		n[i] = v
	}
	switch {
	case n[2] == 128 && n[0] >= 1 && n[0] <= 38:
		return &arrow.Decimal128Type{Precision: int32(n[0]), Scale: int32(n[1])}
	case n[2] == 256 && n[0] >= 1 && n[0] <= 76:
		return &arrow.Decimal256Type{Precision: int32(n[0]), Scale: int32(n[1])}
	}
	return nil
}

func nestedOf(kind, rest string, children []arrow.Field, flags int64) arrow.DataType {
	one := len(children) == 1
	switch {
	case kind == "+s":
		return arrow.StructOf(children...)
	case kind == "+l" && one:
		return arrow.ListOfField(children[0])
	case kind == "+L" && one:
		return arrow.LargeListOfField(children[0])
	case kind == "+vl" && one:
		return arrow.ListViewOfField(children[0])
	case kind == "+vL" && one:
		return arrow.LargeListViewOfField(children[0])
	case kind == "+w" && one:
		if n, err := strconv.ParseInt(rest, 10, 32); err == nil && n > 0 { // arrow's package panics at 0
			return arrow.FixedSizeListOfField(int32(n), children[0])
		}
	case kind == "+m" && one:
		entries, ok := children[0].Type.(*arrow.StructType)
		if !ok || entries.NumFields() != 2 {
			return nil
		}
		m := arrow.MapOfWithMetadata(entries.Field(0).Type, entries.Field(0).Metadata, entries.Field(1).Type, entries.Field(1).Metadata)
		m.KeysSorted = flags&C.ARROW_FLAG_MAP_KEYS_SORTED != 0
		m.SetItemNullable(entries.Field(1).Nullable)
		return m
	case kind == "+r" && len(children) == 2:
		switch children[0].Type.ID() {
		case arrow.INT16, arrow.INT32, arrow.INT64:
			return arrow.RunEndEncodedOf(children[0].Type, children[1].Type)
		}
	case kind == "+ud" || kind == "+us":
		var codes []arrow.UnionTypeCode
		for _, p := range strings.Split(rest, ",") {
			if rest == "" {
				break
			}
			v, err := strconv.ParseInt(p, 10, 8)
			if err != nil || v < 0 {
				return nil
			}
			codes = append(codes, arrow.UnionTypeCode(v))
		}
		if len(codes) != len(children) {
			return nil
		}
		if kind == "+ud" {
			return arrow.DenseUnionOf(children, codes)
		}
		return arrow.SparseUnionOf(children, codes)
	}
	return nil
}

// decodeMetadata reads what encodeMetadata makes. Nothing says where it ends, so its own lengths are all there is.
func decodeMetadata(p unsafe.Pointer) (md arrow.Metadata, err error) {
	if p == nil {
		return md, nil
	}
	read := func() (n int, ok bool) {
		v := binary.NativeEndian.Uint32(unsafe.Slice((*byte)(p), 4))
		p = unsafe.Add(p, 4)
		return int(v), v <= math.MaxInt32
	}
	pairs, ok := read()
	if !ok {
		return md, errs.Errorf(errs.ErrSchema, "metadata of a negative number of entries")
	}
	var texts []string
	for range 2 * pairs {
		n, ok := read()
		if !ok {
			return md, errs.Errorf(errs.ErrSchema, "metadata of negative length")
		}
		texts = append(texts, string(unsafe.Slice((*byte)(p), n)))
		p = unsafe.Add(p, n)
	}
	var keys, values []string
	for i := 0; i < len(texts); i += 2 {
		keys, values = append(keys, texts[i]), append(values, texts[i+1])
	}
	return arrow.NewMetadata(keys, values), nil
}

// ImportSchema reads the fields of a struct ArrowSchema of rows, and releases it.
func ImportSchema(schema unsafe.Pointer) (*arrow.Schema, error) {
	in := (*C.struct_ArrowSchema)(schema)
	defer C.arrowc_drop_schema(in)
	f, err := importField(in, 0)
	if err != nil {
		return nil, err
	}
	st, ok := f.Type.(*arrow.StructType)
	if !ok {
		return nil, errs.Errorf(errs.ErrSchema, "a schema of %s, not of rows", f.Type)
	}
	return arrow.NewSchema(st.Fields(), &f.Metadata), nil
}
