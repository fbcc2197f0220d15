package iceberg

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Kind is what a type is.
type Kind uint8

// Kinds.
const (
	Unknown Kind = iota // no value but null, and no column in files
	Boolean
	Int
	Long
	Float
	Double
	Decimal
	Date
	Time
	Timestamp
	TimestampTZ
	TimestampNS
	TimestampTZNS
	String
	UUID
	Fixed
	Binary
	Struct
	List
	Map
)

var kindNames = [...]string{
	Unknown: "unknown", Boolean: "boolean", Int: "int", Long: "long", Float: "float", Double: "double", Decimal: "decimal", Date: "date",
	Time: "time", Timestamp: "timestamp", TimestampTZ: "timestamptz", TimestampNS: "timestamp_ns", TimestampTZNS: "timestamptz_ns",
	String: "string", UUID: "uuid", Fixed: "fixed", Binary: "binary", Struct: "struct", List: "list", Map: "map",
}

// String returns Iceberg's word for the kind.
func (k Kind) String() string { return kindNames[k] }

// Type is a type. A struct has fields, a list one, named ElementName, and a map two, named KeyName and ValueName.
type Type struct {
	Kind             Kind
	Precision, Scale int32 // of decimals
	Length           int32 // of fixed
	Fields           []Field
}

// Field is a field of a struct, the elements of a list, or the keys or values of a map.
type Field struct {
	ID       int32
	Name     string
	Required bool
	Type     Type
	Default  json.RawMessage // initial-default, a single value in JSON; nil = null
	Write    json.RawMessage // write-default, likewise: of rows that are written without the field
}

// Names of what lists and maps hold, in mappings of names and in Iceberg's paths.
const (
	ElementName = "element"
	KeyName     = "key"
	ValueName   = "value"
)

// Table is what the metadata of a table say of its columns.
type Table struct {
	Current []Field   // of the current schema
	Older   [][]Field // of the others, the latest last
	Mapping []Name    // of the property schema.name-mapping.default; nil = there is none
}

// mappingProperty is the property of tables that holds a mapping of names.
const mappingProperty = "schema.name-mapping.default"

// most bounds fields of a schema, deepest how far they are inside one another.
const most, deepest = 65536, 64

// Parse reads the metadata of a table, of which the current schema counts, or a schema alone. Errors are
// errs.ErrOption.
func Parse(text []byte) (*Table, error) {
	var doc struct {
		Type    json.RawMessage            `json:"type"`
		Schema  json.RawMessage            `json:"schema"` // of version 1
		Schemas []json.RawMessage          `json:"schemas"`
		Current *int64                     `json:"current-schema-id"`
		Props   map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, bad("no JSON of an Iceberg schema or table: %w", err)
	}
	t := &Table{}
	switch {
	case doc.Type != nil:
		var err error
		t.Current, err = parseSchema(text)
		return t, err
	case len(doc.Schemas) > 0:
		if doc.Current == nil {
			return nil, bad("the table's metadata have schemas, and no current-schema-id")
		}
		if err := t.choose(doc.Schemas, *doc.Current); err != nil {
			return nil, err
		}
	case doc.Schema != nil:
		var err error
		if t.Current, err = parseSchema(doc.Schema); err != nil {
			return nil, err
		}
	default:
		return nil, bad(`neither a schema, {"type": "struct", "fields": [...]}, nor the metadata of a table, which have "schemas"`)
	}
	if raw, ok := doc.Props[mappingProperty]; ok {
		var mapping string
		if err := json.Unmarshal(raw, &mapping); err != nil {
			return nil, bad("property %s is no text", mappingProperty)
		}
		var err error
		t.Mapping, err = ParseNames([]byte(mapping))
		return t, err
	}
	return t, nil
}

