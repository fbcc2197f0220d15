package cfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// keyOut encodes the keys of rows, checks that they ascend, and writes the key index and the bloom filters of a rowset.
type keyOut struct {
	d         *driver
	columns   []column // of the key
	parts     []keyPart
	fixed     int  // bytes of a key that are of fixed width
	strings   bool // there are others
	composite bool
	lone      bool // it is of a lone file: only the order is checked
	broken    bool // keys do not ascend, where that is allowed

	index     cfilewire.ColumnOut // where the key has several columns
	indexFile fileOut
	bloom     cfilewire.BloomFileOut
	bloomFile fileOut

	offsets []int32 // of the keys of a window
	data    []byte
	at      []int32 // where the next part of each key goes

	last     []byte // the key before
	any      bool   // there is one
	least    []byte // of the rowset
	rowsHere int64
}

// keyPart is what a column gives to the keys of a window.
type keyPart struct {
	scratch scratch
	rows    rows
	values  []byte // of fixed width, as they are stored
	zeros   bool   // some string may have a byte 00, which takes two in keys
}

// mostKey is the longest key of which two, the least and the greatest, have room in a footer. Kudu's servers take half as
// much, unless they are told to take more.
const mostKey = cfilewire.MaxMetaBytes/2 - 512

// keyBytes is about how many bytes of keys are put together at a time.
const keyBytes = 1 << 20

func newKeyOut(d *driver) *keyOut {
	columns := d.keyColumns()
	k := &keyOut{d: d, columns: columns, parts: make([]keyPart, len(columns)), composite: d.keys > 1, lone: d.keys == 0}
	for i := range k.columns {
		w := k.columns[i].wire.Type.Width()
		k.fixed += w
		k.strings = k.strings || w == 0
	}
	return k
}

// put takes the keys of rows; p is the place of the first.
func (k *keyOut) put(rec arrow.Record, from, to int, p place) error {
	for from < to && !k.broken {
		n, err := k.take(rec, from, min(to-from, window), p)
		if err != nil {
			return err
		}
		for done := 0; done < n; {
			m, err := k.encode(done, n)
			if err != nil {
				return err
			}
			if err := k.check(m, place{p.format, p.row + int64(done)}); err != nil {
				return err
			}
			if k.broken {
				return nil
			}
			if err := k.write(m); err != nil {
				return err
			}
			done += m
		}
		from += n
		p.row += int64(n)
	}
	return nil
}

// take views the columns of up to n rows, and returns how many those are.
func (k *keyOut) take(rec arrow.Record, from, n int, p place) (int, error) {
	for i := range k.columns {
		part, c := &k.parts[i], &k.columns[i]
		var err error
		part.rows, err = part.scratch.rows(rec.Column(c.field), from, n)
		if err == nil {
			err = c.checkNulls(&part.rows, p)
		}
		if err == nil && !c.wire.Type.Binary() {
			part.values, err = c.values(&part.rows, &part.scratch, p)
		}
		if err != nil {
			return 0, errs.Locate(err, errs.At{Format: p.format, Column: c.wire.Name})
		}
		n = min(n, part.rows.n)
	}
	return n, nil
}

// encode puts together the keys of rows from one to n of what was taken, until they are many bytes, but one at least.
func (k *keyOut) encode(from, n int) (int, error) {
	if n -= from; k.fixed > 0 {
		n = min(n, max(1, keyBytes/k.fixed))
	}
	k.offsets, k.at = grow(k.offsets, n+1), grow(k.at, n)
	for i := range k.offsets {
		k.offsets[i] = int32(i * k.fixed)
	}
	if k.strings {
		var err error
		if n, err = k.measure(from, n); err != nil {
			return 0, err
		}
	}
	offsets, at := k.offsets[:n+1], k.at[:n]
	copy(at, offsets)
	k.data = grow(k.data, int(offsets[n]))
	for i := range k.parts {
		part, t := &k.parts[i], k.columns[i].wire.Type
		switch t.Width() {
		case 0:
			part.strings(k.data, at, from, i == len(k.parts)-1)
		case 1:
			fixedPart[uint8](k.data, at, part.values[from:], t.Signed())
		case 2:
			fixedPart[uint16](k.data, at, part.values[2*from:], t.Signed())
		case 4:
			fixedPart[uint32](k.data, at, part.values[4*from:], t.Signed())
		case 8:
			fixedPart[uint64](k.data, at, part.values[8*from:], t.Signed())
		default:
			longPart(k.data, at, part.values[16*from:], t.Signed())
		}
	}
	return n, nil
}

// fixedPart adds a number to each key (cfilewire.AppendKey): big-endian, the sign flipped.
func fixedPart[T uint8 | uint16 | uint32 | uint64](data []byte, at []int32, values []byte, signed bool) {
	size := int(unsafe.Sizeof(T(0)))
	flip := T(0)
	if signed {
		flip = 1 << (8*size - 1)
	}
	v := cells[T](values)[:len(at)]
	for i, p := range at {
		x := T(bits.ReverseBytes64(uint64(v[i]^flip)) >> (64 - 8*size))
		cells[T](data[p : int(p)+size])[0] = x
		at[i] = p + int32(size)
	}
}

