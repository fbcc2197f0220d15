package orcwire

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/pb"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func TestAppendChunks(t *testing.T) {
	shorter := func(dst, raw []byte) []byte { return append(dst, raw[1:]...) }
	same := func(dst, raw []byte) []byte { return append(dst, raw...) }
	longer := func(dst, raw []byte) []byte { return append(append(dst, raw...), 0) }
	fails := func(dst, raw []byte) []byte { return dst }
	for _, c := range []struct {
		name     string
		raw      string
		block    int
		compress func(dst, raw []byte) []byte
		want     string
	}{
		{"none", "abc", 2, nil, "abc"},
		{"nothing", "", 2, shorter, ""},
		// The specification's examples: a chunk compressed to 100,000 bytes has the header [0x40, 0x0d, 0x03], one of 5
		// bytes that compression does not make shorter [0x0b, 0x00, 0x00].
		{"specification", strings.Repeat("x", 100_001), 1 << 18, func(dst, raw []byte) []byte { return append(dst, raw[:100_000]...) }, "\x40\x0d\x03" + strings.Repeat("x", 100_000)},
		{"specification, original", "hello", 1 << 18, longer, "\x0b\x00\x00hello"},
		{"as long", "hello", 1 << 18, same, "\x0b\x00\x00hello"},
		{"no result", "hello", 1 << 18, fails, "\x0b\x00\x00hello"},
		{"blocks", "abcdefgh", 3, shorter, "\x04\x00\x00bc\x04\x00\x00ef\x02\x00\x00h"},
		{"whole blocks", "abcdef", 3, shorter, "\x04\x00\x00bc\x04\x00\x00ef"},
		{"no block size", "ab", 0, same, "\x03\x00\x00a\x03\x00\x00b"},
	} {
		if got := AppendChunks([]byte("before"), []byte(c.raw), c.block, c.compress); string(got) != "before"+c.want {
			t.Errorf("%s: %.100q, want %.100q", c.name, got, c.want)
		}
	}
	// A header has 23 bits for the length.
	got := AppendChunks(nil, make([]byte, 1<<23), 1<<30, same)
	if !bytes.HasPrefix(got, []byte{0xff, 0xff, 0xff}) || !bytes.HasSuffix(got, []byte{3, 0, 0, 0}) || len(got) != 3+1<<23-1+3+1 {
		t.Errorf("% x, %d bytes", got[:3], len(got))
	}
}

func TestAppendTail(t *testing.T) {
	ps := &PostScript{Compression: CompressionZlib, BlockSize: 256 << 10, Version: []uint32{0, 12}, WriterVersion: 9, Magic: Magic, FooterLength: 7}
	b, err := AppendTail([]byte("stripes"), nil, make([]byte, 83), make([]byte, 180), ps)
	if want := "stripes" + strings.Repeat("\x00", 83+180) + realPostScript + "\x18"; err != nil || string(b) != want {
		t.Errorf("%q, %v; want %q", b, err, want)
	}
	b, err = AppendTail(nil, []byte("secret"), []byte("meta"), []byte("foot"), ps)
	p, err2 := ParsePostScript(b[14 : len(b)-1])
	if err != nil || err2 != nil || string(b[:14]) != "secretmetafoot" || int(b[len(b)-1]) != len(b)-15 || p.StripeStatsLength != 6 || p.MetadataLength != 4 || p.FooterLength != 4 {
		t.Errorf("%q, %+v, %v, %v", b, p, err, err2)
	}
	if ps.FooterLength != 7 {
		t.Error("the caller's postscript was changed")
	}
	ps.Version = make([]uint32, 250)
	b, err = AppendTail([]byte("stripes"), nil, nil, nil, ps)
	if !errors.Is(err, errs.ErrInternal) || string(b) != "stripes" {
		t.Errorf("%q, %v", b, err)
	}
}

// A whole tail with chunks comes back.
func TestTailChunks(t *testing.T) {
	var e blockcodec.Encoder
	compress := func(dst, raw []byte) []byte {
		out, err := e.Encode(blockcodec.Deflate, blockcodec.DefaultLevel, dst, raw)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	foot := mustFooter(t, []byte(realFooter))
	ps := &PostScript{Compression: CompressionZlib, BlockSize: 100, Version: []uint32{0, 12}, Magic: Magic}
	b, err := AppendTail(nil, nil, nil, AppendChunks(nil, AppendFooter(nil, foot), 100, compress), ps)
	if err != nil {
		t.Fatal(err)
	}
	end := len(b) - 1 - int(b[len(b)-1])
	p, err := ParsePostScript(b[end : len(b)-1])
	if err != nil {
		t.Fatal(err)
	}
	if got := unpackMessage(t, p, b[end-int(p.FooterLength):end]); string(got) != realFooter {
		t.Errorf("%q", got)
	}
}

// A message inside another has the length that it has, in as many bytes as that takes.
func TestNestedMessages(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 16383, 16384, 2097151, 2097152} {
		content := bytes.Repeat([]byte("x"), n)
		want := pbtest.Message("before").Bytes(1, pbtest.Message(nil).Bytes(2, content)).Uint(3, 1)
		b, outer := pb.Open([]byte("before"), 1)
		b, inner := pb.Open(b, 2)
		b = pb.Close(append(b, content...), inner)
		b = pb.AppendUint(pb.Close(b, outer), 3, uint64(1))
		if !bytes.Equal(b, want) {
			t.Errorf("%d bytes: %.30q, want %.30q", n, b, want)
		}
	}
}

