package arrowio_test

import (
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// Losses are of the file, of its metadata and of columns, and each says of which.
func TestLosses(t *testing.T) {
	p := &arrowio.WritePlan{
		Metadata: []arrowio.PlannedKey{{Key: "kept", Stored: "here"}, {Key: "k", Loss: "no place"}, {Loss: "no types"}},
		Columns:  []arrowio.PlannedColumn{{Path: "a"}, {Path: "b.c", Loss: "comes back as int32"}, {Path: "", Loss: "comes back with the name f0"}},
	}
	var got []string
	for _, l := range p.Losses() {
		got = append(got, l.Of+"|"+l.String())
	}
	want := `metadata|metadata k: no place, file|the file: no types, column|b.c: comes back as int32, column|column "": comes back with the name f0`
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