// longPart is fixedPart for numbers of 16 bytes.
func longPart(data []byte, at []int32, values []byte, signed bool) {
	flip := uint64(0)
	if signed {
		flip = 1 << 63
	}
	v := cells[[2]uint64](values)[:len(at)]
	for i, p := range at {
		binary.BigEndian.PutUint64(data[p:], v[i][1]^flip)
		binary.BigEndian.PutUint64(data[p+8:], v[i][0])
		at[i] = p + 16
	}
}

// measure finds where keys end that have strings.
func (k *keyOut) measure(from, n int) (int, error) {
	for i := range k.parts {
		part := &k.parts[i]
		part.zeros = k.columns[i].wire.Type.Binary() && i < len(k.parts)-1 && part.anyZero(from, n)
	}
	total := int64(0)
	for i := range n {
		size := int64(k.fixed)
		for j := range k.parts {
			part := &k.parts[j]
			if part.rows.offsets == nil || !k.columns[j].wire.Type.Binary() {
				continue
			}
			v := part.string(from + i)
			size += int64(len(v))
			if j < len(k.parts)-1 {
				size += 2
			}
			if part.zeros {
				size += int64(bytes.Count(v, zeroByte))
			}
		}
		if i > 0 && total+size > keyBytes {
			return i, nil
		}
		if total += size; total > math.MaxInt32-keyBytes {
			return 0, errTooLong
		}
		k.offsets[i+1] = int32(total)
	}
	return n, nil
}

var zeroByte = []byte{0}

// string is what the column has in a row.
func (p *keyPart) string(i int) []byte {
	if p.rows.at != nil {
		i = int(p.rows.at[i])
	}
	return p.rows.data[p.rows.offsets[i]:p.rows.offsets[i+1]]
}

// anyZero reports whether some string may have a byte 00.
func (p *keyPart) anyZero(from, n int) bool {
	r := &p.rows
	if r.at != nil {
		return true
	}
	return bytes.IndexByte(r.data[r.offsets[from]:r.offsets[from+n]], 0) >= 0
}

// strings adds a string to each key. Where others follow, 00 is 00 01, and the end 00 00.
func (p *keyPart) strings(data []byte, at []int32, from int, last bool) {
	for i, pos := range at {
		v := p.string(from + i)
		switch {
		case !p.zeros:
			pos += int32(copy(data[pos:], v))
		default:
			for _, b := range v {
				data[pos] = b
				if pos++; b == 0 {
					data[pos] = 1
					pos++
				}
			}
		}
		if !last {
			data[pos], data[pos+1] = 0, 0
			pos += 2
		}
		at[i] = pos
	}
}

// check compares each of n keys with the one before.
func (k *keyOut) check(n int, p place) error {
	last := k.last
	for i, end := range k.offsets[1 : n+1] {
		key := k.data[k.offsets[i]:end]
		if !less(last, key) && (k.any || i > 0) {
			if k.broken = k.d.kept; k.broken {
				return nil
			}
			return k.disorder(last, key, i, p)
		}
		if len(key) > mostKey {
			if k.broken = k.d.kept; k.broken {
				return nil
			}
			e := errs.Errorf(errs.ErrLimit, "row %d: a key of %d bytes, where %d are the most", p.row+int64(i), len(key), mostKey)
			e.Format, e.Column = p.format, k.d.keyNames()
			return e
		}
		last = key
	}
	k.any = true
	if k.rowsHere == 0 {
		k.least = append(k.least[:0], k.data[:k.offsets[1]]...)
	}
	k.rowsHere += int64(n)
	k.last = append(k.last[:0], last...)
	return nil
}

// less reports whether a comes before b.
func less(a, b []byte) bool {
	if len(a) >= 8 && len(b) >= 8 {
		if x, y := binary.BigEndian.Uint64(a), binary.BigEndian.Uint64(b); x != y {
			return x < y
		}
	}
	return bytes.Compare(a, b) < 0
}

// write puts n keys to index and filters.
func (k *keyOut) write(n int) error {
	if k.lone {
		return nil
	}
	if k.composite {
		if err := k.index.PutStrings(k.offsets[:n+1], k.data, nil, 0); err != nil {
			return k.indexFile.located(err, k.d.keyNames(), k.d.format)
		}
	}
	for i, end := range k.offsets[1 : n+1] {
		if err := k.bloom.Put(k.data[k.offsets[i]:end]); err != nil {
			return k.bloomFile.located(err, k.d.keyNames(), k.d.format)
		}
	}
	return nil
}

// disorder is the error for a key that does not come after the one before.
func (k *keyOut) disorder(last, key []byte, i int, p place) error {
	if bytes.Equal(last, key) && k.lone {
		return p.refuse(k.d.keyNames(), i, "the value %s is also that of the row before; values that have an index must be unique", k.text(key))
	}
	if bytes.Equal(last, key) {
		return p.refuse(k.d.keyNames(), i, "the key %s is also the key of the row before; keys of a table must be unique", k.text(key))
	}
	return p.refuse(k.d.keyNames(), i, "the key %s is below that of the row before, %s; %w puts rows in the order of the key", k.text(key), k.text(last), errs.Opt("sort", ""))
}

// text is a key for people.
func (k *keyOut) text(key []byte) string {
	var parts []string
	for i := range k.columns {
		c := &k.columns[i].wire
		cell, rest, err := cfilewire.DecodeKeyPart(key, c.Type, i == len(k.columns)-1)
		if err != nil {
			return fmt.Sprintf("%x", key)
		}
		parts, key = append(parts, cellText(c, cell)), rest
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
