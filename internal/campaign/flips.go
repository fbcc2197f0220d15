package campaign

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
)

// flipped counts what comes of one flipped bit and one filter.
type flipped struct {
	same, refused, told, misled int // refused: an error, or another schema
}

func (n flipped) cases() int { return n.same + n.refused + n.told + n.misled }

// Flips flips every bit of the indexes and of the tail of some ORC files below testdata, one at a time, reads each with
// some filters, and prints how often the rows were others than those of the sound file: told is where Verify reports the
// damage, misled where it does not. Rows read without a filter do not depend on those bytes, apart from the tail.
func Flips(ctx context.Context, w io.Writer, testdata string, formats []arrowio.Format, names []string, show bool) error {
	inputs, err := LoadFiles(ctx, testdata, formats, names...)
	if err != nil {
		return err
	}
	var all flipped
	for _, in := range inputs {
		if in.Format.Name != "orc" {
			continue
		}
		parts, err := in.described(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		in.filters = spread(in.filters, flipFilters)
		var want []arrow.Record
		for _, e := range in.filters {
			c := newCase(in, in.Bytes)
			f, err := c.open(ctx)
			if err != nil {
				return err
			}
			rec, err := c.scan(ctx, f, e)
			f.Close()
			if err != nil {
				return fmt.Errorf("%s: %s: %w", in.Name, e, err)
			}
			want = append(want, rec)
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			var n flipped
			for _, r := range parts[name] {
				for bit := range 8 * r.len {
					op := Op{Kind: "flip", Off: r.off + bit/8, Byte: byte(bit % 8)}
					in.flip(ctx, op, want, &n, func(text string) {
						if show {
							fmt.Fprintf(w, "%s, %s: %v, bit %d: %s\n", in.Name, name, op, op.Byte, text)
						}
					})
				}
			}
			fmt.Fprintf(w, "%s: %s: %d cases, %d same, %d refused, %d other rows (%.3f %%), %d of them not seen by verify\n",
				in.Name, name, n.cases(), n.same, n.refused, n.told+n.misled, percent(n.told+n.misled, n.cases()), n.misled)
			all.same, all.refused, all.told, all.misled = all.same+n.same, all.refused+n.refused, all.told+n.told, all.misled+n.misled
		}
	}
	fmt.Fprintf(w, "all: %d cases, %d other rows (%.3f %%), %d of them not seen by verify\n", all.cases(), all.told+all.misled, percent(all.told+all.misled, all.cases()), all.misled)
	return nil
}

// flipFilters is how many filters a file is read with after each flip.
const flipFilters = 6

// spread returns n of list, or all if there are fewer.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// described returns the parts of an ORC file that describe the rest: the indexes of its stripes, and its tail.
func (in *Input) described(ctx context.Context) (map[string][]region, error) {
	f, err := newCase(in, in.Bytes).open(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true})
	if err != nil {
		return nil, err
	}
	parts := map[string][]region{}
	end := int64(0)
	for _, g := range info.Groups {
		parts["indexes"] = append(parts["indexes"], region{off: g.Off, len: g.Index})
		end = max(end, g.Off+g.Bytes)
	}
	parts["tail"] = []region{{off: end, len: int64(len(in.Bytes)) - end}}
	return parts, nil
}

// flip reads an input after one operation with the filters.
func (in *Input) flip(ctx context.Context, op Op, want []arrow.Record, n *flipped, show func(string)) {
	c := newCase(in, damage(in.Bytes, []Op{op}))
	f, err := c.open(ctx)
	if err != nil {
		n.refused += len(in.filters)
		return
	}
	defer f.Close()
	verified := false
	for i, e := range in.filters {
		rec, err := c.scan(ctx, f, e)
		if err != nil {
			n.refused++
			continue
		}
		if want[i] != nil && rec != nil && conformance.EqualSchemas(want[i].Schema(), rec.Schema()) != nil {
			release(rec)
			n.refused++ // other names or types: the filter is not to blame
			continue
		}
		err = equal(want[i], rec)
		release(rec)
		switch {
		case err == nil:
			n.same++
			continue
		case !verified:
			c.verify(ctx, f)
			verified = true
		}
		if show(fmt.Sprintf("%s: %v", e, err)); c.told > 0 {
			n.told++
		} else {
			n.misled++
		}
	}
}
