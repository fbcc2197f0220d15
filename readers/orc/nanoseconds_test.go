package orc

import (
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Statistics tell of far times; where there are none only the rows do.
func TestBeyondNanoseconds(t *testing.T) {
	all := []string{"a__far", "b__far__r10"}
	open := func(o Options) *File {
		f, err := Open(t.Context(), local.NewBytesSource(fixtures.Read(t, byJava+"times-far-v11.orc")), arrowio.Limits{}, o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := open(Options{})
	if beyond, unknown := f.BeyondNanoseconds(); !slices.Equal(beyond, all) || unknown != nil {
		t.Error(beyond, unknown)
	}
	f.footer.Stats = orcwire.StatsList{}
	if beyond, unknown := f.BeyondNanoseconds(); beyond != nil || !slices.Equal(unknown, all) {
		t.Error(beyond, unknown)
	}
	f = open(Options{Microseconds: all[:1]})
	f.footer.Stats = orcwire.StatsList{}
	if beyond, unknown := f.BeyondNanoseconds(); beyond != nil || !slices.Equal(unknown, all[1:]) {
		t.Error(beyond, unknown)
	}
}
