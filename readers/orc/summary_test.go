package orc

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

func summaryOf(t *testing.T, f *File, path string) expr.Summary {
	t.Helper()
	s, err := f.Summary(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a writer is known to get wrong is not known, nor is what is cut.
func TestSummary(t *testing.T) {
	pruning := fixtureDir + "java-2.3.1/pruning.orc"
	for _, c := range []struct {
		column string
		writer orcwire.Quirks
		nulls  int64
		text   string // bounds and sum; "" = they are not known
	}{
		{"id__mono", orcwire.Quirks{Version: 9}, 0, "0 17997 53991000"},
		{"id__mono", orcwire.Quirks{Version: 6}, 0, "0 17997 53991000"},
		{"id__mono", orcwire.Quirks{Version: 0}, -1, ""},
		{"amount__small", orcwire.Quirks{Version: 9}, 0, "-1 0.99"},
		{"amount__small", orcwire.Quirks{Version: 6}, 0, ""}, // ORC-517
		{"amount__small", orcwire.Quirks{Version: 3}, -1, ""},
		{"name__seq", orcwire.Quirks{Version: 9}, 0, "row-00000000 row-00005999"},
		{"name__seq", orcwire.Quirks{Writer: orcwire.WriterTrino}, 0, ""},
		{"flag__runs", orcwire.Quirks{Version: 9}, 0, "false true"},
		{"at__seq", orcwire.Quirks{Version: 9}, 0, ""},
		{"place__saw__r10.x", orcwire.Quirks{Version: 9}, 1154, "-128 127 291931"},
		{"tags__dict__r99", orcwire.Quirks{Version: 9}, 5942, ""},
		{"none", orcwire.Quirks{Version: 9}, -1, ""},
	} {
		f := showFile(t, pruning, Options{})
		f.quirks = c.writer
		s := summaryOf(t, f, c.column)
		text := ""
		if s.Min != nil {
			text = s.Min.String() + " " + s.Max.String()
		}
		if s.Sum != nil {
			text += " " + s.Sum.String()
		}
		if s.Nulls != c.nulls || text != c.text {
			t.Errorf("%s by %+v: %d nulls, %q, want %d and %q", c.column, c.writer, s.Nulls, text, c.nulls, c.text)
		}
	}
	long := showFile(t, fixtureDir+"java-2.3.1/long-statistics.orc", Options{})
	for _, field := range long.Schema().Fields() {
		if s := summaryOf(t, long, field.Name); s.Nulls < 0 || s.Min != nil && len(s.Min.String()) > 1024 {
			t.Errorf("%s: %+v", field.Name, s)
		}
	}
	hidden := showFile(t, fixtureDir+"java-2.3.1/encrypted-0-none.orc", Options{})
	for _, field := range hidden.Schema().Fields() {
		if s := summaryOf(t, hidden, field.Name); s.Nulls >= 0 || s.Min != nil {
			t.Errorf("encrypted %s: %+v", field.Name, s)
		}
	}
	if plausibleSum(1<<40, 0, 100, 10) != nil || plausibleSum(-1, 0, 100, 10) != nil || plausibleSum(1000, 0, 100, 10) == nil {
		t.Error("a sum that cannot be one")
	}
}
