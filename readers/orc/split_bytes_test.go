package orc

import (
	"bytes"
	"math"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// sourceOf is bytes as a Source.
type sourceOf struct{ *bytes.Reader }

func (s sourceOf) Size() int64 { return s.Reader.Size() }

// No split has more stored bytes than the file has behind the begin of its stripe, whatever the footer says.
func TestSplitBytesBounded(t *testing.T) {
	for _, c := range []struct {
		stripe orcwire.StripeInfo
		want   int64
	}{
		{orcwire.StripeInfo{Offset: 3, IndexLength: 10, DataLength: 20, Rows: 5}, 30},
		{orcwire.StripeInfo{Offset: 3, IndexLength: 10, DataLength: 1 << 50, Rows: 5}, 97},
		{orcwire.StripeInfo{Offset: 3, IndexLength: 1 << 50, DataLength: 20, Rows: 5}, 97},
		{orcwire.StripeInfo{Offset: 3, IndexLength: 1 << 61, DataLength: 1 << 61, Rows: 5}, 97},
		{orcwire.StripeInfo{Offset: math.MaxInt64, IndexLength: 10, DataLength: 20, Rows: 5}, 0},
	} {
		f := &File{src: sourceOf{bytes.NewReader(make([]byte, 100))}, limits: arrowio.Limits{Splits: 10}}
		f.footer = &orcwire.Footer{Stripes: []orcwire.StripeInfo{c.stripe}, Rows: 5, HasRows: true}
		if err := f.cutStripes(); err != nil || len(f.splits) != 1 || f.splits[0].Bytes != c.want {
			t.Errorf("%+v: %+v, %v", c.stripe, f.splits, err)
		}
	}
}
