package orc

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// mostBound is how many bytes a bound of strings has at most. Of longer values the beginning bounds them from below, and
// from above the beginning with its last character raised.
const mostBound = 1024

// stringStats is about string, varchar, and char with its padding.
type stringStats struct {
	levels[stringFacts, *stringFacts]
	lookup extremes
	// Of dictionaries: seen[id] is turn+1 once the word has come up in the open row group.
	seen  []uint32
	turn  uint32
	fresh []int32
}

type stringFacts struct {
	has          bool
	least, great textBound
	sum          int64
}

// textBound is a value, or the bound of one that is too long.
type textBound struct {
	text []byte
	cut  bool
}

func (b *textBound) set(o textBound) { b.text, b.cut = append(b.text[:0], o.text...), o.cut }

// merge takes bounds of cut values for values, as Java does: what lies between a value and its bound changes nothing.
func (f *stringFacts) merge(o *stringFacts) {
	f.sum += o.sum
	if !o.has {
		return
	}
	if !f.has || bytes.Compare(o.least.text, f.least.text) < 0 {
		f.least.set(o.least)
	}
	if !f.has || bytes.Compare(o.great.text, f.great.text) > 0 {
		f.great.set(o.great)
	}
	f.has = true
}

func (f *stringFacts) reset() { f.has, f.sum = false, 0 }

// tell cuts bounds that are not UTF-8 before the first byte that is not: the fields are text, and there are readers that
// refuse others.
func (f *stringFacts) tell(s *orcwire.ColumnStats) {
	s.String = new(orcwire.StringStats)
	if !f.has {
		return
	}
	s.String.Sum = new(f.sum)
	if least := append([]byte{}, f.least.text...); f.least.cut || !utf8.Valid(least) {
		s.String.Lower = least[:validText(least)]
	} else {
		s.String.Min = least
	}
	great := append([]byte{}, f.great.text...)
	if n := validText(great); n < len(great) {
		if raised, ok := raise(great[:n]); ok {
			s.String.Upper = raised
			return
		}
	}
	if f.great.cut {
		s.String.Upper = great
	} else {
		s.String.Max = great
	}
}

// add adds values to the open row group: offsets[i] to offsets[i+1] of data is value i.
func (s *stringStats) add(offsets []int32, data []byte) {
	if len(offsets) < 2 {
		return
	}
	f, x := &s.group.facts, &s.lookup
	f.sum += int64(offsets[len(offsets)-1] - offsets[0])
	n := len(offsets) - 1
	x.begin(f, data[offsets[0]:offsets[1]])
	for _, i := range [...]int{n / 2, n - 1} {
		x.guess(data[offsets[i]:offsets[i+1]])
	}
	from := int(offsets[0])
	for _, o := range offsets[1:] {
		to := int(o)
		x.look(data, from, to)
		from = to
	}
	x.end(f)
}

// addIDs adds values to the open row group that are words of a dictionary, by number, and have total bytes together. Within a row
// group a number means the same word always; the dictionary may grow. It returns the numbers that are new in the row group, each once,
// which are good until the next call.
func (s *stringStats) addIDs(ids []int32, total int64, offsets []int32, data []byte) []int32 {
	if len(ids) == 0 {
		return nil
	}
	if n := len(offsets) - 1; n > len(s.seen) {
		s.seen = append(s.seen, make([]uint32, max(n, 2*len(s.seen))-len(s.seen))...)
	}
	if len(s.fresh) < len(ids) {
		s.fresh = make([]int32, len(ids))
	}
	// Each number is written, and kept if it is new: no branch to guess.
	fresh, n := s.fresh[:len(ids)], 0
	seen, mark := s.seen, s.turn+1
	for _, id := range ids {
		fresh[n] = id
		more := 0
		if seen[id] != mark {
			more = 1
		}
		seen[id] = mark
		n += more
	}
	f, x := &s.group.facts, &s.lookup
	f.sum += total
	x.begin(f, data[offsets[ids[0]]:offsets[ids[0]+1]])
	for _, id := range fresh[:n] {
		x.look(data, int(offsets[id]), int(offsets[id+1]))
	}
	x.end(f)
	return fresh[:n]
}

// lengthOf returns how many bytes words of a dictionary have together.
func lengthOf(ids, offsets []int32) (n int64) {
	for _, id := range ids {
		n += int64(offsets[id+1] - offsets[id])
	}
	return n
}

func (s *stringStats) endGroup() *orcwire.ColumnStats {
	s.forget()
	return s.levels.endGroup()
}

func (s *stringStats) endStripe(bytes int64) *orcwire.ColumnStats {
	s.forget()
	return s.levels.endStripe(bytes)
}

func (s *stringStats) forget() {
	if s.turn++; s.turn+1 == 0 {
		clear(s.seen)
		s.turn = 0
	}
}

// extremes looks for the bounds of values. While it does, bounds are parts of the values' memory.
type extremes struct {
	least, great textBound
	shared       []byte  // what both begin with, or less
	low, high    uint64  // a value that begins so and whose rest has a key from low to high is no new bound
	spare        []byte  // of a cut great
	moved        [2]bool // least, great are not those of the facts
}

