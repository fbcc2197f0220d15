package orcwire

import (
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

// encryptedFooter is a footer of struct<a:int,b:int> with two variants, and three stripes of which the second has keys
// of its own.
func encryptedFooter() pbtest.Message {
	variant := func(root, key uint64, local string) pbtest.Message {
		return pbtest.Message(nil).Uint(1, root).Uint(2, key).Text(3, local).Bytes(4, streamMsg(100, root, 86)).Bytes(4, streamMsg(100, root, 14)).Text(5, "stats")
	}
	e := pbtest.Message(nil).Strange().
		Bytes(3, variant(2, 0, "local b")). // variants may stand before the keys that they name
		Bytes(1, pbtest.Message(nil).Text(1, "nullify").Text(2, "x").Text(2, "").Packed(3, 1).Uint(3, 2)).
		Bytes(2, pbtest.Message(nil).Text(1, "pii").Uint(2, 3).Uint(3, 1)).
		Bytes(2, pbtest.Message(nil).Text(1, "credit").Uint(3, 1000)).
		Bytes(3, variant(1, 1, "local a")).
		Uint(4, 1)
	return footerOf(names(typeMsg(Struct, 1, 2), "a", "b"), typeMsg(Int), typeMsg(Int)).
		Bytes(3, nil).Bytes(3, pbtest.Message(nil).Text(7, "b2").Text(7, "a2")).Bytes(3, nil).Bytes(10, e)
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
		_, err := ParseFooter(b, errs.Limits{Columns: 100, Splits: 100})
		return err
	})
	key := pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Text(1, "k"))
	for name, e := range map[string]pbtest.Message{
		"mask's column":       pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Packed(3, 3)),
		"variant's root":      key.Bytes(3, pbtest.Message(nil).Uint(1, 3)),
		"variant's key":       key.Bytes(3, pbtest.Message(nil).Uint(2, 1)),
		"variant without key": pbtest.Message(nil).Bytes(3, pbtest.Message(nil).Uint(1, 1)),
		"statistics' column":  key.Bytes(3, pbtest.Message(nil).Bytes(4, streamMsg(100, 3, 1))),
		"statistics wrap":     key.Bytes(3, pbtest.Message(nil).Bytes(4, streamMsg(100, 1, 1<<63-1)).Bytes(4, streamMsg(100, 1, 1))),
		"key's name":          pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Uint(1, 1)),
		"provider":            pbtest.Message(nil).Text(4, "x"),
	} {
		b := footerOf(names(typeMsg(Struct, 1, 2), "a", "b"), typeMsg(Int), typeMsg(Int)).Bytes(10, e)
		_, err := ParseFooter(b, errs.Limits{})
		wantKind(t, name, err, errs.ErrCorrupt)
	}
	_, err := ParseFooter(b.Bytes(3, pbtest.Message(nil).Text(7, "one key of two")), errs.Limits{})
	wantKind(t, "keys", err, errs.ErrCorrupt)
	_, err = ParseFooter(footerOf(typeMsg(Int)).Bytes(10, make([]byte, 10000)), errs.Limits{MetadataBytes: 20000})
	wantKind(t, "memory", err, errs.ErrLimit)
}
