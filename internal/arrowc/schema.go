package arrowc

// #include "arrowc.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

const schemaSize = int(unsafe.Sizeof(C.struct_ArrowSchema{}))

// node is a field on its way to C.
type node struct {
	format, name, metadata string
	flags                  int
	children               []node
	dictionary             *node
}

// ExportSchema fills out, a struct ArrowSchema, with a schema as the struct of its fields; the caller of C releases it.
func ExportSchema(s *arrow.Schema, out unsafe.Pointer) error {
	root, err := newNode(arrow.Field{Type: arrow.StructOf(s.Fields()...), Metadata: s.Metadata()})
	if err != nil {
		return err
	}
	b, shared := newBlock(root.bytes())
	tmp := (*C.struct_ArrowSchema)(b.take(schemaSize))
	root.export(&b, shared, tmp)
	*(*[unsafe.Sizeof(C.struct_ArrowSchema{})]byte)(out) = *(*[unsafe.Sizeof(C.struct_ArrowSchema{})]byte)(unsafe.Pointer(tmp))
	return nil
}

func (n *node) bytes() int {
	size := schemaSize + len(n.format) + len(n.name) + len(n.metadata) + 3 + 7 + len(n.children)*pointerSize
	for i := range n.children {
		size += n.children[i].bytes()
	}
	if n.dictionary != nil {
		size += n.dictionary.bytes()
	}
	return size
}

// export fills out. Structures and pointers come first in the block, texts where they come: nothing needs to be aligned
// behind one.
func (n *node) export(b *block, shared *C.struct_arrowc_shared, out *C.struct_ArrowSchema) {
	out.flags = C.int64_t(n.flags)
	if c := len(n.children); c > 0 {
		nodes := unsafe.Slice((*C.struct_ArrowSchema)(b.take(c*schemaSize)), c)
		pointers := unsafe.Slice((**C.struct_ArrowSchema)(b.take(c*pointerSize)), c)
		for i := range nodes {
			pointers[i] = &nodes[i]
			n.children[i].export(b, shared, &nodes[i])
		}
		out.n_children, out.children = C.int64_t(c), unsafe.SliceData(pointers)
	}
	if n.dictionary != nil {
		out.dictionary = (*C.struct_ArrowSchema)(b.take(schemaSize))
		n.dictionary.export(b, shared, out.dictionary)
	}
	out.format, out.name = b.text(n.format), b.text(n.name)
	if n.metadata != "" {
		out.metadata = b.text(n.metadata)
	}
	b.next = min((b.next+7)&^7, b.size)
	C.arrowc_own_schema(out, shared)
}

