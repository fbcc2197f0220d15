package orc

import (
	"context"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// relocate looks for stripes that are not where the footer says: bytes were put in before them, or are missing. A stripe is
// recognised by its lengths and its rows, and by the stripes behind it, which have moved as far.
func (f *File) relocate(ctx context.Context) error {
	missing, err := f.missingStripes(ctx)
	if err != nil || len(missing) == 0 || f.footer.Encryption != nil {
		return err
	}
	s := &stripeScan{f: f, ctx: ctx, types: f.footer.Types, columns: len(f.footer.Types), known: true, compression: f.ps.Compression}
	if err := s.run(); err != nil {
		return err
	}
	r := relocation{stripes: f.footer.Stripes, at: map[int64]orcwire.StripeInfo{}, all: s.found}
	for _, x := range s.found {
		r.at[x.info.Offset] = x.info
	}
	shifts := map[int]int64{}
	for k, i := range missing {
		if r.fits(i, r.shift) || r.find(missing[k:]) {
			shifts[i] = r.shift
		}
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
	stripes []orcwire.StripeInfo
	all     []foundStripe
	at      map[int64]orcwire.StripeInfo // by offset
	shift   int64                        // of the last stripe that was found elsewhere
}

// fits reports whether a stripe is found so many bytes behind where the footer says.
func (r *relocation) fits(i int, shift int64) bool {
	s := &r.stripes[i]
	x, ok := r.at[s.Offset+shift]
	return ok && shift != 0 && x.IndexLength == s.IndexLength && x.DataLength == s.DataLength && x.FooterLength == s.FooterLength && x.Rows == s.Rows
}

// witnesses is how many stripes behind one are asked whether they have moved as far.
const witnesses = 8

// find looks for a new shift, of the first of the missing stripes: the one that most of those behind it have, too.
func (r *relocation) find(missing []int) bool {
	behind := missing[1:min(len(missing), witnesses+1)]
	best := -1
	for _, x := range r.all {
		shift := x.info.Offset - r.stripes[missing[0]].Offset
		if !r.fits(missing[0], shift) {
			continue
		}
		n := 0
		for _, i := range behind {
			if r.fits(i, shift) {
				n++
			}
		}
		if n > best && (n > 0 || len(behind) == 0) {
			best, r.shift = n, shift
		}
	}
	return best >= 0
}
