package orcwire

import (
	"math"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func streamMsg(kind, column, length uint64) pbtest.Message {
	return pbtest.Message(nil).Uint(1, kind).Uint(2, column).Uint(3, length)
}

// encodings is a message of n encodings DIRECT_V2.
func encodings(n int) pbtest.Message {
	var w pbtest.Message
	for range n {
		w = w.Bytes(2, pbtest.Message(nil).Uint(1, 2))
	}
	return w
}

func TestStripeFooter(t *testing.T) {
	b := pbtest.Message(nil).Strange().
		Bytes(1, streamMsg(6, 0, 10)).
		Bytes(1, streamMsg(9, 0, 5)).
		Bytes(1, streamMsg(0, 1, 0)).
		Bytes(1, streamMsg(1, 1, 70)).
		Bytes(1, streamMsg(55, 1, 4)). // kinds that are not known take their room
		Bytes(1, streamMsg(math.MaxUint64, 1, 5)).
		Bytes(1, nil).
		Bytes(1, streamMsg(10, 0, 6)).
		Bytes(2, nil).
		Bytes(2, pbtest.Message(nil).Uint(1, 3).Uint(2, math.MaxUint32).Uint(3, 1)).
		Text(3, "Europe/Berlin").
		Bytes(4, pbtest.Message(nil).Bytes(1, streamMsg(6, 1, 5)).Bytes(1, streamMsg(1, 1, 6)).Bytes(2, pbtest.Message(nil).Uint(1, 1))).
		Bytes(4, nil)
	want := &StripeFooter{
		Streams: []Stream{
			{RowIndex, 0, 10, 0},
			{EncryptedIndex, 0, 5, 10},
			{Present, 1, 0, 15},
			{Data, 1, 70, 15},
			{55, 1, 4, 85},
			{UnknownStream, 1, 5, 89},
			{Present, 0, 0, 94},
			{EncryptedData, 0, 6, 94},
		},
		Encodings: []Encoding{{}, {DictionaryV2, math.MaxUint32, 1}},
		Timezone:  "Europe/Berlin",
		Encryption: []StripeVariant{
			{Streams: []Stream{{RowIndex, 1, 5, 0}, {Data, 1, 6, 5}}, Encodings: []Encoding{{Kind: Dictionary}}},
			{},
		},
	}
	f, err := ParseStripeFooter(b, 2, 100)
	if err != nil || !reflect.DeepEqual(f, want) {
		t.Errorf("%+v, %v; want %+v", f, err, want)
	}
	corruptEverywhere(t, b, func(b []byte) error {
		_, err := ParseStripeFooter(b, 2, 100)
		return err
	})
	for _, c := range []struct {
		name  string
		b     pbtest.Message
		types int
		kind  errs.Kind
	}{
		{"beyond the stripe", b, 2, errs.ErrCorrupt}, // 99 bytes below
		{"encodings missing", encodings(1), 2, errs.ErrCorrupt},
		{"encodings too many", encodings(3), 2, errs.ErrCorrupt},
		{"dictionary size", pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Uint(2, 1<<32)), 1, errs.ErrCorrupt},
		{"column", encodings(1).Bytes(1, streamMsg(1, 1, 1)), 1, errs.ErrCorrupt},
		{"length", encodings(1).Bytes(1, streamMsg(1, 0, 1<<63)), 1, errs.ErrCorrupt},
		{"lengths wrap", encodings(1).Bytes(1, streamMsg(1, 0, 90)).Bytes(1, streamMsg(1, 0, math.MaxInt64)), 1, errs.ErrCorrupt},
		{"variant's column", encodings(1).Bytes(4, pbtest.Message(nil).Bytes(1, streamMsg(1, 1, 1))), 1, errs.ErrCorrupt},
		{"variant's lengths", encodings(1).Bytes(4, pbtest.Message(nil).Bytes(1, streamMsg(1, 0, 100))), 1, errs.ErrCorrupt},
		{"variant's encodings", encodings(1).Bytes(4, encodings(2)), 1, errs.ErrCorrupt},
		{"variant cut", encodings(1).Bytes(4, []byte{0x0a, 9}), 1, errs.ErrCorrupt},
	} {
		_, err := ParseStripeFooter(c.b, c.types, 99)
		wantKind(t, c.name, err, c.kind)
	}
	for _, v := range []uint64{4, 9, math.MaxUint64} { // cuDF wrote the last
		f, err := ParseStripeFooter(pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Uint(1, v)), 1, 99)
		if err != nil || f.Encodings[0].Kind != UnknownEncoding || f.Encodings[0].Kind.V2() {
			t.Errorf("encoding %d: %+v, %v", v, f, err)
		}
	}
	many := encodings(1)
	for range 1000 {
		many = many.Bytes(1, nil)
	}
	_, err = ParseStripeFooter(many, 1, 99)
	wantKind(t, "streams too many", err, errs.ErrCorrupt)
	inside := pbtest.Message(nil)
	for range 1000 {
		inside = inside.Bytes(1, nil)
	}
	_, err = ParseStripeFooter(encodings(1).Bytes(4, inside), 1, 99)
	wantKind(t, "variant's streams too many", err, errs.ErrCorrupt)
}

