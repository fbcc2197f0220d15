package trevni

import "encoding/binary"

// Lengths that differ from entry to entry are costly for the loops of lengths.go: the processor guesses each branch wrong
// that depends on them. mixed makes the codes of some entries without a branch. It does so only where each code takes a byte,
// and there are few values in an entry; elsewhere the loops are as fast.

const (
	mixedEntries = 256  // of a chunk, at most
	mixedValues  = 1024 // of a chunk, at most
	leastMixed   = 32   // entries of a chunk that is worth it
	mixedPause   = 4096 // entries that the loops take after a chunk that was none for mixed, or had long runs
	mixedSample  = 64   // entries that tell whether lengths change, which
	mixedShare   = 4    // one in so many has to
	mixedRun     = 32   // entries of a run whose code takes one byte
)

// mixed are the codes of a chunk of entries.
type mixed struct {
	codes [2*mixedEntries + 1]byte // one behind another
	marks [2 * mixedValues]byte    // by value: how many of the codes stand before it, at most 2
	pause int                      // entries that are for the loops
}

// mixedEnd returns the end of a chunk that begins with entry from; from itself if there is none.
func mixedEnd(offs []int32, from, to int) int {
	n := min(mixedEntries, to-from)
	for n >= leastMixed && offs[from+n]-offs[from] > mixedValues {
		n /= 2
	}
	if n < leastMixed {
		return from
	}
	return from + n
}

// openRun is an open run of entries of the same length, 0 or 1: their number, and the length.
type openRun struct{ n, length int }

// encode makes the codes and marks of entries of which offs are the prefix sums. Before them is the open run r. It
// returns the number of codes and the open run at the end, whose code is the last if there is one.
// ok = false: a code takes more than a byte.
//
// The code of a length n is 2n; of a run of k, 4k-7 for zeros, and 4k-5 for ones.
func (m *mixed) encode(offs []int32, r openRun) (codes int, end openRun, ok bool) {
	if r.n > mixedRun {
		return 0, openRun{}, false
	}
	last, code := int32(-1), int32(0)
	at, pending := -1, 0
	if r.n > 0 {
		last, code = int32(r.length), int32(2*r.length)
		if r.n > 1 {
			code += int32(4*r.n - 7)
		}
		at, pending = 0, 1
		m.codes[0] = byte(code)
	}
	base := offs[0]
	clear(m.marks[:offs[len(offs)-1]-base+1])
	start, all := base, int32(0)
	for _, end := range offs[1:] {
		n := end - start
		step := int32(4)
		if code == 2*n {
			step = 1
		}
		another := 1 // code
		if n == last {
			another = 0
		}
		if n > 1 {
			another = 1
		}
		code += step
		if another != 0 {
			code = 2 * n
		}
		last = n
		all |= code
		at += another
		pending += another
		m.codes[at&(2*mixedEntries-1)] = byte(code)
		m.marks[(start-base)&(2*mixedValues-1)] = byte(pending)
		if n > 0 {
			pending = 0
		}
		start = end
	}
	switch {
	case all >= 128:
		return 0, openRun{}, false
	case last > 1:
		return at + 1, openRun{}, true
	case code == 2*last:
		return at + 1, openRun{1, int(last)}, true
	}
	return at + 1, openRun{int(code+7-2*last) / 4, int(last)}, true
}

// chunk makes the codes of entries from from on, as encode does, and returns the entry behind them: from itself if the loops
// are to take some, those before next. closed: a run of ones may not stay open.
func (m *mixed) chunk(offs []int32, from, to int, r openRun, closed bool) (end, codes int, left openRun, next int) {
	end = mixedEnd(offs, from, to)
	for closed && end > from && offs[end]-offs[end-1] == 1 {
		end--
	}
	if end-from < leastMixed {
		return from, 0, r, min(from+leastMixed, to)
	}
	if m.pause > 0 {
		next = min(from+m.pause, to)
		m.pause -= next - from
		return from, 0, r, next
	}
	if changes(offs[from:end+1]) >= mixedSample/mixedShare {
		if codes, left, ok := m.encode(offs[from:end+1], r); ok {
			if left.n > 0 {
				codes-- // its code is not complete
			}
			return end, codes, left, end
		}
	}
	m.pause = mixedPause
	return from, 0, r, end
}

// changes counts how many of the first entries have another length than the one before.
func changes(offs []int32) int {
	start, n, k := offs[0], int32(0), 0
	for _, end := range offs[1:min(len(offs), mixedSample)] {
		if end-start != n {
			k++
		}
		start, n = end, end-start
	}
	return k
}

// mixedEntries appends entries with the codes that m made of them, values lo to hi, and returns where they end in dst.
func (v bytesValues) mixedEntries(m *mixed, dst []byte, p int, lo, hi int) int {
	q, start, safe := 0, int(v.offsets[lo]), len(v.data)-32
	offsets := v.offsets[lo+1 : hi+1]
	for i, k := range m.marks[:len(offsets)] {
		end := int(offsets[i])
		*(*[2]byte)(dst[p:]) = *(*[2]byte)(m.codes[q&(2*mixedEntries-1):])
		p, q = p+int(k), q+int(k)
		n := end - start
		if n <= 32 && start <= safe { // most strings are short: moves of a known size
			d, s := (*[33]byte)(dst[p:]), (*[32]byte)(v.data[start:])
			d[0] = byte(n << 1)
			*(*[16]byte)(d[1:]) = *(*[16]byte)(s[:])
			*(*[16]byte)(d[17:]) = *(*[16]byte)(s[16:])
			p += 1 + n
		} else {
			p += binary.PutVarint(dst[p:], int64(n))
			p += copy(dst[p:], v.data[start:end])
		}
		start = end
	}
	return p
}
