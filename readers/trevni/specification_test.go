package trevni

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
)

// texts stores each text as the specification's strings are.
func texts(values ...string) (b []byte) {
	for _, v := range values {
		b = append(varint(b, int64(len(v))), v...)
	}
	return b
}

// The worked examples of the specification: numbers, "foo", and the message with its arrays inside arrays, where two columns
// have the same name.
func TestSpecificationExamples(t *testing.T) {
	numbers := builtColumn{name: "n", typ: "long", blocks: []builtBlock{block(5, 0x00, 0x01, 0x02, 0x7f, 0x80, 0x01)}}
	foo := builtColumn{name: "s", typ: "string", blocks: []builtBlock{block(5, 6, 0x66, 0x6f, 0x6f, 0, 0, 0, 0)}}
	mail := []builtColumn{
		{name: "id", typ: "int", blocks: []builtBlock{block(1, varint(nil, 566)...)}},
		{name: "date", typ: "long", blocks: []builtBlock{block(1, varint(nil, 23423234234)...)}},
		{name: "from", typ: "string", blocks: []builtBlock{block(1, texts("foo@bar.com")...)}},
		{name: "to", typ: "string", array: true, blocks: []builtBlock{block(1, append(varint(nil, 2), texts("bar@baz.com", "bang@foo.com")...)...)}},
		{name: "content", typ: "string", blocks: []builtBlock{block(1, texts("Hi!")...)}},
		{name: "received", typ: "null", array: true, blocks: []builtBlock{block(1, varint(nil, 2)...)}},
		{name: "date", typ: "long", parent: "received", blocks: []builtBlock{block(1, varint(varint(nil, 234234234234), 234234545645)...)}},
		{name: "host", typ: "string", parent: "received", blocks: []builtBlock{block(1, texts("192.168.0.0.1", "192.168.0.0.2")...)}},
		{name: "sigs", typ: "null", array: true, parent: "received", blocks: []builtBlock{block(1, varint(varint(nil, 1), 0)...)}},
		{name: "algo", typ: "string", parent: "sigs", blocks: []builtBlock{block(1, texts("weak")...)}},
		{name: "value", typ: "string", parent: "sigs", blocks: []builtBlock{block(1, texts("0af345de")...)}},
	}
	for _, x := range []struct {
		file []byte
		want []string
	}{
		{build(5, "", numbers, foo), []string{"[0 -1 1 -64 64]", `["foo" "" "" "" ""]`}},
		{build(1, "", mail...), []string{
			"[566]", "[23423234234]", `["foo@bar.com"]`, `[["bar@baz.com" "bang@foo.com"]]`, `["Hi!"]`,
			`[{[234234234234 234234545645] ["192.168.0.0.1" "192.168.0.0.2"] [{["weak"] ["0af345de"]} {[] []}]}]`,
		}},
	} {
		f, err := openBytes(t, x.file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := conformance.Everything(f, memory.NewGoAllocator(), 10, func(r arrow.Record) error {
			var got []string
			for _, c := range r.Columns() {
				got = append(got, c.String())
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("%q, want %q", got, x.want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
