package fieldname

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestFit(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "größe": "größe", "gr\xf6\xdfe": `gr\xf6\xdfe`, "\xff": `\xff`, "a\xe2\x82": `a\xe2\x82`, "\ufffd": "\ufffd", `\xff`: `\xff`,
	} {
		if got := Fit(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
	if got := string(FitJSON([]byte("{\"n\":\"gr\xf6\xdfe\"}"))); got != `{"n":"gr\\xf6\\xdfe"}` {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	var n Names
	n.Check("größe", "a")
	if got := n.Errors(errs.At{}); got != nil {
		t.Error(got)
	}
	for range most + 2 {
		n.Check("b\xff", "a", `b\xff`)
	}
	faults := n.Errors(errs.At{Op: "footer"})
	var e *errs.Error
	if len(faults) != most+1 || !errors.As(faults[0], &e) || e.Kind != errs.ErrCorrupt || e.Column != `a.b\xff` || e.Op != "footer" || !utf8.ValidString(e.Error()) {
		t.Error(len(faults), faults[0])
	}
	if last := faults[most]; !errors.Is(last, errs.ErrCorrupt) || !strings.Contains(last.Error(), "2 more") {
		t.Error(last)
	}
}