// What is read at once is what the table reads, and it is what files have.
func TestStripeFooterPlain(t *testing.T) {
	b := pbtest.Message(nil)
	for i := range uint64(9) {
		b = b.Bytes(1, streamMsg(i%6, i%3, 1<<(7*i))).Bytes(2, pbtest.Message(nil).Uint(1, i%4))
	}
	b = b.Bytes(1, streamMsg(127, math.MaxUint32, math.MaxInt64)).Bytes(2, pbtest.Message(nil).Uint(1, 3).Uint(2, math.MaxUint32)).Text(3, "UTC")
	const types = 10
	var plain, byTable StripeFooter
	if err := byTable.parse(b, types); err != nil || !plain.parsePlain(b, types) || !reflect.DeepEqual(plain, byTable) {
		t.Errorf("%+v at once, %+v by the table, %v", plain, byTable, err)
	}
	corruptEverywhere(t, b, func(b []byte) error {
		var plain, byTable StripeFooter
		err := byTable.parse(b, types)
		if plain.parsePlain(b, types) && (err != nil || !reflect.DeepEqual(plain, byTable)) {
			t.Errorf("%x: %+v at once, %+v by the table, %v", b, plain, byTable, err)
		}
		return err
	})
	for _, part := range []pbtest.Message{
		streamMsg(128, 0, 1), streamMsg(1, 1<<32, 1), streamMsg(1, 0, 1<<63), pbtest.Message(nil).Uint(1, 1).Uint(3, 1), streamMsg(1, 0, 1).Uint(3, 2),
		append(streamMsg(1, 0, 1), 0x80), nil,
	} {
		if new(StripeFooter).parsePlain(pbtest.Message(nil).Bytes(1, part), 0) {
			t.Errorf("%x is read at once", part)
		}
	}
	for _, part := range []pbtest.Message{nil, pbtest.Message(nil).Uint(1, 4), pbtest.Message(nil).Uint(1, 3).Uint(2, 1<<32), pbtest.Message(nil).Uint(1, 3).Uint(3, 1)} {
		if new(StripeFooter).parsePlain(pbtest.Message(nil).Bytes(2, part), 1) {
			t.Errorf("%x is read at once", part)
		}
	}
}

func TestStreamKinds(t *testing.T) {
	index := map[StreamKind]bool{RowIndex: true, BloomFilterOriginal: true, BloomFilterUTF8: true, EncryptedIndex: true}
	for k, want := range map[StreamKind]string{
		0: "PRESENT", 1: "DATA", 2: "LENGTH", 3: "DICTIONARY_DATA", 4: "DICTIONARY_COUNT", 5: "SECONDARY", 6: "ROW_INDEX", 7: "BLOOM_FILTER",
		8: "BLOOM_FILTER_UTF8", 9: "ENCRYPTED_INDEX", 10: "ENCRYPTED_DATA", 11: "stream kind 11", 100: "STRIPE_STATISTICS",
		101: "FILE_STATISTICS", 255: "unknown stream",
	} {
		if k.String() != want || k.Index() != index[k] {
			t.Errorf("%d: %s, %t", k, k, k.Index())
		}
	}
	for k, want := range []struct {
		name     string
		v2, dict bool
	}{{"DIRECT", false, false}, {"DICTIONARY", false, true}, {"DIRECT_V2", true, false}, {"DICTIONARY_V2", true, true}} {
		if e := EncodingKind(k); e.String() != want.name || e.V2() != want.v2 || e.IsDictionary() != want.dict {
			t.Error(e, e.V2(), e.IsDictionary())
		}
	}
	if EncodingKind(7).String() != "encoding 7" {
		t.Error(EncodingKind(7))
	}
}
