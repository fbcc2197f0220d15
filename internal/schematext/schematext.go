package schematext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Arrow returns the schema as a line for each field; fields inside a type are indented below it.
func Arrow(s *arrow.Schema) string {
	var b strings.Builder
	arrowFields(&b, s.Fields(), "")
	return b.String()
}

func arrowFields(b *strings.Builder, fields []arrow.Field, indent string) {
	for _, f := range fields {
		b.WriteString(indent + f.Name + ": " + arrowName(f.Type))
		if !f.Nullable {
			b.WriteString(" not null")
		}
		b.WriteByte('\n')
		arrowFields(b, children(f.Type), indent+"  ")
	}
}

// arrowName is the name of a type without what its children are.
func arrowName(t arrow.DataType) string {
	if _, ok := t.(arrow.NestedType); ok {
		return t.Name()
	}
	return t.String()
}

func children(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case *arrow.MapType:
		return []arrow.Field{t.KeyField(), t.ItemField()}
	case arrow.NestedType:
		return t.Fields()
	}
	return nil
}

// Hive returns the statement that makes an external table of Hive. The types are those of ORC, which are Hive's. stored is the format
// of its files in Hive's words, "" = not said.
func Hive(s *arrow.Schema, table, stored string) (string, error) {
	if err := checkNames(s, "Hive"); err != nil {
		return "", err
	}
	types, _, _, err := orcwire.TypesFromArrow(s, orcwire.OutOptions{})
	if err != nil {
		return "", errs.Errorf(errs.ErrSchema, "Hive has no place for it: %w", err)
	}
	root := types[0]
	if root.Kind != orcwire.Struct {
		return "", errs.Errorf(errs.ErrSchema, "a table of Hive has columns")
	}
	var b strings.Builder
	b.WriteString("CREATE EXTERNAL TABLE " + quoted(table, '`') + " (")
	for i, c := range root.Children {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + quoted(root.Names[i], '`') + " " + strings.ToUpper(head(c)) + tail(c))
	}
	b.WriteString("\n)")
	if stored != "" {
		b.WriteString("\nSTORED AS " + stored)
	}
	b.WriteString("\nLOCATION '…';\n")
	return b.String(), nil
}

// head and tail are the two parts of a type's text: its word, and what stands in brackets.
func head(t *orcwire.Type) string { w, _ := split(t); return w }
func tail(t *orcwire.Type) string { _, in := split(t); return in }

func split(t *orcwire.Type) (word, in string) {
	s := t.String()
	if t.Kind == orcwire.TimestampInstant {
		return s, ""
	}
	if i := strings.IndexAny(s, "<("); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// Avro returns the schema as the JSON of an Avro record.
func Avro(s *arrow.Schema) (string, error) {
	if err := checkNames(s, "Avro"); err != nil {
		return "", err
	}
	a, _, err := trevniwire.AvroOf(s)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, a.JSON(), "", "  "); err != nil {
		return "", err
	}
	b.WriteByte('\n')
	return b.String(), nil
}

// checkNames returns an errs.ErrSchema that tells the names that a language cannot write, at any depth: empty ones, and those with
// characters that cannot be seen as themselves.
func checkNames(s *arrow.Schema, language string) error {
	var refused []string
	var visit func(fields []arrow.Field)
	visit = func(fields []arrow.Field) {
		for _, f := range fields {
			if f.Name == "" || strings.ContainsFunc(f.Name, unprintable) || !utf8.ValidString(f.Name) {
				refused = append(refused, strconv.Quote(f.Name))
			}
			if m, ok := f.Type.(*arrow.MapType); ok { // key and value have no names of their own
				visit(children(m.KeyType()))
				visit(children(m.ItemType()))
				continue
			}
			if l, ok := f.Type.(arrow.ListLikeType); ok {
				visit(children(l.Elem()))
				continue
			}
			visit(children(f.Type))
		}
	}
	visit(s.Fields())
	if len(refused) > 0 {
		return errs.Errorf(errs.ErrSchema, "%s cannot write the names %s: rename these columns first", language, strings.Join(refused, ", "))
	}
	return nil
}

func unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// quoted puts a name between quotes, with those inside doubled.
func quoted(name string, quote rune) string {
	q := string(quote)
	return q + strings.ReplaceAll(name, q, q+q) + q
}
