package fieldname

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

func fieldsOf(names ...string) (out []arrow.Field) {
	for _, n := range names {
		out = append(out, arrow.Field{Name: n, Type: arrow.Null})
	}
	return out
}

func TestUnique(t *testing.T) {
	if got := Unique(fieldsOf("A", "a", "a_1", "a", "", "b")); !slices.Equal(got, []string{"A", "a_1", "a_1_1", "a_2", "column4", "b"}) {
		t.Errorf("%q", got)
	}
}

// Names of thousands of columns take no time that grows with their square.
func BenchmarkUnique(b *testing.B) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprint("column_", i/2)
	}
	fields := fieldsOf(names...)
	for b.Loop() {
		Unique(fields)
	}
}

func TestSelectors(t *testing.T) {
	quote := func(names ...string) string { return "<" + strings.Join(names, ".") + ">" }
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a", "b"}, "<a> <b>"},
		{[]string{"A", "a"}, "<A> <a>"},
		{[]string{"a", "a"}, "#1 #2"},
		{[]string{"a", "a", "#2"}, "#1 <a> <#2>"},
	} {
		got := Selectors(fieldsOf(c.names...), quote)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %s", c.names, got, c.want)
		}
	}
}
