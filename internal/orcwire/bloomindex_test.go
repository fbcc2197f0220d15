package orcwire

import (
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

func TestBloomIndex(t *testing.T) {
	words := []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0x80}
	b := wireMsg(nil).strange().
		bytes(1, wireMsg(nil).uint(1, 3).fixed64(2, 7).fixed64(2, 1<<63)).
		bytes(1, wireMsg(nil).bytes(3, words).uint(1, 1100)).
		bytes(1, wireMsg(nil).bytes(2, words).fixed64(2, 9).uint(1, 1)) // packed, then not
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
	for name, f := range map[string]wireMsg{
		"no bits":        wireMsg(nil).uint(1, 3),
		"empty bits":     wireMsg(nil).uint(1, 3).bytes(3, nil),
		"no hashes":      wireMsg(nil).fixed64(2, 7),
		"1101 hashes":    wireMsg(nil).uint(1, 1101).fixed64(2, 7),
		"half a word":    wireMsg(nil).uint(1, 3).bytes(3, words[:12]),
		"half, packed":   wireMsg(nil).uint(1, 3).bytes(2, words[:7]),
		"word as varint": wireMsg(nil).uint(1, 3).uint(2, 7),
	} {
		_, err := ParseBloomIndex(wireMsg(nil).bytes(1, f), 3)
		wantKind(t, name, err, arrowio.ErrCorrupt)
	}
	_, err := ParseBloomIndex(wireMsg(nil).uint(1, 3), 3)
	wantKind(t, "filter as number", err, arrowio.ErrCorrupt)
}
