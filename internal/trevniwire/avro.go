package trevniwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fieldname"
)

// AvroKind is the shape of an Avro schema.
type AvroKind uint8

// Kinds.
const (
	AvroPrimitive AvroKind = iota
	AvroEnum
	AvroFixed
	AvroRecord
	AvroArray
	AvroMap
	AvroUnion
)

// Avro is an Avro schema with every name resolved: a tree, in which a type that is used twice stands twice.
type Avro struct {
	Kind             AvroKind
	Name             string // full name; of an unnamed type the type's own word: "int", "array", "union"
	Type             Type   // how a primitive, enum or fixed is stored
	Logical          string // logicalType as written
	Precision, Scale int    // of a decimal
	Size             int    // of a fixed
	Symbols          []string
	Fields           []AvroField
	Items            *Avro    // of an array or the values of a map
	ItemMeta         []string // of an array or a map: what AvroField.Meta is of a field, for the items or values
	Branches         []*Avro
	// What tables of Iceberg say beside: the ids of items or values, and of keys (properties element-id, value-id, key-id; "" = none),
	// and whether a timestamp is an instant (property adjust-to-utc; nil = it is not said).
	ItemID, KeyID string
	UTC           *bool
}

// AvroField is a field of a record.
type AvroField struct {
	Name  string
	Arrow *string // what Arrow calls it, where that is no Avro name (property PropArrowName)
	Type  *Avro
	// Meta is the metadata of Arrow's field, keys and values in turns as package arrowmeta stores them (property
	// PropArrowMetadata).
	Meta []string
	ID   string // in a table of Iceberg (property field-id); "" = none
}

func (f *AvroField) arrowName() string {
	if f.Arrow != nil {
		return *f.Arrow
	}
	return f.Name
}

// Properties of a field, and of an array or a map for its items, that keep what Avro has no place for.
const (
	PropArrowName     = "arrow.name"     // a name which Avro does not allow
	PropArrowMetadata = "arrow.metadata" // an array of keys and values in turns
)

