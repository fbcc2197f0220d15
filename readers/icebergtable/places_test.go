package icebergtable

import (
	"errors"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// The advice about a file outside of the table's directory can be followed where it lies in directories KEY=VALUE.
func TestAdviceOfPlaces(t *testing.T) {
	const name = "/w/data02/k=2/day=a/x.orc"
	_, err := newPlaces("/new/t", "/w/t", tableOptions{}).find(name)
	said := errs.OptionsOf(err)
	if !errors.Is(err, errs.ErrOption) || len(said) == 0 || said[0].Value != "/w/data02=DIRECTORY" {
		t.Fatal(err, said)
	}
	for option, want := range map[string]string{
		strings.Replace(said[0].Value, "DIRECTORY", "/new/a=b", 1): "/new/a=b/k=2/day=a/x.orc",
		"/w/data02/k=2=/new/x":            "/new/x/day=a/x.orc",
		"/w/data02/k=2=s3://bucket/k=2":   "s3://bucket/k=2/day=a/x.orc",
		"/w/data02/k=2/day=a=file:/new/x": "/new/x/x.orc",
	} {
		o, err := parseOptions(map[string]string{optionRelocate: option})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := newPlaces("/new/t", "/w/t", o).find(name); err != nil || got != want {
			t.Errorf("%s: %s, not %s: %v", option, got, want, err)
		}
	}
}
