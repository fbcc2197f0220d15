package campaign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
)

// Op is one operation on the bytes of a file. Which numbers count depends on Kind.
type Op struct {
	Kind string `json:"kind"`
	Off  int64  `json:"off"`
	Len  int64  `json:"len,omitempty"`
	To   int64  `json:"to,omitempty"`    // swap: the offset of the other range
	Byte uint8  `json:"byte,omitempty"`  // set, insert: the byte; flip: the bit
	Sum  string `json:"sum,omitempty"`   // the checksum to make right: "crc32c" or "crc32", behind the range; "footer", a CFile's
	From int64  `json:"from,omitempty"`  // of the checksum: the range that it is of,
	End  int64  `json:"until,omitempty"` // and where that ends
}

// apply returns b after op. It may change b. Ranges are cut to what is there.
func (op Op) apply(b []byte) []byte {
	size := int64(len(b))
	if op.Off < 0 || op.Off > size {
		return b
	}
	n := min(max(op.Len, 0), size-op.Off)
	switch op.Kind {
	case "flip":
		if op.Off < size {
			b[op.Off] ^= 1 << (op.Byte & 7)
		}
	case "set":
		if op.Off < size {
			b[op.Off] = op.Byte
		}
	case "zero":
		clear(b[op.Off:][:n])
	case "truncate":
		b = b[:op.Off]
	case "insert":
		b = slices.Insert(b, int(op.Off), bytes.Repeat([]byte{op.Byte}, int(min(max(op.Len, 0), 1<<16)))...)
	case "remove":
		b = slices.Delete(b, int(op.Off), int(op.Off+n))
	case "swap":
		n = min(n, size-op.To)
		if n <= 0 || op.To < op.Off+n {
			break // nothing is there, or they overlap
		}
		x, y := b[op.Off:][:n], b[op.To:][:n]
		for i := range x {
			x[i], y[i] = y[i], x[i]
		}
	}
	op.repair(b)
	return b
}

// repair makes the checksum right that lies behind the range.
func (op Op) repair(b []byte) {
	if op.Sum == "footer" {
		repairFooter(b)
		return
	}
	if op.Sum == "" || op.From < 0 || op.End < op.From || op.End > int64(len(b))-4 {
		return
	}
	data, sum := b[op.From:op.End], b[op.End:][:4]
	if op.Sum == "crc32c" {
		binary.LittleEndian.PutUint32(sum, castagnoli(data))
	} else {
		binary.BigEndian.PutUint32(sum, ieee(data))
	}
}

// repairFooter makes the checksum right that lies before the footer message of a CFile, and is of all behind it.
func repairFooter(b []byte) {
	size := int64(len(b))
	if size < 16 {
		return
	}
	if n := int64(le32(b[size-4:])); n <= size-16 {
		binary.LittleEndian.PutUint32(b[size-16-n:], castagnoli(b[size-12-n:]))
	}
}

// damage returns a copy of b after ops, one after the other.
func damage(b []byte, ops []Op) []byte {
	b = bytes.Clone(b)
	for _, op := range ops {
		b = op.apply(b)
	}
	return b
}

// region is a part of a file that is damaged as often as the rest of it, and its checksum where that is to be made right.
type region struct {
	off, len int64
	sum      string
}

// odd are bytes that matter to many encodings.
var odd = []byte{0, 1, 0x7f, 0x80, 0xff}

// randomOps draws the damage of one case. regions may be empty.
func randomOps(rng *rand.Rand, size int64, regions []region) []Op {
	ops := make([]Op, 1+rng.Intn(10)/8+rng.Intn(20)/18)
	for i := range ops {
		ops[i] = randomOp(rng, size, regions)
	}
	return ops
}

func randomOp(rng *rand.Rand, size int64, regions []region) Op {
	lo, n := int64(0), size
	var sum string
	switch k := rng.Intn(10); {
	case k < 4 && len(regions) > 0:
		r := regions[rng.Intn(len(regions))]
		lo, n = r.off, r.len
		if rng.Intn(2) == 0 {
			sum = r.sum
		}
	case k < 6: // descriptions stand at the ends
		n = min(n, 200)
		if rng.Intn(2) == 0 {
			lo = size - n
		}
	}
	op := Op{Off: lo, Byte: byte(rng.Intn(256)), Sum: sum, From: lo, End: lo + n}
	if n > 0 {
		op.Off += rng.Int63n(n)
	}
	if sum == "" {
		op.From, op.End = 0, 0
	}
	op.Len = 1 + rng.Int63n(1+min(n, 1<<rng.Intn(11)))
	kinds := []string{"flip", "flip", "flip", "set", "set", "zero", "swap", "insert", "remove", "truncate"}
	if sum != "" { // the length stays
		kinds = kinds[:6]
	}
	op.Kind = kinds[rng.Intn(len(kinds))]
	switch op.Kind {
	case "set":
		if rng.Intn(2) == 0 {
			op.Byte = odd[rng.Intn(len(odd))]
		}
		op.Len = 0
	case "flip":
		op.Byte, op.Len = op.Byte&7, 0
	case "swap":
		op.Byte, op.To = 0, op.Off+op.Len+rng.Int63n(1+size/2)
	case "zero", "remove":
		op.Byte = 0
		if sum != "" {
			op.Len = min(op.Len, op.End-op.Off)
		}
	case "truncate":
		op.Byte, op.Len = 0, 0
	}
	return op
}

// String returns the operation in words.
func (op Op) String() string {
	s := fmt.Sprintf("%s at %d", op.Kind, op.Off)
	if op.Len > 0 {
		s += fmt.Sprintf(", %d bytes", op.Len)
	}
	if op.Sum != "" {
		s += ", checksum made right"
	}
	return s
}
