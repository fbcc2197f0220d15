package schematext_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/schematext"
)

// Names that a language cannot write are told; others are quoted.
func TestNames(t *testing.T) {
	field := func(name string, dt arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: dt, Nullable: true}
	}
	number := arrow.PrimitiveTypes.Int32
	for _, c := range []struct {
		field arrow.Field
		says  string // "" = it can be written
	}{
		{field("a b", number), ""},
		{field("l", arrow.ListOf(number)), ""},
		{field("m", arrow.MapOf(arrow.BinaryTypes.String, number)), ""},
		{field("", number), `""`},
		{field("a\nb", number), `"a\nb"`},
		{field("a\x00", number), `"a\x00"`},
		{field("s", arrow.StructOf(field("x\ty", number))), `"x\ty"`},
		{field("l", arrow.ListOf(arrow.StructOf(field("", number)))), `""`},
	} {
		s := arrow.NewSchema([]arrow.Field{c.field}, nil)
		for language, write := range map[string]func() (string, error){
			"Hive": func() (string, error) { return schematext.Hive(s, "t", "ORC") },
			"SQL":  func() (string, error) { return schematext.SQL(s, "t") },
			"Avro": func() (string, error) { return schematext.Avro(s) },
		} {
			_, err := write()
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), language) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%s of %v: %v, want %s", language, c.field, err, c.says)
			}
		}
	}
}