func (t *Table) choose(schemas []json.RawMessage, current int64) error {
	found := false
	for _, raw := range schemas {
		var id struct {
			ID int64 `json:"schema-id"`
		}
		if err := json.Unmarshal(raw, &id); err != nil {
			return bad("a schema of the table: %w", err)
		}
		fields, err := parseSchema(raw)
		if err != nil {
			if id.ID != current {
				continue // nothing depends on it
			}
			return err
		}
		switch {
		case id.ID != current:
			t.Older = append(t.Older, fields)
		case found:
			return bad("two schemas have the id %d", current)
		default:
			t.Current, found = fields, true
		}
	}
	if !found {
		return bad("the current schema is %d, which the table does not have's", current)
	}
	return nil
}

func bad(format string, args ...any) error { return errs.Errorf(errs.ErrOption, format, args...) }

// rawField is the JSON of a field of a struct.
type rawField struct {
	ID       *int64          `json:"id"`
	Name     *string         `json:"name"`
	Required bool            `json:"required"`
	Type     json.RawMessage `json:"type"`
	Default  json.RawMessage `json:"initial-default"`
	Write    json.RawMessage `json:"write-default"`
}

// rawType is the JSON of a type with others inside.
type rawType struct {
	Type            string          `json:"type"`
	Fields          []rawField      `json:"fields"`
	ElementID       *int64          `json:"element-id"`
	Element         json.RawMessage `json:"element"`
	ElementRequired bool            `json:"element-required"`
	KeyID           *int64          `json:"key-id"`
	Key             json.RawMessage `json:"key"`
	ValueID         *int64          `json:"value-id"`
	Value           json.RawMessage `json:"value"`
	ValueRequired   bool            `json:"value-required"`
}

// parser reads one schema.
type parser struct{ ids map[int32]string }

func parseSchema(text []byte) ([]Field, error) {
	p := parser{ids: map[int32]string{}}
	t, err := p.parse(text, "", 0)
	if err == nil && t.Kind != Struct {
		err = bad("a schema is a struct, not %s", t.Kind)
	}
	return t.Fields, err
}

// notRead are the words of types of format version 3 that are not read.
var notRead = []string{"variant", "geometry", "geography"}

var (
	decimalForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^decimal\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)$`) })
	fixedForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^fixed\[\s*(\d{1,9})\s*\]$`) })
)

// parse reads a type; path names it in errors.
func (p *parser) parse(text []byte, path string, depth int) (t Type, err error) {
	fail := func(format string, args ...any) (Type, error) {
		e := errs.Errorf(errs.ErrOption, "the schema: "+format, args...)
		e.Column = path
		return Type{}, e
	}
	if depth > deepest {
		return fail("more than %d types inside one another", deepest)
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return fail("there is no type")
	}
	if text[0] == '"' {
		var name string
		if err := json.Unmarshal(text, &name); err != nil {
			return fail("%w", err)
		}
		t, ok := plainType(name)
		if word := strings.TrimRight(strings.SplitN(name, "(", 2)[0], " "); slices.Contains(notRead, word) {
			e := errs.Errorf(errs.ErrUnsupported, "the schema: the type %.100q is not read", name)
			e.Column = path
			return Type{}, e
		}
		if !ok {
			return fail("there is no type %q", name)
		}
		return t, nil
	}
	var raw rawType
	if err := json.Unmarshal(text, &raw); err != nil {
		return fail("%w", err)
	}
	add := func(id *int64, name string, required bool, typ, def, write json.RawMessage) error {
		f := Field{Name: name, Required: required, Default: def, Write: write}
		at := name
		if path != "" {
			at = path + "." + name
		}
		if f.ID, err = p.id(id, at); err != nil {
			return err
		}
		if f.Type, err = p.parse(typ, at, depth+1); err != nil {
			return err
		}
		if bytes.Equal(bytes.TrimSpace(def), []byte("null")) {
			f.Default = nil
		}
		if bytes.Equal(bytes.TrimSpace(write), []byte("null")) {
			f.Write = nil
		}
		t.Fields = append(t.Fields, f)
		return nil
	}
	switch raw.Type {
	case "struct":
		t.Kind = Struct
		names := map[string]bool{}
		for _, f := range raw.Fields {
			if f.Name == nil || names[*f.Name] {
				return fail("a field has no name, or the name of another field")
			}
			names[*f.Name] = true
			if err := add(f.ID, *f.Name, f.Required, f.Type, f.Default, f.Write); err != nil {
				return t, err
			}
		}
		return t, nil
	case "list":
		t.Kind = List
		return t, add(raw.ElementID, ElementName, raw.ElementRequired, raw.Element, nil, nil)
	case "map":
		t.Kind = Map
		if err := add(raw.KeyID, KeyName, true, raw.Key, nil, nil); err != nil {
			return t, err
		}
		return t, add(raw.ValueID, ValueName, raw.ValueRequired, raw.Value, nil, nil)
	}
	return fail("there is no type %q with others inside", raw.Type)
}