func TestAppendColumnStats(t *testing.T) {
	for _, c := range statsMsgs {
		b := AppendColumnStats(nil, &c.want)
		s, err := ParseColumnStats(b)
		if err != nil || !reflect.DeepEqual(s, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, s, err, c.want)
		}
		switch c.name {
		case "strange", "bool not packed", "timestamp nanos out of range", "geo":
			// are written in another way
		default:
			if !bytes.Equal(b, c.b) {
				t.Errorf("%s: % x, want % x", c.name, b, c.b)
			}
		}
	}
	l := StatsOf([]*ColumnStats{nil, {HasValues: true, Values: 5}, {HasNull: No}})
	for i, want := range []ColumnStats{{}, {HasValues: true, Values: 5}, {HasNull: No}, {}} {
		if s, err := l.At(i); err != nil || !reflect.DeepEqual(s, want) {
			t.Errorf("%d: %+v, %v", i, s, err)
		}
	}
	if b := AppendFileStats(nil, l); l.Len() != 3 || !bytes.Equal(b, pbtest.Message(nil).Bytes(1, nil).Bytes(1, pbtest.Message(nil).Uint(1, 5)).Bytes(1, pbtest.Message(nil).Uint(10, 0))) {
		t.Errorf("% x", b)
	}
	if b := AppendMetadata(nil, []StatsList{{}, l}); !bytes.Equal(b, pbtest.Message(nil).Bytes(1, nil).Bytes(1, AppendFileStats(nil, l))) {
		t.Errorf("% x", b)
	}
	many := make([]*ColumnStats, 1000)
	for i := range many {
		many[i] = &ColumnStats{HasValues: true, Values: int64(i)}
	}
	l = StatsOf(many)
	for i := range many {
		if s, err := l.At(i); err != nil || s.Values != int64(i) {
			t.Fatalf("%d: %+v, %v", i, s, err)
		}
	}
}

// Keys and ids of stripes are told where they change, and what is worked out from them stays.
func TestAppendStripeKeys(t *testing.T) {
	k := func(s ...string) (keys [][]byte) {
		for _, k := range s {
			keys = append(keys, []byte(k))
		}
		return keys
	}
	e := mustFooter(t, encryptedFooter()).Encryption
	f := &Footer{
		Types:      mustFooter(t, encryptedFooter()).Types,
		Encryption: e,
		Stripes: []StripeInfo{
			{EncryptStripeID: 1},
			{EncryptStripeID: 2, EncryptedLocalKeys: k("a", "b")},
			{EncryptStripeID: 3, EncryptedLocalKeys: k("a", "b")},
			{EncryptStripeID: 1, EncryptedLocalKeys: k("a", "c")},
			{EncryptStripeID: 9, EncryptedLocalKeys: k("a", "c")},
			{EncryptStripeID: 10, EncryptedLocalKeys: k("a", "c")},
		},
	}
	b := AppendFooter(nil, f)
	again := mustFooter(t, b)
	if !reflect.DeepEqual(again.Stripes, f.Stripes) || !reflect.DeepEqual(again.Encryption, e) {
		t.Errorf("%+v", again)
	}
	// Only the second and the fourth tell keys.
	if n := bytes.Count(b, []byte("\x3a\x01a")); n != 2 {
		t.Errorf("%d stripes have keys: % x", n, b)
	}
}

