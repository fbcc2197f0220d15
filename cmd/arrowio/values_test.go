package main

import (
	"math"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

func TestSizeValue(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1048576": 1 << 20, "64MiB": 64 << 20, "64mib": 64 << 20, "64MB": 64_000_000, "1g": 1_000_000_000, "1.5KiB": 1536,
		"64 MiB": 64 << 20,
	} {
		var v sizeValue
		if err := v.Set(text); err != nil || int64(v) != want {
			t.Errorf("%q: %d, %v; want %d", text, v, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "x", "1x", "9999999EiB", "12EB34"} {
		var v sizeValue
		if err := v.Set(text); err == nil {
			t.Errorf("%q was taken as %d", text, v)
		}
	}
}

func TestRowsValue(t *testing.T) {
	for text, want := range map[string]arrowio.RowRange{
		"0:10": {Start: 0, End: 10},
		"5:6":  {Start: 5, End: 6},
		"5:":   {Start: 5, End: math.MaxInt64},
		":7":   {Start: 0, End: 7},
		":":    {Start: 0, End: math.MaxInt64},
		"5:5":  {Start: 5, End: 5},
		"0:0":  {Start: 1, End: 1}, // the zero range means all rows
	} {
		var v rowsValue
		if err := v.Set(text); err != nil || v.RowRange != want {
			t.Errorf("%q: %v, %v; want %v", text, v.RowRange, err, want)
		}
	}
	for _, text := range []string{"", "5", "6:5", "a:b", "-1:5", "1:2:3", "99999999999999999999:"} {
		var v rowsValue
		if err := v.Set(text); err == nil {
			t.Errorf("%q was taken as %v", text, v.RowRange)
		}
	}
}

func TestColumnsValue(t *testing.T) {
	for text, want := range map[string][]string{
		"":                 {},
		"a":                {"a"},
		"a,b.c":            {"a", "b.c"},
		" a , b ":          {"a", "b"},
		`"x,y".z,b`:        {`"x,y".z`, "b"},
		"`x,y`,b":          {"`x,y`", "b"},
		"a#b,c[]":          {"a#b", "c[]"},
		`a,"say ""hi""",c`: {"a", `"say ""hi"""`, "c"},
	} {
		var v columnsValue
		if err := v.Set(text); err != nil || !slices.Equal(v, want) || v == nil {
			t.Errorf("%q: %q, %v; want %q", text, []string(v), err, want)
		}
	}
	for _, text := range []string{",", "a,", ",a", "a,,b", `"a`, "`a,b"} {
		var v columnsValue
		if err := v.Set(text); err == nil {
			t.Errorf("%q was taken as %q", text, []string(v))
		}
	}
	var v columnsValue
	if v.Set("a,b") != nil || v.Set("c") != nil || !slices.Equal(v, []string{"a", "b", "c"}) {
		t.Errorf("given twice: %q", []string(v))
	}
}

// Filters that are given one after the other must all be true.
func TestWhereTwice(t *testing.T) {
	for want, texts := range map[string][]string{
		"a = 1":                        {"a = 1"},
		"a = 1 AND b = 2":              {"a = 1", "b = 2"},
		"a = 1 AND b = 2 AND c = TRUE": {"a = 1 AND b = 2", "c"},
		"(a = TRUE OR b = TRUE) AND (c = TRUE OR d = TRUE)": {"a OR b", "c OR d"},
	} {
		var v filterValue
		for _, text := range texts {
			if err := v.Set(text); err != nil {
				t.Fatal(err)
			}
		}
		if v.String() != want {
			t.Errorf("%q are %s, want %s", texts, v.String(), want)
		}
	}
}

func TestNumbersTooLarge(t *testing.T) {
	const large = "99999999999999999999"
	for _, args := range [][]string{{"tail", "-n", large, "x"}, {"cat", "--jobs", large, "x"}, {"cat", "--limit", large, "x"}} {
		fails(t, do(t, args...), 2, large, "the number is too large")
	}
	fails(t, do(t, "tail", "-n", "-"+large, "x"), 2, "want a whole number of at least 0")
}
