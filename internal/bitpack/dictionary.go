package bitpack

import (
	"errors"
	"math"
)

// ErrID is returned for a dictionary id that is negative, or not below the number of entries.
var ErrID = errors.New("bitpack: no such dictionary entry")

// Dictionary is a list of byte strings, prepared for being gathered by number. Its zero value has no entries. Gathering
// does not change it, so that several goroutines may do it at once.
//
// Short entries are kept a second time, in cells of one size, each followed by whatever: copying a cell takes no branch
// on the length, and the next one overwrites what was too much.
//
//	longest    0         1               2..16, 17..32           longer, or too many for cells
//	kept as    nothing   byte + length   cell + length           offsets, bytes
//	copied     nothing   one byte        16, 32 bytes            64 bytes, and the rest
type Dictionary struct {
	offsets []int32
	data    []byte
	longest int
	mode    dictionaryMode
	lens    []uint8
	ones    []byte
	cells16 [][16]byte
	cells32 [][32]byte
}

// dictionaryMode is how entries are copied.
type dictionaryMode uint8

const (
	byNothing dictionaryMode = iota // there is nothing to copy
	byByte
	byCell16
	byCell32
	byOffset
)

// Cells take up to so many bytes, or so many times the bytes of the entries where those are more.
const (
	cellBytes = 4 << 20
	cellTimes = 3
)

// NewDictionary returns the dictionary of the entries data[offsets[i]:offsets[i+1]]. It keeps both slices, which must
// not change while it is used. Offsets that descend or lead out of data are a bug of the caller, and panic. Bytes of
// data behind the last entry are slack: SrcSlack of them let long entries be copied fast to the last.
func NewDictionary(offsets []int32, data []byte) *Dictionary {
	d := new(Dictionary)
	d.Reset(offsets, data)
	return d
}

// Reset makes d the dictionary that NewDictionary would return, in the memory that it has. It is not for a dictionary
// that someone still gathers from.
func (d *Dictionary) Reset(offsets []int32, data []byte) {
	d.offsets, d.data, d.longest, d.mode = offsets, data, 0, byNothing
	n := d.Len()
	if n == 0 {
		return
	}
	_ = data[offsets[0]:offsets[n]]
	at := offsets[0]
	for _, end := range offsets[1:] {
		if end < at {
			panic("bitpack: dictionary offsets descend")
		}
		d.longest = max(d.longest, int(end-at))
		at = end
	}
	room := max(cellBytes, cellTimes*int(offsets[n]-offsets[0]))
	switch {
	case d.longest == 0:
		return
	case d.longest == 1:
		d.mode = byByte
		d.ones = resized(d.ones, n)
	case d.longest <= 16 && n <= room/16:
		d.mode = byCell16
		d.cells16 = resized(d.cells16, n)
	case d.longest <= 32 && n <= room/32:
		d.mode = byCell32
		d.cells32 = resized(d.cells32, n)
	default:
		d.mode = byOffset
		return
	}
	d.lens = resized(d.lens, n)
	for i := range d.lens {
		e := d.At(i)
		d.lens[i] = uint8(len(e))
		switch d.mode {
		case byByte:
			d.ones[i] = 0
			copy(d.ones[i:i+1], e)
		case byCell16:
			d.cells16[i] = [16]byte{}
			copy(d.cells16[i][:], e)
		case byCell32:
			d.cells32[i] = [32]byte{}
			copy(d.cells32[i][:], e)
		}
	}
}

// resized returns a slice of n elements with any values, s where that is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Len returns the number of entries.
func (d *Dictionary) Len() int { return max(len(d.offsets)-1, 0) }

// Longest returns the length of the longest entry in bytes. Where it is short, reserving it for each id costs less than
// asking for the Size of all of them.
func (d *Dictionary) Longest() int { return d.longest }

// At returns entry i, which is the dictionary's.
func (d *Dictionary) At(i int) []byte { return d.data[d.offsets[i]:d.offsets[i+1]:d.offsets[i+1]] }

// Size returns the bytes of the entries that ids name, all of them together; ErrID if an id names none.
func (d *Dictionary) Size(ids []int32) (int64, error) {
	if !d.Has(ids) {
		return 0, ErrID
	}
	var sum int64
	switch d.mode {
	case byNothing:
	case byOffset:
		starts := d.offsets[:d.Len()]
		ends := d.offsets[1:][:len(starts)]
		for _, id := range ids {
			sum += int64(ends[uint32(id)] - starts[uint32(id)])
		}
	default:
		for _, id := range ids {
			sum += int64(d.lens[uint32(id)])
		}
	}
	return sum, nil
}

