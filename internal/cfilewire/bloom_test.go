package cfilewire_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// realBloom is the block that bloomBits tell.
func realBloom(tb testing.TB) []byte {
	b := fromHex(tb, bloomHead)
	n := len(b)
	b = append(b, make([]byte, 4096)...)
	for _, bit := range bloomBits {
		b[n+int(bit)/8] |= 1 << (bit % 8)
	}
	return b
}

func TestBloom(t *testing.T) {
	long, err := os.ReadFile("testdata/bloom-kudu1.17.1.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		block []byte
		keys  []string
	}{{realBloom(t), bloomKeys}, {long, longKeys}} {
		b, err := cfilewire.ParseBloom(c.block)
		if err != nil {
			t.Fatal(err)
		}
		if b.Hashes != 13 || len(b.Bits) != 4096 {
			t.Errorf("%d hashes, %d bytes", b.Hashes, len(b.Bits))
		}
		others := 0
		for _, k := range c.keys {
			key := fromHex(t, k)
			if !b.MayContain(cfilewire.HashKey(key)) {
				t.Errorf("%s is not found", k)
			}
			for i := range key {
				key[i] ^= 0x55
				if b.MayContain(cfilewire.HashKey(key)) {
					others++
				}
				key[i] ^= 0x55
			}
		}
		if others > 1 { // one in 10 000 is what the filter promises
			t.Errorf("%d other keys are found", others)
		}
	}
}

// Each key sets its bits and no others: all the keys together set all of the filter's.
func TestBloomBits(t *testing.T) {
	left := map[uint32]bool{}
	for _, b := range bloomBits {
		left[uint32(b)] = true
	}
	for _, k := range bloomKeys {
		h := cfilewire.HashKey(fromHex(t, k))
		for i := range uint32(13) {
			delete(left, (uint32(h)+i*uint32(h>>32))%(8*4096))
		}
	}
	if len(left) > 0 {
		t.Errorf("%d bits are no key's", len(left))
	}
}

func TestBloomDamage(t *testing.T) {
	header := func(hashes uint64) []byte { return appendNumber(nil, 1, hashes) }
	block := func(h []byte, bits int) []byte {
		return append(append(le32(nil, uint32(len(h))), h...), make([]byte, bits)...)
	}
	for name, b := range map[string][]byte{
		"nothing":            nil,
		"cut":                {2, 0, 0},
		"length":             append(le32(nil, 1<<32-1), 8, 13, 1),
		"header over bits":   append(le32(nil, 4), 8, 13, 1),
		"no hashes":          block(nil, 8),
		"0 hashes":           block(header(0), 8),
		"-1 hashes":          block(header(1<<64-1), 8),
		"1<<31 - 1 hashes":   block(header(1<<31-1), 8),
		"no bits":            block(header(13), 0),
		"header of no sense": block(bytes.Repeat([]byte{0xff}, 12), 8),
	} {
		_, err := cfilewire.ParseBloom(b)
		wantKind(t, name, err, errs.ErrCorrupt)
	}
	b, err := cfilewire.ParseBloom(block(header(13), 1))
	if err != nil || b.MayContain(7) {
		t.Error(err)
	}
	if !(cfilewire.Bloom{}).MayContain(7) {
		t.Error("no filter excludes a key")
	}
}