func (p *parser) id(id *int64, path string) (int32, error) {
	fail := func(format string, args ...any) error {
		e := errs.Errorf(errs.ErrOption, "the schema: "+format, args...)
		e.Column = path
		return e
	}
	if id == nil || *id < 0 || *id != int64(int32(*id)) {
		return 0, fail("the field has no id")
	}
	n := int32(*id)
	if other, ok := p.ids[n]; ok {
		return 0, fail("%s has the same id %d", other, n)
	}
	if p.ids[n] = path; len(p.ids) > most {
		return 0, fail("more than %d fields", most)
	}
	return n, nil
}

// plainType reads the name of a type without others inside.
func plainType(name string) (Type, bool) {
	for k, n := range kindNames {
		if n == name && k < int(Struct) && k != int(Decimal) && k != int(Fixed) {
			return Type{Kind: Kind(k)}, true
		}
	}
	if m := decimalForm().FindStringSubmatch(name); m != nil {
		p, s := number(m[1]), number(m[2])
		return Type{Kind: Decimal, Precision: p, Scale: s}, p >= 1 && p <= 38 && s <= p
	}
	if m := fixedForm().FindStringSubmatch(name); m != nil {
		n := number(m[1])
		return Type{Kind: Fixed, Length: n}, n >= 1
	}
	return Type{}, false
}

// number reads at most nine digits.
func number(s string) int32 {
	n, _ := strconv.ParseInt(s, 10, 32) // the form has digits alone
	return int32(n)
}

// String returns the type as Iceberg writes it: "decimal(9, 2)". What is inside others is not told.
func (t Type) String() string {
	switch t.Kind {
	case Decimal:
		return "decimal(" + strconv.Itoa(int(t.Precision)) + ", " + strconv.Itoa(int(t.Scale)) + ")"
	case Fixed:
		return "fixed[" + strconv.Itoa(int(t.Length)) + "]"
	}
	return t.Kind.String()
}

// Find returns the path of a field below structs: its position among fields, then in the struct there, and so on; nil
// where there is no such id there.
func Find(fields []Field, id int32) []int {
	for i := range fields {
		if fields[i].ID == id {
			return []int{i}
		}
		if fields[i].Type.Kind == Struct {
			if at := Find(fields[i].Type.Fields, id); at != nil {
				return append([]int{i}, at...)
			}
		}
	}
	return nil
}

// Pick returns the fields with some ids, with the structs that they are in, none of them required; nil = fields lacks one of them,
// or one is no single value.
func Pick(fields []Field, ids []int32) []Field {
	for _, id := range ids {
		in := fields
		at := Find(fields, id)
		for i, k := range at {
			if i == len(at)-1 && in[k].Type.Kind >= Struct {
				return nil
			}
			in = in[k].Type.Fields
		}
		if at == nil {
			return nil
		}
	}
	return pick(fields, ids)
}

func pick(fields []Field, ids []int32) []Field {
	var out []Field
	for _, f := range fields {
		f.Required = false
		if !slices.Contains(ids, f.ID) {
			if f.Type.Kind != Struct {
				continue
			}
			if f.Type.Fields = pick(f.Type.Fields, ids); len(f.Type.Fields) == 0 {
				continue
			}
		}
		out = append(out, f)
	}
	return out
}
