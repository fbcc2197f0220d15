package readas

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Options say how ORC's types are shown, where the text leaves it open.
type Options struct {
	Unit            arrow.TimeUnit // of timestamps
	StringsAsBinary bool
	NullKeysAsList  bool
}

// Schema reads a schema: {"fields": [{"name", "type", "nullable", "metadata", "fields", "default"}], "metadata"} with
// types named as Arrow names them, all but name and type optional, or "struct<a:int,b:string>" in ORC's notation. A
// default is the value in JSON of rows from files without the field (view.MetaDefault). Errors are
// errs.ErrOption.
func Schema(text string, o Options) (*arrow.Schema, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return fromJSON(text)
	}
	t, err := orcwire.ParseType(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	if t.Kind != orcwire.Struct {
		return nil, errs.Errorf(errs.ErrOption, "a schema is a struct, not %s", t.Kind)
	}
	return orcwire.Schema(&orcwire.Footer{Types: []*orcwire.Type{t}}, orcwire.ArrowOptions{
		TimestampUnit: o.Unit, StringsAsBinary: o.StringsAsBinary, NullKeysAsList: o.NullKeysAsList,
	})
}

// field is the JSON of a field.
type field struct {
	Name     string                     `json:"name"`
	Type     string                     `json:"type"`
	Nullable *bool                      `json:"nullable"`
	Metadata map[string]json.RawMessage `json:"metadata"`
	Fields   []field                    `json:"fields"`
	Default  json.RawMessage            `json:"default"`
}

