package arrowio

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestWarningFor(t *testing.T) {
	w := Warning{Kind: WarnMasked, Rows: 3, Columns: []string{"a.b", "c", "d"}, Text: "masked"}
	for _, c := range []struct{ columns, want []string }{
		{nil, []string{"a.b", "c", "d"}},
		{[]string{}, nil},
		{[]string{"x", "ab"}, nil},
		{[]string{"a", "c.x"}, []string{"a.b", "c"}},
		{[]string{`"a"."b".c`, "D"}, []string{"a.b", "d"}},
		{[]string{"a.c"}, nil},
	} {
		got, ok := w.For(c.columns)
		if ok != (c.want != nil) || !slices.Equal(got.Columns, c.want) {
			t.Errorf("%q: %v, %q", c.columns, ok, got.Columns)
		}
	}
	if all := (Warning{Text: "x"}); all.Columns == nil {
		if _, ok := all.For([]string{}); !ok {
			t.Error("a warning about all columns concerns every scan")
		}
	}
}

func TestWarningJSON(t *testing.T) {
	for want, w := range map[string]Warning{
		`{"kind":"masked","file":"f","columns":["a","b"],"rows":0,"message":"masked: a, b"}`: {Kind: WarnMasked, File: "f", Columns: []string{"a", "b"}, Text: "masked"},
		`{"kind":"lost","file":"","place":"p","columns":["a"],"rows":null,"message":"x"}`:    {Kind: WarnLost, Place: "p", Columns: []string{"a"}, Rows: UnknownRows, Text: "x"},
	} {
		if b, err := json.Marshal(w); err != nil || string(b) != want {
			t.Errorf("%s, %v", b, err)
		}
	}
}
