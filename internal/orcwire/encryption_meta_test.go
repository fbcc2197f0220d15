package orcwire

import (
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// encryptedFooter is a footer of struct<a:int,b:int> with two variants, and three stripes of which the second has keys
// of its own.
func encryptedFooter() wireMsg {
	variant := func(root, key uint64, local string) wireMsg {
		return wireMsg(nil).uint(1, root).uint(2, key).text(3, local).bytes(4, streamMsg(100, root, 86)).bytes(4, streamMsg(100, root, 14)).text(5, "stats")
	}
	e := wireMsg(nil).strange().
		bytes(3, variant(2, 0, "local b")). // variants may stand before the keys that they name
		bytes(1, wireMsg(nil).text(1, "nullify").text(2, "x").text(2, "").packed(3, 1).uint(3, 2)).
		bytes(2, wireMsg(nil).text(1, "pii").uint(2, 3).uint(3, 1)).
		bytes(2, wireMsg(nil).text(1, "credit").uint(3, 1000)).
		bytes(3, variant(1, 1, "local a")).
		uint(4, 1)
	return footerOf(typeMsg(Struct, 1, 2).names("a", "b"), typeMsg(Int), typeMsg(Int)).
		bytes(3, nil).bytes(3, wireMsg(nil).text(7, "b2").text(7, "a2")).bytes(3, nil).bytes(10, e)
}

func TestEncryption(t *testing.T) {
	b := encryptedFooter()
	f := mustFooter(t, b)
	streams := func(root int) []Stream {
		return []Stream{{StripeStatistics, root, 86, 0}, {StripeStatistics, root, 14, 86}}
	}
	want := &Encryption{
		Masks: []Mask{{"nullify", []string{"x", ""}, []int{1, 2}}},
		Keys:  []Key{{"pii", 3, 1}, {"credit", 0, 255}},
		Variants: []Variant{
			{Root: 2, Key: 0, EncryptedKey: []byte("local b"), StripeStats: streams(2), FileStats: []byte("stats")},
			{Root: 1, Key: 1, EncryptedKey: []byte("local a"), StripeStats: streams(1), FileStats: []byte("stats")},
		},
		Provider: 1,
	}
	if !reflect.DeepEqual(f.Encryption, want) {
		t.Errorf("%+v", f.Encryption)
	}
	keys := [][]byte{[]byte("b2"), []byte("a2")}
	for i, want := range [][][]byte{nil, keys, keys} {
		if got := f.Stripes[i].EncryptedLocalKeys; !reflect.DeepEqual(got, want) {
			t.Errorf("stripe %d has keys %q", i, got)
		}
	}
	corruptEverywhere(t, b, func(b []byte) error {
		_, err := ParseFooter(b, arrowio.Limits{Columns: 100, Splits: 100})
		return err
	})
	key := wireMsg(nil).bytes(2, wireMsg(nil).text(1, "k"))
	for name, e := range map[string]wireMsg{
		"mask's column":       wireMsg(nil).bytes(1, wireMsg(nil).packed(3, 3)),
		"variant's root":      key.bytes(3, wireMsg(nil).uint(1, 3)),
		"variant's key":       key.bytes(3, wireMsg(nil).uint(2, 1)),
		"variant without key": wireMsg(nil).bytes(3, wireMsg(nil).uint(1, 1)),
		"statistics' column":  key.bytes(3, wireMsg(nil).bytes(4, streamMsg(100, 3, 1))),
		"statistics wrap":     key.bytes(3, wireMsg(nil).bytes(4, streamMsg(100, 1, 1<<63-1)).bytes(4, streamMsg(100, 1, 1))),
		"key's name":          wireMsg(nil).bytes(2, wireMsg(nil).uint(1, 1)),
		"provider":            wireMsg(nil).text(4, "x"),
	} {
		b := footerOf(typeMsg(Struct, 1, 2).names("a", "b"), typeMsg(Int), typeMsg(Int)).bytes(10, e)
		_, err := ParseFooter(b, arrowio.Limits{})
		wantKind(t, name, err, arrowio.ErrCorrupt)
	}
	_, err := ParseFooter(b.bytes(3, wireMsg(nil).text(7, "one key of two")), arrowio.Limits{})
	wantKind(t, "keys", err, arrowio.ErrCorrupt)
	_, err = ParseFooter(footerOf(typeMsg(Int)).bytes(10, make([]byte, 10000)), arrowio.Limits{MetadataBytes: 20000})
	wantKind(t, "memory", err, arrowio.ErrLimit)
}