func fromJSON(text string) (*arrow.Schema, error) {
	var doc struct {
		Fields   []field                    `json:"fields"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "the schema is no JSON of one: %w", err)
	}
	if doc.Fields == nil {
		return nil, errs.Errorf(errs.ErrOption, `the schema has no "fields"`)
	}
	fields, err := fieldsOf(doc.Fields)
	if err != nil {
		return nil, err
	}
	md, err := metadataOf(doc.Metadata)
	if err != nil {
		return nil, err
	}
	return arrow.NewSchema(fields, &md), nil
}

func fieldsOf(in []field) ([]arrow.Field, error) {
	out := make([]arrow.Field, len(in))
	for i, f := range in {
		children, err := fieldsOf(f.Fields)
		if err == nil {
			out[i] = arrow.Field{Name: f.Name, Nullable: f.Nullable == nil || *f.Nullable}
			out[i].Type, err = typeOf(f.Type, children)
		}
		if err == nil {
			out[i].Metadata, err = metadataOf(f.Metadata)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if f.Default != nil {
			md := out[i].Metadata
			out[i].Metadata = arrow.NewMetadata(append(md.Keys(), view.MetaDefault), append(md.Values(), string(f.Default)))
		}
	}
	return out, nil
}

// metadataOf reads text, or {"base64": …} of bytes that are none.
func metadataOf(in map[string]json.RawMessage) (arrow.Metadata, error) {
	m := make(map[string]string, len(in))
	for k, raw := range in {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			m[k] = text
			continue
		}
		var doc struct {
			Base64 *string `json:"base64"`
		}
		if json.Unmarshal(raw, &doc) != nil || doc.Base64 == nil {
			return arrow.Metadata{}, errs.Errorf(errs.ErrOption, "metadata %q is no text", k)
		}
		b, err := base64.StdEncoding.DecodeString(*doc.Base64)
		if err != nil {
			return arrow.Metadata{}, errs.Errorf(errs.ErrOption, "metadata %q: %w", k, err)
		}
		m[k] = string(b)
	}
	return arrow.MetadataFrom(m), nil
}

var plain = func() map[string]arrow.DataType {
	out := map[string]arrow.DataType{}
	for _, t := range []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32,
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
		arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms,
		arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Duration_s,
		arrow.FixedWidthTypes.Duration_ms, arrow.FixedWidthTypes.Duration_us, arrow.FixedWidthTypes.Duration_ns,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
	} {
		out[t.String()] = t
	}
	return out
}()

var (
	timestampForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^timestamp\[(s|ms|us|ns)(?:, tz=(.+))?\]$`) })
	decimalForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^decimal(128|256)?\((\d+), ?(-?\d+)\)$`) })
	sizedForm      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(fixed_size_binary|fixed_size_list)\[(\d+)\]$`) })
	dictionaryForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^dictionary<values=(.+), indices=(\w+), ordered=(true|false)>$`)
	})
)

func typeOf(name string, children []arrow.Field) (arrow.DataType, error) {
	bad := func(why string) (arrow.DataType, error) {
		return nil, errs.Errorf(errs.ErrOption, "type %q: %s", name, why)
	}
	switch name {
	case "struct":
		return arrow.StructOf(children...), nil
	case "list", "large_list", "list_view", "large_list_view":
		if len(children) != 1 {
			return bad("a list has one field")
		}
		switch item := children[0]; name {
		case "list":
			return arrow.ListOfField(item), nil
		case "large_list":
			return arrow.LargeListOfField(item), nil
		case "list_view":
			return arrow.ListViewOfField(item), nil
		default:
			return arrow.LargeListViewOfField(item), nil
		}
	case "run_end_encoded":
		if len(children) != 2 || !slices.Contains([]arrow.Type{arrow.INT16, arrow.INT32, arrow.INT64}, children[0].Type.ID()) {
			return bad("runs must have two fields, and the first must be int16, int32 or int64")
		}
		t := arrow.RunEndEncodedOf(children[0].Type, children[1].Type)
		t.ValueNullable = children[1].Nullable
		return t, nil
	case "map":
		if len(children) != 2 || children[0].Nullable {
			return bad("a map must have two fields, and the first must not be nullable")
		}
		m := arrow.MapOfWithMetadata(children[0].Type, children[0].Metadata, children[1].Type, children[1].Metadata)
		m.SetItemNullable(children[1].Nullable)
		return m, nil
	case "dense_union", "sparse_union":
		if len(children) == 0 || len(children) > 128 {
			return bad("a union has 1 to 128 fields")
		}
		codes := make([]arrow.UnionTypeCode, len(children))
		for i := range codes {
			codes[i] = arrow.UnionTypeCode(i)
		}
		if name == "dense_union" {
			return arrow.DenseUnionOf(children, codes), nil
		}
		return arrow.SparseUnionOf(children, codes), nil
	}
	if m := sizedForm().FindStringSubmatch(name); m != nil {
		n, err := strconv.ParseInt(m[2], 10, 32)
		switch {
		case err != nil:
			return bad("too large")
		case m[1] == "fixed_size_binary" && len(children) == 0:
			return &arrow.FixedSizeBinaryType{ByteWidth: int(n)}, nil
		case m[1] == "fixed_size_list" && len(children) == 1 && n > 0:
			return arrow.FixedSizeListOfField(int32(n), children[0]), nil
		}
		return bad("a list has one field, and bytes have none")
	}
	if len(children) > 0 {
		return bad("there are no fields in it")
	}
	if t, ok := plain[name]; ok {
		return t, nil
	}
	if m := timestampForm().FindStringSubmatch(name); m != nil {
		unit := map[string]arrow.TimeUnit{"s": arrow.Second, "ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond}[m[1]]
		return &arrow.TimestampType{Unit: unit, TimeZone: m[2]}, nil
	}
	if m := decimalForm().FindStringSubmatch(name); m != nil {
		p, err := strconv.ParseInt(m[2], 10, 32)
		s, err2 := strconv.ParseInt(m[3], 10, 32)
		switch {
		case err != nil || err2 != nil || p < 1 || p > 76 || s > p:
			return bad("there is no such decimal")
		case m[1] == "256" || p > 38:
			return &arrow.Decimal256Type{Precision: int32(p), Scale: int32(s)}, nil
		}
		return &arrow.Decimal128Type{Precision: int32(p), Scale: int32(s)}, nil
	}
	if m := dictionaryForm().FindStringSubmatch(name); m != nil {
		values, err := typeOf(m[1], nil)
		index, ok := plain[m[2]]
		if err != nil || !ok || !arrow.IsInteger(index.ID()) {
			return bad("there is no such dictionary")
		}
		return &arrow.DictionaryType{IndexType: index, ValueType: values, Ordered: m[3] == "true"}, nil
	}
	return bad("no type has this name")
}