func TestAppendStripeFooter(t *testing.T) {
	for name, want := range map[string]pbtest.Message{
		"plain":      encodings(3).Bytes(1, streamMsg(6, 0, 10)).Bytes(1, streamMsg(1, 2, 100)).Text(3, "UTC"),
		"dictionary": pbtest.Message(nil).Bytes(1, streamMsg(1, 0, 0)).Bytes(2, pbtest.Message(nil).Uint(1, 3).Uint(2, 0).Uint(3, 1)),
		"variants": pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Uint(1, 9).Uint(3, 5)).Bytes(1, streamMsg(7, 0, 5)).Bytes(2, pbtest.Message(nil).Uint(1, 2)).
			Bytes(4, pbtest.Message(nil).Bytes(1, streamMsg(6, 0, 5)).Bytes(2, pbtest.Message(nil).Uint(1, 1).Uint(2, 300))).Bytes(4, nil),
	} {
		f, err := parseAnyStripeFooter(want, 3)
		if err != nil {
			t.Fatal(name, err)
		}
		b := AppendStripeFooter(nil, f)
		again, err := parseAnyStripeFooter(b, 3)
		if err != nil || !reflect.DeepEqual(f, again) {
			t.Errorf("%s: %+v, %v; want %+v", name, again, err, f)
		}
		if name != "plain" && !bytes.Equal(b, want) { // its encodings stand in front
			t.Errorf("%s: % x, want % x", name, b, want)
		}
	}
}

func TestAppendIndexes(t *testing.T) {
	entries := []RowIndexEntry{{}, {Positions: []uint64{0, 300, 1 << 63}, Stats: []byte(count(9, 0))}, {Stats: []byte{}}}
	want := pbtest.Message(nil).Bytes(1, nil).Bytes(1, pbtest.Message(nil).Packed(1, 0, 300, 1<<63).Bytes(2, count(9, 0))).Bytes(1, pbtest.Message(nil).Bytes(2, nil))
	if b := AppendRowIndex(nil, entries); !bytes.Equal(b, want) {
		t.Errorf("% x, want % x", b, want)
	}
	filters := []BloomFilter{{Hashes: 7, Bits: []uint64{0x0807060504030201, 1 << 63}}, {Hashes: 1, Bits: make([]uint64, 100)}}
	want = pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Uint(1, 7).Bytes(3, []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0x80})).
		Bytes(1, pbtest.Message(nil).Uint(1, 1).Bytes(3, make([]byte, 800)))
	b := AppendBloomIndex(nil, filters)
	if !bytes.Equal(b, want) {
		t.Errorf("% x, want % x", b, want)
	}
	if again, err := ParseBloomIndex(b, 2); err != nil || !reflect.DeepEqual(again, filters) {
		t.Errorf("%+v, %v", again, err)
	}
}

// FuzzMetaOut: what is read of a message is written in one form: reading that gives the same, and writing it again the
// same bytes.
func FuzzMetaOut(f *testing.F) {
	f.Add([]byte(realFooter))
	f.Add([]byte(realPostScript))
	f.Add([]byte(encryptedFooter()))
	f.Add([]byte(encodings(3).Bytes(4, append(encodings(1), pbtest.Message(nil).Bytes(1, streamMsg(6, 1, 5))...))))
	f.Add([]byte(pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Packed(1, 0, 300).Bytes(2, count(9, 0)))))
	f.Add([]byte(pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Uint(1, 3).Fixed64(2, 7).Bytes(3, make([]byte, 8)))))
	for _, c := range statsMsgs {
		f.Add([]byte(c.b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, again := range map[string]func(b []byte) ([]byte, error){
			"postscript": func(b []byte) ([]byte, error) {
				p, err := ParsePostScript(b)
				if err != nil {
					return nil, err
				}
				return AppendPostScript(nil, p), nil
			},
			"footer": func(b []byte) ([]byte, error) {
				f, err := ParseFooter(b, fuzzMetaLimits)
				if err != nil {
					return nil, err
				}
				return AppendFooter(nil, f), nil
			},
			"metadata": func(b []byte) ([]byte, error) {
				m, err := ParseMetadata(b, fuzzMetaLimits)
				return AppendMetadata(nil, m), err
			},
			"statistics": func(b []byte) ([]byte, error) {
				s, err := ParseColumnStats(b)
				return AppendColumnStats(nil, &s), err
			},
			"stripe footer": func(b []byte) ([]byte, error) {
				f, err := parseAnyStripeFooter(b, 5)
				if err != nil {
					return nil, err
				}
				return AppendStripeFooter(nil, f), nil
			},
			"row index": func(b []byte) ([]byte, error) {
				r, err := ParseRowIndex(b, 100)
				return AppendRowIndex(nil, r), err
			},
			"bloom filters": func(b []byte) ([]byte, error) {
				r, err := ParseBloomIndex(b, 100)
				return AppendBloomIndex(nil, r), err
			},
		} {
			one, err := again(b)
			if err != nil {
				continue
			}
			two, err := again(slices.Clone(one))
			if name == "footer" && errors.Is(err, errs.ErrLimit) {
				continue // statistics that are empty take less memory than what stands around them
			}
			if err != nil || !bytes.Equal(one, two) {
				t.Fatalf("%s: % x becomes % x, then % x, %v", name, b, one, two, err)
			}
		}
	})
}
