package metastore

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// IDs says which ids, of transactions or of a table's writes, count: all up to High but those that are open or were aborted.
type IDs struct {
	High          int64
	Open, Aborted []int64 // sorted
}

// Text returns the list as HIGH:OPEN,…:ABORTED,….
func (l *IDs) Text() string {
	return strconv.FormatInt(l.High, 10) + ":" + join(l.Open) + ":" + join(l.Aborted)
}

// ParseIDs reads what Text returns.
func ParseIDs(text string) (*IDs, error) {
	bad := errs.Errorf(errs.ErrOption, "%.100q is no list of write ids (HIGHEST:OPEN,…:ABORTED,…)", text)
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, bad
	}
	l := &IDs{}
	var err error
	if l.High, err = strconv.ParseInt(parts[0], 10, 64); err != nil || l.High < 0 {
		return nil, bad
	}
	for i, to := range []*[]int64{&l.Open, &l.Aborted} {
		for digits := range strings.SplitSeq(parts[1+i], ",") {
			if digits == "" && parts[1+i] == "" {
				continue
			}
			id, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || id < 0 || len(*to) > 0 && id <= (*to)[len(*to)-1] {
				return nil, bad
			}
			*to = append(*to, id)
		}
	}
	return l, nil
}

// Valid reports whether an id counts.
func (l *IDs) Valid(id int64) bool {
	_, open := slices.BinarySearch(l.Open, id)
	_, aborted := slices.BinarySearch(l.Aborted, id)
	return id <= l.High && !open && !aborted
}

// IsOpen reports whether an id was open.
func (l *IDs) IsOpen(id int64) bool {
	_, open := slices.BinarySearch(l.Open, id)
	return open
}

// SettledUpTo reports whether no id up to one was open, or had not been given out.
func (l *IDs) SettledUpTo(id int64) bool {
	return id <= l.High && (len(l.Open) == 0 || l.Open[0] > id)
}

// AnyValid reports whether any id from first to last counts.
func (l *IDs) AnyValid(first, last int64) bool {
	last = min(last, l.High)
	if first > last {
		return false
	}
	invalid := 0
	for _, ids := range [][]int64{l.Open, l.Aborted} {
		from, _ := slices.BinarySearch(ids, first)
		to, there := slices.BinarySearch(ids, last)
		if invalid += to - from; there {
			invalid++
		}
	}
	return int64(invalid) <= last-first
}

func join(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}

// divide puts ids into the lists of open and aborted ones. Bit i of aborted, the lowest of each byte first, says what ids[i] is.
func (l *IDs) divide(ids []int64, aborted []byte) {
	for i, id := range ids {
		switch {
		case id > l.High: // is newer anyway
		case i/8 < len(aborted) && aborted[i/8]>>(i%8)&1 != 0:
			l.Aborted = append(l.Aborted, id)
		default:
			l.Open = append(l.Open, id)
		}
	}
	slices.Sort(l.Open)
	slices.Sort(l.Aborted)
}

// forHive returns the list as Hive's ValidReadTxnList writes it: HIGH:LOWEST-OPEN:OPEN,…:ABORTED,….
func (l *IDs) forHive() string {
	lowest := int64(math.MaxInt64)
	if len(l.Open) > 0 {
		lowest = l.Open[0]
	}
	return fmt.Sprintf("%d:%d:%s:%s", l.High, lowest, join(l.Open), join(l.Aborted))
}