// Has reports whether all ids name entries: a negative id is a great unsigned one.
func (d *Dictionary) Has(ids []int32) bool {
	var b, c, e uint32
	a, i := mostOf(ids)
	for ; i+4 <= len(ids); i += 4 {
		s := (*[4]int32)(ids[i:])
		a, b, c, e = max(a, uint32(s[0])), max(b, uint32(s[1])), max(c, uint32(s[2])), max(e, uint32(s[3]))
	}
	for ; i < len(ids); i++ {
		a = max(a, uint32(ids[i]))
	}
	return len(ids) == 0 || int64(max(a, b, c, e)) < int64(d.Len())
}

// Gather appends the entries that ids name: their bytes go to data from offsets[0] on, the end of each to the next of
// offsets, of which there is one more than ids. It fails with ErrID before it writes anything if an id names no entry,
// and with ErrRoom if the entries do not fit data, or the reach of int32; then offsets and data are undefined. data
// behind the last entry is scratch. It is fast while DstSlack bytes remain.
func (d *Dictionary) Gather(offsets []int32, data []byte, ids []int32) error {
	if !d.Has(ids) {
		return ErrID
	}
	if len(data) > math.MaxInt32 {
		data = data[:math.MaxInt32]
	}
	q := int(offsets[0])
	ends := offsets[1 : len(ids)+1]
	if d.mode == byNothing {
		for i := range ends {
			ends[i] = int32(q)
		}
		return nil
	}
	done, q := d.gatherVectors(ends, data, ids, q)
	ends, ids = ends[done:], ids[done:]
	switch d.mode {
	case byByte:
		done, q = gatherBytes(d.ones, d.lens, ends, data, ids, q)
	case byCell16:
		done, q = gather16(d.cells16, d.lens, ends, data, ids, q)
	case byCell32:
		done, q = gather32(d.cells32, d.lens, ends, data, ids, q)
	default:
		done, q = gatherLong(d.offsets, d.data, ends, data, ids, q)
	}
	for i, id := range ids[done:] {
		e := d.At(int(id))
		if len(e) > len(data)-q {
			return ErrRoom
		}
		copy(data[q:], e)
		q += len(e)
		ends[done+i] = int32(q)
	}
	return nil
}

// The functions below copy entries to data from q on while the widest copy fits. They return how many they copied, and
// the end of the last. The ids have been checked.

func gatherBytes(ones []byte, lens []uint8, ends []int32, data []byte, ids []int32, q int) (done, end int) {
	ends, lens = ends[:len(ids)], lens[:len(ones)]
	for i, id := range ids {
		if uint(q) >= uint(len(data)) {
			return i, q
		}
		data[q] = ones[uint32(id)]
		q += int(lens[uint32(id)])
		ends[i] = int32(q)
	}
	return len(ids), q
}

func gather16(cells [][16]byte, lens []uint8, ends []int32, data []byte, ids []int32, q int) (done, end int) {
	ends, lens = ends[:len(ids)], lens[:len(cells)]
	for i, id := range ids {
		if q > len(data)-16 {
			return i, q
		}
		*(*[16]byte)(data[q:]) = cells[uint32(id)]
		q += int(lens[uint32(id)])
		ends[i] = int32(q)
	}
	return len(ids), q
}

func gather32(cells [][32]byte, lens []uint8, ends []int32, data []byte, ids []int32, q int) (done, end int) {
	ends, lens = ends[:len(ids)], lens[:len(cells)]
	for i, id := range ids {
		if q > len(data)-32 {
			return i, q
		}
		*(*[32]byte)(data[q:]) = cells[uint32(id)]
		q += int(lens[uint32(id)])
		ends[i] = int32(q)
	}
	return len(ids), q
}

// gatherLong copies 64 bytes at first, unless the dictionary ends there.
func gatherLong(offsets []int32, entries []byte, ends []int32, data []byte, ids []int32, q int) (done, end int) {
	starts := offsets[:len(offsets)-1]
	offsets = offsets[1:][:len(starts)]
	ends = ends[:len(ids)]
	for i, id := range ids {
		s := int(starts[uint32(id)])
		n := int(offsets[uint32(id)]) - s
		if max(n, 64) > len(data)-q {
			return i, q
		}
		src, dst := entries[s:], data[q:]
		if len(src) >= 64 {
			// As one array of 64 it would go through the stack.
			s, d := (*[64]byte)(src), (*[64]byte)(dst)
			*(*[16]byte)(d[:16]) = *(*[16]byte)(s[:16])
			*(*[16]byte)(d[16:32]) = *(*[16]byte)(s[16:32])
			*(*[16]byte)(d[32:48]) = *(*[16]byte)(s[32:48])
			*(*[16]byte)(d[48:]) = *(*[16]byte)(s[48:])
			if n > 64 {
				copy(dst[64:], src[64:n])
			}
		} else {
			copy(dst, src[:n])
		}
		q += n
		ends[i] = int32(q)
	}
	return len(ids), q
}
