package orctable

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// writeIDs says which write ids are valid: all up to the highest but those that were open, or aborted, when the list was
// made. Write id 0, of rows from before a table was an ACID table, and those below are valid always.
type writeIDs struct {
	high    int64
	open    []int64 // sorted, none above high
	aborted []int64
}

// everything is for reading without a list: nothing on disk tells what was aborted.
var everything = &writeIDs{high: math.MaxInt64}

// parseWriteIDs reads HWM:OPEN,…:ABORTED,…, the value of an option; "" = everything.
func parseWriteIDs(option, text string) (*writeIDs, error) {
	if text == "" {
		return everything, nil
	}
	bad := func(what string) (*writeIDs, error) {
		return nil, errs.Errorf(errs.ErrOption, "%w is %q: %s; it takes HIGHEST:OPEN,…:ABORTED,…, as in 17:15,16:3", errs.Opt(option, ""), text, what)
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return bad("it has more than three parts")
	}
	w := &writeIDs{}
	var ok bool
	if w.high, ok = number(strings.TrimSpace(parts[0])); !ok {
		return bad("the highest is no number")
	}
	for i, list := range []*[]int64{&w.open, &w.aborted} {
		if len(parts) < i+2 || strings.TrimSpace(parts[i+1]) == "" {
			continue
		}
		for _, s := range strings.Split(parts[i+1], ",") {
			n, ok := number(strings.TrimSpace(s))
			if !ok || n == 0 {
				return bad(strconv.Quote(s) + " is no id")
			}
			if n <= w.high {
				*list = append(*list, n)
			}
		}
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return w, nil
}

// text is the list as parseWriteIDs reads it; "" = everything.
func (w *writeIDs) text() string {
	if w == everything {
		return ""
	}
	list := func(ids []int64) string {
		var b []byte
		for i, n := range ids {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, n, 10)
		}
		return string(b)
	}
	return strconv.FormatInt(w.high, 10) + ":" + list(w.open) + ":" + list(w.aborted)
}

func has(ids []int64, n int64) bool {
	_, ok := slices.BinarySearch(ids, n)
	return ok
}

// within counts those of ids from lo to hi.
func within(ids []int64, lo, hi int64) int64 {
	i, _ := slices.BinarySearch(ids, lo)
	j, ok := slices.BinarySearch(ids, hi)
	if ok {
		j++
	}
	return int64(max(0, j-i))
}

// valid reports whether what was written under n counts.
func (w *writeIDs) valid(n int64) bool {
	return n <= 0 || n <= w.high && !has(w.open, n) && !has(w.aborted, n)
}

// why tells why n is not valid.
func (w *writeIDs) why(n int64) string {
	switch {
	case n > w.high:
		return "is newer than the list"
	case has(w.open, n):
		return "was open"
	}
	return "was aborted"
}

// any reports whether some write id from lo to hi is valid.
func (w *writeIDs) any(lo, hi int64) bool {
	if lo > hi {
		return false
	}
	if lo <= 0 {
		return true
	}
	hi = min(hi, w.high)
	if lo > hi {
		return false
	}
	invalid := within(w.open, lo, hi) + within(w.aborted, lo, hi)
	if invalid == 0 {
		return true
	}
	both := int64(0) // that the list names twice
	for _, n := range w.open {
		if n >= lo && n <= hi && has(w.aborted, n) {
			both++
		}
	}
	return uint64(invalid-both) <= uint64(hi-lo)
}

// all reports whether every write id from lo to hi is valid.
func (w *writeIDs) all(lo, hi int64) bool {
	lo = max(lo, 1)
	return hi < lo || hi <= w.high && within(w.open, lo, hi) == 0 && within(w.aborted, lo, hi) == 0
}
