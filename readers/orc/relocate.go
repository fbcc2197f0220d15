package orc

import (
	"context"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// relocate looks for stripes that are not where the footer says: bytes were put in before them, or are missing. All stripes behind
// have then moved, too, and lie in their order: a stripe that has others behind it at their places is damaged, and has not moved.
func (f *File) relocate(ctx context.Context) error {
	missing, err := f.missingStripes(ctx)
	if err != nil || len(missing) == 0 || f.footer.Encryption != nil {
		return err
	}
	r := relocation{stripes: f.footer.Stripes, start: f.begin, end: f.tail.stats.Off}
	if missing = r.last(missing); len(missing) == 0 {
		return nil
	}
	s := &stripeScan{f: f, ctx: ctx, types: f.footer.Types, columns: len(f.footer.Types), known: true, compression: f.ps.Compression}
	if err := s.run(); err != nil {
		return err
	}
	r.add(s.found)
	shifts := map[int]int64{}
	for k, i := range missing {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.fits(i, r.shift) || r.find(missing[k:]) {
			shifts[i] = r.shift
			r.start = r.stripes[i].End() + r.shift
		}
	}
	if len(shifts) == 0 {
		return nil
	}
	for first, i := 0, 0; i < len(missing); i++ {
		shift, ok := shifts[missing[i]]
		if next, same := int64(0), false; ok && i+1 < len(missing) {
			if next, same = shifts[missing[i+1]]; same && next == shift && missing[i+1] == missing[i]+1 {
				continue
			}
		}
		if ok {
			f.rescued = append(f.rescued, moved(missing[first], missing[i], shift))
		}
		first = i + 1
	}
	f.moved = shifts[0]
	for i, shift := range shifts {
		f.footer.Stripes[i].Offset += shift
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.stripes)
	f.idle = nil
	return nil
}

// moved is the warning about stripes that lie elsewhere.
func moved(first, last int, shift int64) arrowio.Warning {
	what := fmt.Sprintf("stripe %d is", first)
	if last > first {
		what = fmt.Sprintf("stripes %d to %d are", first, last)
	}
	if shift > 0 {
		return arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%s %d bytes behind where the footer says: bytes were put in before", what, shift))
	}
	return arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%s %d bytes in front of where the footer says: bytes are missing", what, -shift))
}

// missingStripes returns the stripes whose footers cannot be read.
func (f *File) missingStripes(ctx context.Context) (out []int, err error) {
	for i := range f.footer.Stripes {
		s, err := f.stripe(ctx, i)
		switch {
		case err == nil:
			s.release()
		case isIO(err):
			return nil, err
		default:
			out = append(out, i)
		}
	}
	return out, nil
}

// relocation is the stripes as the footer lists them, and those that were found.
type relocation struct {
	stripes    []orcwire.StripeInfo
	at         map[int64]orcwire.StripeInfo // those that were found, by offset
	like       map[stripeShape][]int64      // their offsets, ascending
	start, end int64                        // what was found at its place, or elsewhere, ends at start, and the tail begins at end
	shift      int64                        // of the last stripe that was found elsewhere
}

// stripeShape is what a stripe is recognised by.
type stripeShape struct{ index, data, footer, rows int64 }

func shapeOf(s *orcwire.StripeInfo) stripeShape {
	return stripeShape{s.IndexLength, s.DataLength, s.FooterLength, s.Rows}
}

// last returns those of the missing stripes that no other one is behind, and has r start where the others end.
func (r *relocation) last(missing []int) []int {
	first := len(r.stripes)
	for k := len(missing) - 1; k >= 0 && missing[k] == first-1; k-- {
		first--
	}
	absent := map[int]bool{}
	for _, i := range missing {
		absent[i] = true
	}
	for i := range r.stripes {
		if !absent[i] {
			r.start = max(r.start, r.stripes[i].End())
		}
	}
	return missing[len(missing)-(len(r.stripes)-first):]
}

// add takes stripes that were found.
func (r *relocation) add(found []foundStripe) {
	r.at, r.like = map[int64]orcwire.StripeInfo{}, map[stripeShape][]int64{}
	for _, x := range found {
		r.at[x.info.Offset] = x.info
		r.like[shapeOf(&x.info)] = append(r.like[shapeOf(&x.info)], x.info.Offset)
	}
}

// fits reports whether a stripe is found so many bytes behind where the footer says, and behind the stripes before it.
func (r *relocation) fits(i int, shift int64) bool {
	s := &r.stripes[i]
	x, ok := r.at[s.Offset+shift]
	return ok && shift != 0 && shapeOf(&x) == shapeOf(s) && x.Offset >= r.start && x.End() <= r.end
}

// witnesses is how many stripes behind one are asked whether they have moved as far.
const witnesses = 8

// find looks for a new shift, of the first of the missing stripes, and reports whether this one has it. Stripes of one length are found
// at the places of others, too, and as often but for a few: most of those behind must have the shift, and of several such shifts it is
// that which brings the last stripe up to the tail, or else the smallest.
func (r *relocation) find(missing []int) bool {
	missing = missing[:min(len(missing), witnesses+1)]
	votes := func(shift int64) (n int) {
		for _, i := range missing {
			if r.fits(i, shift) {
				n++
			}
		}
		return n
	}
	if votes(r.shift) > 0 { // those behind go on: this one is lost
		return false
	}
	counted, most := map[int64]int{}, 0
	for _, i := range missing {
		for _, off := range r.like[shapeOf(&r.stripes[i])] {
			shift := off - r.stripes[i].Offset
			if _, ok := counted[shift]; ok || !r.room(shift) {
				continue
			}
			counted[shift] = votes(shift)
			most = max(most, counted[shift])
		}
	}
	if most == 0 || most == 1 && len(missing) > 1 {
		return false
	}
	last := r.end - r.stripes[len(r.stripes)-1].End()
	best := int64(0)
	for shift, n := range counted {
		switch {
		case 2*n < most || n == 1 && len(missing) > 1:
		case best == last:
		case best == 0, shift == last, magnitude(shift) < magnitude(best), magnitude(shift) == magnitude(best) && shift > best:
			best = shift
		}
	}
	if !r.fits(missing[0], best) {
		return false
	}
	r.shift = best
	return true
}

// room reports whether the stripes, moved so far behind, end in front of the tail: bytes that were put in move all stripes behind them.
func (r *relocation) room(shift int64) bool {
	return shift < 0 || r.stripes[len(r.stripes)-1].End() <= r.end-shift
}

func magnitude(n int64) int64 { return max(n, -n) }
