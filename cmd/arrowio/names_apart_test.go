package main

import (
	"slices"
	"testing"
)

// Names that look alike are escaped, those that do not stay as they are.
func TestNamesThatLookAlike(t *testing.T) {
	got := toldApart([]string{"\u00fc", "u\u0308", "ö", "a", "\u0430", "b"})
	if want := []string{`"\u00fc"`, `"u\u0308"`, "ö", "a", `"\u0430"`, "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
