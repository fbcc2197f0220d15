package orcwire

import (
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func TestBloomIndex(t *testing.T) {
	words := []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0x80}
	b := pbtest.Message(nil).Strange().
		Bytes(1, pbtest.Message(nil).Uint(1, 3).Fixed64(2, 7).Fixed64(2, 1<<63)).
		Bytes(1, pbtest.Message(nil).Bytes(3, words).Uint(1, 1100)).
		Bytes(1, pbtest.Message(nil).Bytes(2, words).Fixed64(2, 9).Uint(1, 1)) // packed, then not
	want := []BloomFilter{
		{3, []uint64{7, 1 << 63}},
		{1100, []uint64{0x0807060504030201, 1 << 63}},
		{1, []uint64{0x0807060504030201, 1 << 63, 9}},
	}
	for most := range 5 {
		if f, err := ParseBloomIndex(b, most); err != nil || !reflect.DeepEqual(f, want[:min(most, 3)]) {
			t.Errorf("%+v, %v", f, err)
		}
	}
	corruptEverywhere(t, b, func(b []byte) error {
		f, err := ParseBloomIndex(b, 3)
		for _, x := range f {
			if len(x.Bits) == 0 || x.Hashes == 0 || x.Hashes > 1100 {
				t.Fatalf("%+v", x)
			}
		}
		return err
	})
	for name, f := range map[string]pbtest.Message{
		"no bits":        pbtest.Message(nil).Uint(1, 3),
		"empty bits":     pbtest.Message(nil).Uint(1, 3).Bytes(3, nil),
		"no hashes":      pbtest.Message(nil).Fixed64(2, 7),
		"1101 hashes":    pbtest.Message(nil).Uint(1, 1101).Fixed64(2, 7),
		"half a word":    pbtest.Message(nil).Uint(1, 3).Bytes(3, words[:12]),
		"half, packed":   pbtest.Message(nil).Uint(1, 3).Bytes(2, words[:7]),
		"word as varint": pbtest.Message(nil).Uint(1, 3).Uint(2, 7),
	} {
		_, err := ParseBloomIndex(pbtest.Message(nil).Bytes(1, f), 3)
		wantKind(t, name, err, errs.ErrCorrupt)
	}
	_, err := ParseBloomIndex(pbtest.Message(nil).Uint(1, 3), 3)
	wantKind(t, "filter as number", err, errs.ErrCorrupt)
}