func newNode(f arrow.Field) (n node, err error) {
	n.name = f.Name
	if f.Nullable {
		n.flags |= C.ARROW_FLAG_NULLABLE
	}
	md := f.Metadata
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		md = withExtension(md, e)
	}
	n.metadata = encodeMetadata(md)
	t := arrowtype.Storage(f.Type)
	if d, ok := t.(*arrow.DictionaryType); ok {
		if d.Ordered {
			n.flags |= C.ARROW_FLAG_DICTIONARY_ORDERED
		}
		values, err := newNode(arrow.Field{Type: d.ValueType, Nullable: true})
		if err != nil {
			return n, err
		}
		n.dictionary = &values
		t = d.IndexType
	}
	if n.format, err = formatOf(t); err != nil {
		return n, fmt.Errorf("column %s: %w", f.Name, err)
	}
	var fields []arrow.Field
	switch t := t.(type) {
	case *arrow.MapType:
		if t.KeysSorted {
			n.flags |= C.ARROW_FLAG_MAP_KEYS_SORTED
		}
		fields = t.Fields()
	case *arrow.RunEndEncodedType:
		fields = []arrow.Field{{Name: "run_ends", Type: t.RunEnds()}, {Name: "values", Type: t.Encoded(), Nullable: true}}
	case arrow.NestedType:
		fields = t.Fields()
	}
	for _, c := range fields {
		child, err := newNode(c)
		if err != nil {
			return n, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

// withExtension adds the two entries that make a field's type an extension.
func withExtension(md arrow.Metadata, e arrow.ExtensionType) arrow.Metadata {
	keys, values := md.Keys(), md.Values()
	for _, kv := range [][2]string{{ipc.ExtensionTypeKeyName, e.ExtensionName()}, {ipc.ExtensionMetadataKeyName, e.Serialize()}} {
		if md.FindKey(kv[0]) < 0 {
			keys, values = append(keys, kv[0]), append(values, kv[1])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// encodeMetadata is the C data interface's own form: a count, then lengths and bytes in turn, all int32 of the machine.
func encodeMetadata(md arrow.Metadata) string {
	if md.Len() == 0 {
		return ""
	}
	b := binary.NativeEndian.AppendUint32(nil, uint32(md.Len()))
	for i, k := range md.Keys() {
		for _, s := range [2]string{k, md.Values()[i]} {
			b = binary.NativeEndian.AppendUint32(b, uint32(len(s)))
			b = append(b, s...)
		}
	}
	return string(b)
}

// simple are the formats of types without parameters.
var simple = map[arrow.Type]string{
	arrow.NULL: "n", arrow.BOOL: "b", arrow.INT8: "c", arrow.UINT8: "C", arrow.INT16: "s", arrow.UINT16: "S",
	arrow.INT32: "i", arrow.UINT32: "I", arrow.INT64: "l", arrow.UINT64: "L", arrow.FLOAT16: "e", arrow.FLOAT32: "f",
	arrow.FLOAT64: "g", arrow.BINARY: "z", arrow.LARGE_BINARY: "Z", arrow.STRING: "u", arrow.LARGE_STRING: "U",
	arrow.BINARY_VIEW: "vz", arrow.STRING_VIEW: "vu", arrow.DATE32: "tdD", arrow.DATE64: "tdm",
	arrow.INTERVAL_MONTHS: "tiM", arrow.INTERVAL_DAY_TIME: "tiD", arrow.INTERVAL_MONTH_DAY_NANO: "tin",
	arrow.LIST: "+l", arrow.LARGE_LIST: "+L", arrow.LIST_VIEW: "+vl", arrow.LARGE_LIST_VIEW: "+vL",
	arrow.STRUCT: "+s", arrow.MAP: "+m", arrow.RUN_END_ENCODED: "+r",
}

// units are the letters of time units, in the order of arrow.TimeUnit.
var units = [...]string{arrow.Second: "s", arrow.Millisecond: "m", arrow.Microsecond: "u", arrow.Nanosecond: "n"}

// formatOf returns the format string of a type.
func formatOf(t arrow.DataType) (string, error) {
	if f, ok := simple[t.ID()]; ok {
		return f, nil
	}
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		return "w:" + strconv.Itoa(t.ByteWidth), nil
	case *arrow.Decimal128Type:
		return fmt.Sprintf("d:%d,%d", t.Precision, t.Scale), nil
	case *arrow.Decimal256Type:
		return fmt.Sprintf("d:%d,%d,256", t.Precision, t.Scale), nil
	case *arrow.Time32Type:
		return "tt" + units[t.Unit], nil
	case *arrow.Time64Type:
		return "tt" + units[t.Unit], nil
	case *arrow.TimestampType:
		return "ts" + units[t.Unit] + ":" + t.TimeZone, nil
	case *arrow.DurationType:
		return "tD" + units[t.Unit], nil
	case *arrow.FixedSizeListType:
		return "+w:" + strconv.Itoa(int(t.Len())), nil
	case arrow.UnionType:
		codes := make([]string, len(t.TypeCodes()))
		for i, c := range t.TypeCodes() {
			codes[i] = strconv.Itoa(int(c))
		}
		mode := "+us:"
		if t.Mode() == arrow.DenseMode {
			mode = "+ud:"
		}
		return mode + strings.Join(codes, ","), nil
	}
	return "", fmt.Errorf("the C data interface has no %s", t)
}
