package orc

import (
	"maps"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// Paimon keeps the ids of fields, and of elements, keys and values, in attributes. They are shown as metadata, are no ids of
// Iceberg's, and the rows are those of any other file: TestFixtures compares them with Java's.
func TestPaimonIDs(t *testing.T) {
	b := fixtures.Read(t, "../../testdata/orc/java-2.3.1/paimon-ids.orc")
	f, err := Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string]string{}
	var walk func(path string, fields []arrow.Field)
	walk = func(path string, fields []arrow.Field) {
		for _, x := range fields {
			name := path + x.Name
			if id, ok := x.Metadata.GetValue("orc.paimon.id"); ok {
				got[name] = id
			}
			if _, ok := x.Metadata.GetValue("PARQUET:field_id"); ok {
				t.Errorf("%s has an id of Iceberg's", name)
			}
			if n, ok := x.Type.(arrow.NestedType); ok {
				walk(name+".", n.Fields())
			}
		}
	}
	walk("", f.Schema().Fields())
	want := map[string]string{
		"id": "0", "name": "1", "tags": "2", "tags.item": "536872960", "props": "3", "props.entries.key": "536867838", "props.entries.value": "536873984",
		"at": "4", "at.x": "5", "at.y": "6",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
