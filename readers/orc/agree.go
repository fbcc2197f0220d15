package orc

import (
	"bytes"
	"cmp"
	"context"
	"math"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// Statistics have no checksum. Those of a file are made from those of its stripes, and those of a stripe from those of
// its row groups: where they disagree one of them is damaged, and none of the column's is used to leave out rows. What
// agrees may still be damaged: a row group's minimum counts in its stripe's only if it is the least of all.

// merged is what statistics of parts of a column amount to.
type merged struct {
	values int64
	bools  uint64
	ints   span[int64]
	floats span[float64]
	texts  struct{ lo, hi []byte }
	vague  bool // of some part something is not known: nothing follows
}

// span is the least and the greatest of some values; !some = there were none.
type span[T cmp.Ordered] struct {
	lo, hi T
	some   bool
}

func (s *span[T]) add(lo, hi *T) bool {
	if lo == nil || hi == nil {
		return false
	}
	if s.some {
		s.lo, s.hi = min(s.lo, *lo), max(s.hi, *hi)
	} else {
		s.lo, s.hi, s.some = *lo, *hi, true
	}
	return true
}

// add adds the statistics of a part.
func (m *merged) add(s *orcwire.ColumnStats) {
	if !s.HasValues {
		m.vague = true
		return
	}
	if s.Values == 0 {
		return
	}
	m.values += s.Values
	known := true
	switch {
	case s.Int != nil:
		known = m.ints.add(s.Int.Min, s.Int.Max)
	case s.Date != nil:
		known = m.ints.add(wide(s.Date.Min), wide(s.Date.Max))
	case s.Timestamp != nil:
		known = m.ints.add(s.Timestamp.MinUTC, s.Timestamp.MaxUTC)
	case s.Double != nil:
		known = s.Double.Sum != nil && !math.IsNaN(*s.Double.Sum) && m.floats.add(s.Double.Min, s.Double.Max)
	case s.String != nil:
		if known = s.String.Min != nil && s.String.Max != nil; !known {
			break
		}
		if m.texts.lo == nil || bytes.Compare(s.String.Min, m.texts.lo) < 0 {
			m.texts.lo = s.String.Min
		}
		if m.texts.hi == nil || bytes.Compare(s.String.Max, m.texts.hi) > 0 {
			m.texts.hi = s.String.Max
		}
	case s.Bool != nil:
		if known = len(s.Bool.True) == 1; known {
			m.bools += s.Bool.True[0]
		}
	}
	m.vague = m.vague || !known
}

func wide(v *int32) *int64 {
	if v == nil {
		return nil
	}
	w := int64(*v)
	return &w
}

// agrees reports whether the parts can amount to the whole.
func (m *merged) agrees(whole *orcwire.ColumnStats) bool {
	if m.vague || !whole.HasValues || whole.Values == 0 { // Hive's compactor writes 0 for anything
		return true
	}
	if whole.Values != m.values {
		return false
	}
	var w merged
	if w.add(whole); w.vague {
		return true
	}
	return m.ints == w.ints && m.floats == w.floats && m.bools == w.bools && bytes.Equal(m.texts.lo, w.texts.lo) && bytes.Equal(m.texts.hi, w.texts.hi)
}

// stripesAgree reports whether what stripes say of a column amounts to what the file says. It is found out once.
func (f *File) stripesAgree(ctx context.Context, id int) bool {
	f.mu.Lock()
	agree, known := f.agree[id]
	f.mu.Unlock()
	if known {
		return agree
	}
	var m merged
	for i := range f.footer.Stripes {
		list, err := f.stripeStats(ctx, i)
		if err != nil {
			return true // it is of no use to anyone
		}
		s, err := list.At(id)
		if err != nil {
			m.vague = true
			break
		}
		m.add(&s)
	}
	whole, err := f.footer.Stats.At(id)
	agree = err != nil || m.agrees(&whole)
	f.mu.Lock()
	if f.agree == nil {
		f.agree = map[int]bool{}
	}
	f.agree[id] = agree
	f.mu.Unlock()
	return agree
}

// groupsAgree reports whether what row groups say of a column amounts to what the stripe says.
func (x *columnIndex) groupsAgree(whole *orcwire.ColumnStats) bool {
	var m merged
	for i := range x.entries {
		s, err := x.entries[i].ColumnStats()
		if err != nil {
			return true // seen where it is used
		}
		m.add(&s)
	}
	return m.agrees(whole)
}
