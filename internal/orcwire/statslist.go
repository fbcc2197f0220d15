package orcwire

import (
	"iter"
	"sort"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// StatsList is a list of statistics that are parsed one by one, when asked for: a file may have millions. The zero
// StatsList is empty. It refers to the bytes it was parsed from; its methods may be called concurrently.
type StatsList struct {
	b     []byte
	num   protowire.Number // of the repeated field in b
	n     int
	marks []statsMark // where to begin looking for an element
}

// statsMark is an element, and where its field begins.
type statsMark struct{ elem, at int }

// At passes over so many elements and bytes at most to find one.
const (
	statsStep  = 64
	statsBytes = 4 << 10
)

// newStatsList lists the elements of the repeated field num of message b, which it walks through once.
func newStatsList(b []byte, num protowire.Number, budget *metaBudget) (StatsList, error) {
	l := StatsList{b: b, num: num}
	m := pb.New(b)
	for m.Next() {
		if m.Num == num {
			m.Bytes()
			l.add(len(b) - m.Left())
		}
	}
	if m.Err != nil {
		return StatsList{}, m.Err
	}
	return l, budget.take(cap(l.marks), unsafe.Sizeof(statsMark{}))
}

// add notes that the field of the next element begins at a place.
func (l *StatsList) add(at int) {
	if k := len(l.marks); k == 0 || l.n-l.marks[k-1].elem >= statsStep || at-l.marks[k-1].at >= statsBytes {
		l.marks = append(l.marks, statsMark{l.n, at})
	}
	l.n++
}

// Len returns the number of elements.
func (l StatsList) Len() int { return l.n }

// Bytes returns the message of element i; false if the list is shorter.
func (l StatsList) Bytes(i int) ([]byte, bool) {
	if i < 0 || i >= l.n {
		return nil, false
	}
	mark := l.marks[sort.Search(len(l.marks), func(k int) bool { return l.marks[k].elem > i })-1]
	m := pb.New(l.b[mark.at:])
	for k := i - mark.elem; m.Next(); {
		if m.Num != l.num {
			continue
		}
		if k == 0 {
			return m.Bytes(), true
		}
		k--
	}
	return nil, false // it was walked through before
}

// At returns element i. Behind the end it returns statistics that say nothing: lists may be shorter than the type tree.
func (l StatsList) At(i int) (ColumnStats, error) {
	b, ok := l.Bytes(i)
	if !ok {
		return ColumnStats{}, nil
	}
	s, err := ParseColumnStats(b)
	if err != nil {
		return ColumnStats{}, pb.Inside(err, "statistics of column %d", i)
	}
	return s, nil
}

// ParseMetadata reads the statistics of stripes (specification, "File Metadata"): by stripe, then by type id. Both
// lists may be shorter than the file's. The result refers to b.
func ParseMetadata(b []byte, lim errs.Limits) ([]StatsList, error) {
	lim = lim.WithDefaults()
	n := 0
	m := pb.New(b)
	for m.Next() {
		if m.Num == 1 {
			n++
			m.Bytes()
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	if n > lim.Splits {
		return nil, errs.Errorf(errs.ErrLimit, "statistics of %d stripes are over the limit Splits = %d", n, lim.Splits)
	}
	budget := newMetaBudget(lim)
	out := make([]StatsList, 0, n)
	for m = pb.New(b); m.Next(); {
		if m.Num != 1 {
			continue
		}
		l, err := newStatsList(m.Bytes(), 1, budget)
		if err != nil {
			return nil, pb.Inside(err, "statistics of stripe %d", len(out))
		}
		out = append(out, l)
	}
	return out, nil
}

// ParseFileStats reads a FileStatistics message, which holds an encrypted column's statistics for the whole file, by
// type id from the variant's root on; or a ColumnarStripeStatistics message, which holds those of one type, by stripe.
// The result refers to b.
func ParseFileStats(b []byte, lim errs.Limits) (StatsList, error) {
	return newStatsList(b, 1, newMetaBudget(lim.WithDefaults()))
}

var stripeStatsTable = pb.NewTable(
	pb.Custom(1, "colStats", pb.FormMessage, nil, func(b []byte, num protowire.Number, l *StatsList) []byte {
		return appendStatsList(b, num, *l)
	}).Of(&columnStatsTable.Shape).Each(pb.ListColumns, 0),
)

var metadataTable = pb.NewTable(
	pb.Parts(1, "stripeStats", "stripe", stripeStatsTable, func(x *[]StatsList) *[]StatsList { return x }).Each(pb.ListNumbered, 0),
)

// AppendMetadata appends the statistics of stripes, the reverse of ParseMetadata.
func AppendMetadata(dst []byte, stripes []StatsList) []byte {
	return metadataTable.Append(dst, &stripes)
}

// StatsOf lists statistics that are going to be written: of a file or a stripe by type id. nil stands for statistics
// that say nothing. The list keeps their encoded form, nothing of stats.
func StatsOf(stats []*ColumnStats) StatsList {
	l := StatsList{num: 1}
	for _, s := range stats {
		l.add(len(l.b))
		if s == nil {
			s = &ColumnStats{}
		}
		l.b = columnStatsTable.AppendField(l.b, 1, s)
	}
	return l
}

// AppendFileStats appends the statistics of an encrypted column, the reverse of ParseFileStats: a FileStatistics message
// with those of the file by type id from the variant's root on, or a ColumnarStripeStatistics message with those of one
// type by stripe.
func AppendFileStats(dst []byte, l StatsList) []byte { return appendStatsList(dst, 1, l) }

// appendStatsList appends the elements of a list as the repeated field num.
func appendStatsList(dst []byte, num protowire.Number, l StatsList) []byte {
	for b := range l.all() {
		dst = pb.AppendBytes(dst, num, b)
	}
	return dst
}

// all yields the message of each element, in order.
func (l StatsList) all() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		m := pb.New(l.b)
		for left := l.n; left > 0 && m.Next(); {
			if m.Num != l.num {
				continue
			}
			left--
			if !yield(m.Bytes()) {
				return
			}
		}
	}
}