// begin goes on from the facts; if there are none, from the first value.
func (x *extremes) begin(f *stringFacts, first []byte) {
	x.moved = [2]bool{}
	if f.has {
		x.least, x.great = f.least, f.great
	} else {
		x.setLeast(first)
		x.setGreat(first)
	}
	x.shared = x.least.text
	x.guess(x.great.text)
}

// leastShared is how many bytes must be shared before it pays to compare them.
const leastShared = 4

// guess makes shared what v begins with as well, and sets the keys.
func (x *extremes) guess(v []byte) {
	n := 0
	for n < len(v) && n < len(x.shared) && v[n] == x.shared[n] {
		n++
	}
	if n < leastShared {
		n = 0
	}
	x.shared = x.shared[:n]
	x.low, x.high = lowest(keyAt(x.least.text, n, len(x.least.text))), highest(keyAt(x.great.text, n, len(x.great.text)))
}

// lowest returns the least key whose value is not less than one with key k.
func lowest(k uint64) uint64 {
	if exact(k) {
		return k
	}
	return k + 1
}

// highest returns the greatest key whose value is not greater than one with key k.
func highest(k uint64) uint64 {
	if exact(k) {
		return k
	}
	return k - 1
}

// seeKey looks at a value that begins as the bounds do, and whose key is not from low to high.
func (x *extremes) seeKey(v []byte, k uint64) {
	switch {
	case len(v) > mostBound:
		x.see(v)
	case k > x.high && (exact(k) || k != x.high+1 || bytes.Compare(v, x.great.text) > 0):
		x.moved[1], x.great, x.high = true, textBound{v, false}, highest(k)
	case k < x.low && (exact(k) || k != x.low-1 || bytes.Compare(v, x.least.text) < 0):
		x.moved[0], x.least, x.low = true, textBound{v, false}, lowest(k)
	}
}

// look looks at the value data[from:to].
func (x *extremes) look(data []byte, from, to int) {
	if n := len(x.shared); n > 0 {
		if to-from < n || string(data[from:from+n]) != string(x.shared) {
			x.see(data[from:to])
			return
		}
		from += n
	}
	if k := keyAt(data, from, to); k < x.low || k > x.high {
		x.seeKey(data[from-len(x.shared):to], k)
	}
}

// see looks at any value.
func (x *extremes) see(v []byte) {
	if bytes.Compare(v, x.least.text) < 0 {
		x.setLeast(v)
		x.guess(x.least.text)
	} else if bytes.Compare(v, x.great.text) > 0 {
		x.setGreat(v)
		x.guess(x.great.text)
	}
}

func (x *extremes) setLeast(v []byte) {
	x.moved[0] = true
	x.least = textBound{v, false}
	if len(v) > mostBound {
		x.least = textBound{v[:cutText(v, mostBound)], true}
	}
}

func (x *extremes) setGreat(v []byte) {
	x.moved[1] = true
	x.great = textBound{v, false}
	if len(v) > mostBound {
		x.spare = append(x.spare[:0], v[:cutText(v, mostBound)]...)
		if raised, ok := raise(x.spare); ok {
			x.great = textBound{raised, true}
		}
	}
}

// end copies bounds that are new into the facts.
func (x *extremes) end(f *stringFacts) {
	if x.moved[0] {
		f.least.set(x.least)
	}
	if x.moved[1] {
		f.great.set(x.great)
	}
	f.has = true
	x.least, x.great, x.shared = textBound{}, textBound{}, nil
}

// keyAt returns seven bytes of data[from:to] as a number, zeros behind a shorter value, and behind them how many there are, 8
// for more than seven. Of two values the one with the lower key is the lower; those with the same key are the same if it
// is exact.
func keyAt(data []byte, from, to int) uint64 {
	n := uint64(min(to-from, 8))
	if from+8 <= len(data) {
		k := binary.BigEndian.Uint64(data[from:])
		return k&^(^uint64(0)>>(8*n)|0xff) | n
	}
	var b [8]byte
	copy(b[:], data[from:to])
	return binary.BigEndian.Uint64(b[:])&^0xff | n
}

func exact(key uint64) bool { return key&0xff < 8 }

// cutText returns the greatest number of bytes, n at most, at which a character of longer text begins.
func cutText(text []byte, n int) int {
	for at := n; at > n-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return n // that is not UTF-8
}

// validText returns how many bytes of text are UTF-8.
func validText(text []byte) int {
	if utf8.Valid(text) {
		return len(text)
	}
	n := 0
	for {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size <= 1 {
			return n
		}
		n += size
	}
}

// raise makes of text, in place, an upper bound of all texts that begin with it: its last character is replaced by the next one. The
// highest character of all has no next one: it is left out, and the character before it is replaced. false: there is no bound. Java
// makes no such bound, nor one where the next character would be half a surrogate pair: it writes bytes there that are no text.
func raise(text []byte) ([]byte, bool) {
	for len(text) > 0 {
		r, size := utf8.DecodeLastRune(text)
		if r == utf8.RuneError && size <= 1 {
			return nil, false
		}
		text = text[:len(text)-size]
		switch r {
		case utf8.MaxRune:
			continue
		case 0xd7ff:
			r = 0xe000
		default:
			r++
		}
		return utf8.AppendRune(text, r), true
	}
	return nil, false
}
