package unzstd

import "math/bits"

// An FSE table has an entry for each state, in a uint64:
//
//	bits of the next state 8 | extra bits 8 | base of the next state 16 | base of the value 32
//
// where extra bits are those that a value has behind its base. In a table of weights the value is the weight.
const (
	fseExtra = 8
	fseNext  = 16
	fseBase  = 32
)

const mostFSELog = 9

// fse is a table.
type fse struct {
	entries [1 << mostFSELog]uint64
}

// readCounts reads the header of a table, how often each symbol occurs among 1<<log, into counts, and returns how many
// symbols there are and how many bytes of src the header takes. -1 is a symbol that is rarer than once.
func readCounts(counts []int16, mostLog uint, src []byte) (log uint, symbols, used int, err error) {
	log = uint(window(src, 0)&15) + 5
	if log > mostLog {
		return 0, 0, 0, ErrCorrupt
	}
	pos, left := 4, 1<<log+1 // one more than what is left
	for left > 1 {
		if symbols == len(counts) || pos > 8*len(src) {
			return 0, 0, 0, ErrCorrupt
		}
		v := int(window(src, pos))
		n := bits.Len(uint(left))
		short := 1<<n - 1 - left // that many numbers need a bit less
		if half := v & (1<<(n-1) - 1); half < short {
			v = half
			pos += n - 1
		} else {
			if v &= 1<<n - 1; v >= 1<<(n-1) {
				v -= short
			}
			pos += n
		}
		count := v - 1
		if count == 1<<log {
			return 0, 0, 0, ErrCorrupt // that is another mode
		}
		counts[symbols] = int16(count)
		symbols++
		left -= max(count, -count)
		for more := count == 0; more; { // symbols that do not occur
			n := int(window(src, pos) & 3)
			pos += 2
			if n > len(counts)-symbols || pos > 8*len(src) {
				return 0, 0, 0, ErrCorrupt
			}
			clear(counts[symbols : symbols+n])
			symbols += n
			more = n == 3
		}
	}
	used = (pos + 7) >> 3
	if left != 1 || used > len(src) {
		return 0, 0, 0, ErrCorrupt
	}
	return log, symbols, used, nil
}

// build makes a table. values has the entry of each symbol, without what leads to the next state.
func (t *fse) build(counts []int16, log uint, values []uint64) {
	size := 1 << log
	var next [64]uint16
	var symbols, ordered [1<<mostFSELog + 8]uint8
	high, n := size, 0
	for s, c := range counts {
		next[s&63] = uint16(max(c, -c))
		if c < 0 {
			high--
			symbols[high] = uint8(s)
			continue
		}
		eight := uint64(s) * 0x0101010101010101
		for i := 0; i < int(c); i += 8 {
			putLE64(ordered[n+i:], eight)
		}
		n += int(c)
	}
	// The symbols, one behind the other, are put at steps around the table, but not where the rare ones are.
	at, step, mask := 0, size>>1+size>>3+3, size-1
	for _, s := range ordered[:n] {
		for at >= high {
			at = (at + step) & mask
		}
		symbols[at&(1<<mostFSELog-1)] = s
		at = (at + step) & mask
	}
	entries := t.entries[:size]
	for i, s := range symbols[:len(entries)] {
		x := uint(next[s&63])
		next[s&63]++
		n := log + 1 - uint(bits.Len(x))
		entries[i] = values[s] | uint64(n) | uint64(x<<(n&15)-uint(size))<<fseNext
	}
}