// metaOf reads the property PropArrowMetadata. What is no list of texts in pairs is not ours.
func metaOf(m map[string]any) []string {
	list, ok := m[PropArrowMetadata].([]any)
	if !ok || len(list)%2 != 0 {
		return nil
	}
	var out []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// Simple reports whether a value of s is stored in a column of its own element (AvroColumnator's simple types).
func (s *Avro) Simple() bool { return s.Kind <= AvroFixed }

// Optional returns the branch of a union of null and one other type, and nil for anything else.
func (s *Avro) Optional() *Avro {
	if s.Kind != AvroUnion || len(s.Branches) != 2 {
		return nil
	}
	for i, b := range s.Branches {
		if b.IsNull() && !s.Branches[1-i].IsNull() {
			return s.Branches[1-i]
		}
	}
	return nil
}

// IsNull reports whether s is the type null.
func (s *Avro) IsNull() bool { return s.Kind == AvroPrimitive && s.Type == Null }

// schemaGrowth is about how much larger than its text a tree of JSON values can be.
const schemaGrowth = 32

// ErrRecursive says that an Avro schema contains itself: such data cannot be shredded into columns.
var ErrRecursive = errors.New("recursive avro schema")

// ParseAvro reads the text of avro.schema into a tree. It is as lenient as Java where nothing depends on it: defaults,
// orders, aliases and unknown attributes are not looked at. Parts and depth are bounded by lim, because a short schema
// can describe exponentially many fields.
func ParseAvro(text []byte, lim errs.Limits) (*Avro, error) {
	if most := lim.MetadataBytes / schemaGrowth; int64(len(text)) > most {
		return nil, errs.Errorf(errs.ErrLimit, "avro.schema of %d bytes is over a part of the limit MetadataBytes: %d", len(text), most)
	}
	d := json.NewDecoder(bytes.NewReader(fieldname.FitJSON(text))) // as the names of columns
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("avro.schema: %w", err)
	}
	depth := 2 * lim.Depth // what may be null is a union
	p := avroParser{named: map[string]*Avro{}, depth: depth}
	s, err := p.parse(v, "", 0)
	if err == nil {
		w := avroWalk{parts: lim.Columns, depth: depth, open: map[*Avro]bool{}}
		err = w.walk(s, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("avro.schema: %w", err)
	}
	return s, nil
}

// avroWalk refuses schemas that contain themselves, and trees that are too large: a named type counts wherever it is
// used.
type avroWalk struct {
	parts, depth int
	open         map[*Avro]bool
}

func (w *avroWalk) walk(s *Avro, depth int) error {
	if w.parts--; w.parts < 0 {
		return errs.Errorf(errs.ErrLimit, "more parts than the limit Columns")
	}
	if w.open[s] {
		return fmt.Errorf("%w: %s contains itself", ErrRecursive, s.Name)
	}
	if depth > w.depth {
		return errs.Errorf(errs.ErrLimit, "nested deeper than the limit Depth = %d", w.depth/2)
	}
	w.open[s] = true
	defer delete(w.open, s)
	for _, f := range s.Fields {
		if err := w.walk(f.Type, depth+1); err != nil {
			return err
		}
	}
	for _, b := range s.Branches {
		if err := w.walk(b, depth+1); err != nil {
			return err
		}
	}
	if s.Items != nil {
		return w.walk(s.Items, depth+1)
	}
	return nil
}

// avroParser resolves names as it goes: a name is known from its definition on, in the order of the text.
type avroParser struct {
	named map[string]*Avro
	depth int
}

// maxBranches is how many children an Arrow union can have.
const maxBranches = 127

var avroPrimitives = map[string]Type{
	"null": Null, "boolean": Boolean, "int": Int, "long": Long, "float": Float, "double": Double, "string": String, "bytes": Bytes,
}

func (p *avroParser) parse(v any, ns string, depth int) (*Avro, error) {
	if depth > p.depth {
		return nil, errs.Errorf(errs.ErrLimit, "nested deeper than the limit Depth = %d", p.depth/2)
	}
	switch v := v.(type) {
	case string:
		if t, ok := avroPrimitives[v]; ok {
			return &Avro{Name: v, Type: t}, nil
		}
		for _, full := range []string{qualify(v, ns), v} {
			if s, ok := p.named[full]; ok {
				return s, nil
			}
		}
		return nil, fmt.Errorf("type %q is not known", v)
	case []any:
		u := &Avro{Kind: AvroUnion, Name: "union"}
		for _, b := range v {
			s, err := p.parse(b, ns, depth+1)
			if err != nil {
				return nil, err
			}
			if s.Kind == AvroUnion {
				return nil, errors.New("a union within a union")
			}
			if slices.ContainsFunc(u.Branches, func(o *Avro) bool { return o.Name == s.Name }) {
				return nil, fmt.Errorf("a union with two branches %s", s.Name)
			}
			if len(u.Branches) == maxBranches {
				return nil, fmt.Errorf("a union of more than %d branches", maxBranches)
			}
			u.Branches = append(u.Branches, s)
		}
		return u, nil
	case map[string]any:
		return p.object(v, ns, depth)
	}
	return nil, fmt.Errorf("%v is no schema", v)
}

// object reads a schema that is written with attributes.
func (p *avroParser) object(m map[string]any, ns string, depth int) (*Avro, error) {
	word, ok := m["type"].(string)
	if !ok {
		return p.parse(m["type"], ns, depth+1) // {"type": {…}} and {"type": […]}: the inner schema
	}
	switch word {
	case "record", "error", "enum", "fixed":
		full, space, err := fullName(m, ns)
		if err != nil {
			return nil, err
		}
		if _, taken := avroPrimitives[full]; taken {
			return nil, fmt.Errorf("a %s named after the type %s", word, full)
		}
		if _, twice := p.named[full]; twice {
			return nil, fmt.Errorf("%s is defined twice", full)
		}
		s := &Avro{Name: full}
		p.named[full] = s
		return s, p.define(s, m, space, depth)
	case "array":
		items, err := p.parse(m["items"], ns, depth+1)
		s := &Avro{Kind: AvroArray, Name: word, Items: items, ItemMeta: metaOf(m), ItemID: idOf(m, "element-id")}
		s.Logical, _ = m["logicalType"].(string)
		return s, err
	case "map":
		items, err := p.parse(m["values"], ns, depth+1)
		return &Avro{Kind: AvroMap, Name: word, Items: items, ItemMeta: metaOf(m), ItemID: idOf(m, "value-id"), KeyID: idOf(m, "key-id")}, err
	}
	s, err := p.parse(word, ns, depth)
	if err == nil && s.Kind == AvroPrimitive {
		err = s.setLogical(m)
	}
	return s, err
}

// define fills in a named type.
func (p *avroParser) define(s *Avro, m map[string]any, ns string, depth int) error {
	seen := map[string]bool{}
	switch m["type"] {
	case "enum":
		s.Kind, s.Type, s.Symbols = AvroEnum, Int, []string{}
		list, _ := m["symbols"].([]any)
		for _, x := range list {
			sym, ok := x.(string)
			if !ok {
				return fmt.Errorf("%s: symbol %v is no text", s.Name, x)
			}
			if seen[sym] {
				return fmt.Errorf("%s: symbol %s stands twice", s.Name, sym)
			}
			seen[sym] = true
			s.Symbols = append(s.Symbols, sym)
		}
		return nil
	case "fixed":
		s.Kind, s.Type = AvroFixed, Bytes
		var err error
		if s.Size, err = integer(m, "size", -1); err != nil || s.Size < 0 || s.Size > 1<<28 {
			return fmt.Errorf("%s: size %v of a fixed", s.Name, m["size"])
		}
		return s.setLogical(m)
	}
	s.Kind = AvroRecord
	list, ok := m["fields"].([]any)
	if !ok {
		return fmt.Errorf("%s: no fields", s.Name)
	}
	for _, x := range list {
		f, _ := x.(map[string]any)
		name, ok := f["name"].(string)
		if !ok {
			return fmt.Errorf("%s: a field without a name", s.Name)
		}
		if seen[name] {
			return fmt.Errorf("%s: field %s stands twice", s.Name, name)
		}
		seen[name] = true
		t, err := p.parse(f["type"], ns, depth+1)
		if err != nil {
			return err
		}
		field := AvroField{Name: name, Type: t, Meta: metaOf(f), ID: idOf(f, "field-id")}
		if arrow, ok := f[PropArrowName].(string); ok {
			field.Arrow = &arrow
		}
		s.Fields = append(s.Fields, field)
	}
	return nil
}

// fullName returns the full name of a definition and the namespace for what is inside it.
func fullName(m map[string]any, ns string) (full, space string, err error) {
	name, ok := m["name"].(string)
	if !ok {
		return "", "", fmt.Errorf("a %v without a name", m["type"])
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return strings.TrimPrefix(name, "."), name[:i], nil
	}
	if x, ok := m["namespace"].(string); ok {
		ns = x
	}
	return qualify(name, ns), ns, nil
}

func qualify(name, ns string) string {
	if ns == "" || strings.Contains(name, ".") {
		return name
	}
	return ns + "." + name
}

// setLogical keeps the logical type; a decimal whose precision and scale are not legal is none, as the Avro
// specification says.
func (s *Avro) setLogical(m map[string]any) error {
	logical, ok := m["logicalType"].(string)
	if !ok {
		return nil
	}
	if logical == "decimal" {
		p, err1 := integer(m, "precision", 0)
		q, err2 := integer(m, "scale", 0)
		if err1 != nil || err2 != nil || p < 1 || q < 0 || q > p {
			return nil
		}
		s.Precision, s.Scale = p, q
	}
	s.Logical = logical
	if utc, ok := m["adjust-to-utc"].(bool); ok {
		s.UTC = &utc
	}
	return nil
}

// idOf returns the digits of a property that is an id; "" = there is none.
func idOf(m map[string]any, key string) string {
	switch v := m[key].(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}

func integer(m map[string]any, key string, absent int) (int, error) {
	v, ok := m[key]
	if !ok {
		return absent, nil
	}
	n, ok := v.(json.Number)
	if !ok {
		return 0, fmt.Errorf("%s %v is no number", key, v)
	}
	i, err := n.Int64()
	if err != nil || i < -1<<31 || i >= 1<<31 {
		return 0, fmt.Errorf("%s %v is no 32-bit number", key, v)
	}
	return int(i), nil
}
