package extsort

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// entry is a row to be sorted: eight bytes of its key, and which row it is.
type entry = [2]uint64

const (
	entryWord = 0
	entryRef  = 1
)

// ref names a row: the number of its batch in the upper half, its row in the lower. Refs ascend as rows came.
func ref(batch, row int) uint64 { return uint64(batch)<<32 | uint64(row) }

func refBatch(r uint64) int { return int(r >> 32) }
func refRow(r uint64) int   { return int(uint32(r)) }

// orderBytes is what a row takes while it is put in order.
const orderBytes = 40

const (
	insertionMax = 16   // entries that insertion sorts best
	radixMin     = 1024 // entries from which on counting bytes beats comparing words
)

// orderer sorts rows by their keys, eight bytes at a time: rows with the same eight are sorted by the next eight.
type orderer struct {
	batches []*batch
	e, tmp  arrowbuf.Vec[entry]
	counts  [8][256]uint32
}

// sorted returns the rows of batches in order, those of equal keys as they came. The result is valid until release.
func (o *orderer) sorted(batches []*batch, rows int) []entry {
	o.batches = batches
	e := o.e.Grow(rows)
	o.tmp.Grow(rows)
	at := 0
	for b, x := range batches {
		k := &x.keys
		for i := range x.n {
			e[at] = entry{k.word(i, 0), ref(b, i)}
			at++
		}
	}
	o.sort(e, 0)
	o.tmp.Release()
	return e
}

func (o *orderer) release() {
	o.e.Release()
	o.tmp.Release()
	o.batches = nil
}

func (o *orderer) keys(r uint64) (*keys, int) { return &o.batches[refBatch(r)].keys, refRow(r) }

// load sets the words to the eight bytes from depth on.
func (o *orderer) load(e []entry, depth int) {
	for i := range e {
		k, row := o.keys(e[i][entryRef])
		e[i][entryWord] = k.word(row, depth)
	}
}

// sort sorts entries whose keys are the same up to depth and whose words are the eight bytes from there on. Entries that
// are equal as far as they were looked at are in the order of their refs all the time.
func (o *orderer) sort(e []entry, depth int) {
	for len(e) > 1 {
		if len(e) <= insertionMax {
			o.insertion(e, depth)
			return
		}
		var diff uint64
		ascends := true
		for i := 1; i < len(e); i++ {
			diff |= e[i][entryWord] ^ e[0][entryWord]
			ascends = ascends && e[i-1][entryWord] <= e[i][entryWord]
		}
		if diff == 0 { // no recursion here: keys may have long beginnings in common
			depth += 8
			e = o.longer(e, depth)
			o.load(e, depth)
			continue
		}
		if same := bits.LeadingZeros64(diff) / 8; same > 0 && len(e) >= radixMin && !ascends && o.goOn(depth+8) {
			depth += same
			o.load(e, depth)
			continue
		}
		switch {
		case ascends:
		case len(e) >= radixMin:
			o.radix(e, diff)
		default:
			slices.SortFunc(e, func(a, b entry) int {
				if a[entryWord] != b[entryWord] {
					return cmp.Compare(a[entryWord], b[entryWord])
				}
				return cmp.Compare(a[entryRef], b[entryRef])
			})
		}
		if !o.goOn(depth + 8) {
			return
		}
		for from := 0; from < len(e); {
			to := from + 1
			for to < len(e) && e[to][entryWord] == e[from][entryWord] {
				to++
			}
			if to-from > 1 {
				same := o.longer(e[from:to], depth+8)
				o.load(same, depth+8)
				o.sort(same, depth+8)
			}
			from = to
		}
		return
	}
}

// goOn reports whether keys may be longer than depth.
func (o *orderer) goOn(depth int) bool {
	k := &o.batches[0].keys
	return k.ends != nil || depth < k.width
}

// longer returns those of entries, equal up to depth, whose keys go on there, after putting the others in front of them,
// in the order of their lengths: what is missing of a key was compared as zeroes.
func (o *orderer) longer(e []entry, depth int) []entry {
	if o.batches[0].keys.ends == nil {
		if o.goOn(depth) {
			return e
		}
		return nil
	}
	ended := 0
	for i := range e {
		k, row := o.keys(e[i][entryRef])
		from, to := k.span(row)
		n := min(to-from, depth+1)
		if n <= depth {
			ended++
		}
		e[i][entryWord] = uint64(n)
	}
	if ended == 0 {
		return e
	}
	slices.SortStableFunc(e, func(a, b entry) int { return cmp.Compare(a[entryWord], b[entryWord]) })
	return e[ended:]
}

func (o *orderer) insertion(e []entry, depth int) {
	more := o.goOn(depth + 8)
	for i := 1; i < len(e); i++ {
		x := e[i]
		j := i
		for ; j > 0; j-- {
			y := e[j-1]
			if y[entryWord] < x[entryWord] || y[entryWord] == x[entryWord] && (!more || !o.after(y[entryRef], x[entryRef], depth+8)) {
				break
			}
			e[j] = y
		}
		e[j] = x
	}
}

// after reports whether row a comes after row b by what their keys are from depth on.
func (o *orderer) after(a, b uint64, depth int) bool {
	ka, i := o.keys(a)
	kb, j := o.keys(b)
	x, y := ka.key(i), kb.key(j)
	if c := bytes.Compare(x[min(depth, len(x)):], y[min(depth, len(y)):]); c != 0 {
		return c > 0
	}
	return len(x) > len(y)
}

// radix sorts by the words, from the last byte that differs to the first; each pass keeps the order of the one before.
func (o *orderer) radix(e []entry, diff uint64) {
	for k := range o.counts {
		if diff>>(8*k)&0xFF != 0 {
			clear(o.counts[k][:])
		}
	}
	for k := range o.counts {
		if diff>>(8*k)&0xFF == 0 {
			continue
		}
		c := &o.counts[k]
		for i := range e {
			c[uint8(e[i][entryWord]>>(8*k))]++
		}
	}
	from, to := e, o.tmp.Values()[:len(e)]
	for k := range o.counts {
		if diff>>(8*k)&0xFF == 0 {
			continue
		}
		c := &o.counts[k]
		at := uint32(0)
		for i, n := range c {
			c[i] = at
			at += n
		}
		for _, x := range from {
			d := uint8(x[entryWord] >> (8 * k))
			to[c[d]] = x
			c[d]++
		}
		from, to = to, from
	}
	if &from[0] != &e[0] {
		copy(e, from)
	}
}
