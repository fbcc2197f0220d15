package dataset

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// lastOnly is a file of a store that gives its last bytes alone.
type lastOnly struct{ arrowio.Source }

var errFirst = errors.New("the first bytes were asked for")

func (s lastOnly) ReadAt(p []byte, off int64) (int, error) {
	if off < s.Size()-sniffBytes {
		return 0, errFirst
	}
	return s.Source.ReadAt(p, off)
}

func (s lastOnly) ReadsSpans() bool { return true }

func (s lastOnly) ReadSpans(context.Context, []arrowio.Span) error { return errFirst }

// The first bytes of a file of a store are asked for only where its last ones do not tell what its name does.
func TestFarTail(t *testing.T) {
	has := func(head, tail string) arrowio.Format {
		return arrowio.Format{
			Match: func(h, t []byte) bool {
				return head != "" && bytes.HasPrefix(h, []byte(head)) || tail != "" && bytes.HasSuffix(t, []byte(tail))
			},
			Open: func(context.Context, arrowio.Source, arrowio.OpenOptions) (arrowio.File, error) { return nil, nil },
		}
	}
	a, b, c := has("AAA", "aaa"), has("BBB", "bbb"), has("", "xaaa")
	a.Name, a.Extensions = "a", []string{".a"}
	b.Name, b.Extensions = "b", []string{".b"}
	c.Name, c.Extensions = "c", []string{".c"}
	o := Options{Formats: []arrowio.Format{a, b, c}}
	content := func(tail string) lastOnly {
		return lastOnly{local.NewBytesSource(append(make([]byte, 100), tail...))}
	}
	f, err := choose(t.Context(), content("aaa"), "x.a", o)
	if err != nil || f.Name != "a" {
		t.Errorf("%s, %v", f.Name, err)
	}
	for name, src := range map[string]arrowio.Source{
		"x.b": content("aaa"),  // another name
		"x":   content("aaa"),  // no name
		"y.a": content("xaaa"), // two formats
		"z.a": content("zzz"),  // none
	} {
		if _, err := choose(t.Context(), src, name, o); !errors.Is(err, errFirst) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
