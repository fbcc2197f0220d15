package orcwire

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

const (
	piiKey    = "000102030405060708090a0b0c0d0e0f"
	creditKey = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
)

func keyRing(t testing.TB) KeyRing {
	t.Helper()
	b, err := os.ReadFile("../../testdata/orc/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseKeys(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseKeys(t *testing.T) {
	r := keyRing(t)
	want := KeyRing{"pii": {{0, AESCTR128, unhex(piiKey)}}, "credit": {{0, AESCTR256, unhex(creditKey)}}}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%d keys: %v", len(r), r)
	}
	if s := fmt.Sprintf("%v %+v %s %#v", r, r, r, r); s != "credit, pii credit, pii credit, pii credit, pii" {
		t.Errorf("prints %s", s)
	}
	r, err := ParseKeys([]byte(`{"a": [{"version": 3, "algorithm": "AES_CTR_128", "key": "` + strings.ToUpper(piiKey) + `"}, {"algorithm": "AES_CTR_256", "key": "` + creditKey + `"}]}`))
	if err != nil || !reflect.DeepEqual(r, KeyRing{"a": {{3, AESCTR128, unhex(piiKey)}, {0, AESCTR256, unhex(creditKey)}}}) {
		t.Errorf("%v, %v", r, err)
	}
	if !r.Has(&Key{Name: "a", Version: 3}) || r.Has(&Key{Name: "a", Version: 1}) || r.Has(&Key{Name: "b"}) || KeyRing(nil).Has(&Key{}) {
		t.Error("Has")
	}
	for _, s := range []string{
		"", "[]", "7", `{"a": 7}`, `{"a": {}}`, `{"a": {"algorithm": "AES_CTR_128", "key": "00"}}`, `{"a": {"algorithm": "AES_CTR_512", "key": "` + piiKey + `"}}`,
		`{"a": {"algorithm": "AES_CTR_256", "key": "` + piiKey + `"}}`, `{"a": {"algorithm": "AES_CTR_128", "key": "` + piiKey[:31] + `g"}}`,
		`{"a": {"version": -1, "algorithm": "AES_CTR_128", "key": "` + piiKey + `"}}`,
		`{"a": [{"algorithm": "AES_CTR_128", "key": "` + piiKey + `"}, {"algorithm": "AES_CTR_128", "key": "` + piiKey + `"}]}`,
	} {
		_, err := ParseKeys([]byte(s))
		if !errors.Is(err, errs.ErrOption) || strings.Contains(err.Error(), piiKey[:31]) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestUnwrap(t *testing.T) {
	r := keyRing(t)
	r["pii"] = append(r["pii"], MasterKey{2, AESCTR256, unhex(creditKey)})
	for _, k := range []struct {
		key   Key
		bytes int
		want  error
	}{
		{Key{"pii", 0, 1}, 16, nil},
		{Key{"credit", 0, 2}, 32, nil},
		{Key{"pii", 2, 1}, 16, nil}, // a longer master key
		{Key{"credit", 0, 1}, 16, nil},
		{Key{"pii", 0, 1}, 32, errs.ErrCorrupt},
		{Key{"pii", 0, 1}, 0, errs.ErrCorrupt},
		{Key{"pii", 0, 3}, 16, errs.ErrUnsupported},
		{Key{"pii", 0, 0}, 16, errs.ErrUnsupported},
		{Key{"pii", 1, 1}, 16, ErrNoKey},
		{Key{"Pii", 0, 1}, 16, ErrNoKey},
	} {
		if _, err := r.Unwrap(&k.key, make([]byte, k.bytes)); !errors.Is(err, k.want) {
			t.Errorf("%v, %d bytes: %v, want %v", k.key, k.bytes, err, k.want)
		}
	}
	k, err := r.Unwrap(&Key{"pii", 0, 1}, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		column int
		stripe int64
		ok     bool
	}{{0, 1, true}, {1<<24 - 1, 1<<24 - 1, true}, {-1, 1, false}, {1 << 24, 1, false}, {0, 0, false}, {0, 1 << 24, false}} {
		if _, err := k.Stream(c.column, Data, c.stripe); errors.Is(err, errs.ErrCorrupt) == c.ok || err == nil != c.ok {
			t.Errorf("column %d, stripe %d: %v", c.column, c.stripe, err)
		}
	}
}

// The key stream, block by block from its definition, is what any piece at any offset is decrypted with.
func TestStreamOffsets(t *testing.T) {
	master, local := unhex(piiKey), unhex("f0e0d0c0b0a090807060504030201000")
	// The encrypted local key E has E xor AES(master, E) = local only by luck, so the local key is worked out.
	block, err := aes.NewCipher(master)
	if err != nil {
		t.Fatal(err)
	}
	wrapped := bytes.Clone(local)
	var pad [16]byte
	block.Encrypt(pad[:], wrapped)
	for i := range local {
		local[i] = wrapped[i] ^ pad[i]
	}
	k, err := KeyRing{"k": {{0, AESCTR128, master}}}.Unwrap(&Key{"k", 0, 1}, wrapped)
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Stream(0x010203, FileStatistics, 0x070809)
	if err != nil {
		t.Fatal(err)
	}
	if block, err = aes.NewCipher(local); err != nil {
		t.Fatal(err)
	}
	pads := func(from, n uint64) (out []byte) {
		for i := range n {
			iv := [16]byte{1, 2, 3, 0, 101, 7, 8, 9}
			binary.BigEndian.PutUint64(iv[8:], from+i)
			block.Encrypt(pad[:], iv[:])
			out = append(out, pad[:]...)
		}
		return out
	}
	r := rand.New(rand.NewSource(1))
	for _, base := range []uint64{0, 255, 1<<32 - 1, 1<<48 + 7} {
		whole := pads(base, 70)
		for range 200 {
			from, n := r.Intn(1000), r.Intn(100)
			src := make([]byte, n)
			r.Read(src)
			want := bytes.Clone(src)
			for i := range want {
				want[i] ^= whole[from+i]
			}
			dst := append(make([]byte, n), 0xee)
			c.XOR(dst, src, int64(base*16)+int64(from))
			if !bytes.Equal(dst[:n], want) || dst[n] != 0xee {
				t.Fatalf("%d bytes at %d·16+%d", n, base, from)
			}
			c.XOR(src, src, int64(base*16)+int64(from))
			if !bytes.Equal(src, want) {
				t.Fatalf("%d bytes at %d·16+%d in place", n, base, from)
			}
		}
	}
}

// Statistics that Java encrypted count the values that are there.
func TestEncryptedStatistics(t *testing.T) {
	ring := keyRing(t)
	for name, text := range map[string]string{
		"encrypted-0-none": "encrypted-0-none", "encrypted-0-zlib": "encrypted-0-none", "encrypted-1-none": "encrypted-0-none", "encrypted-1-zlib": "encrypted-0-none",
		"encrypted-2-zlib": "encrypted-0-none", "encrypted-strides": "encrypted-strides",
	} {
		f := openFixture(t, javaFixtures+name+".orc")
		rows := rowsOf(t, javaFixtures+text+".jsonl.gz")
		root, e := f.footer.Types[0], f.footer.Encryption
		if e == nil || len(e.Variants) == 0 {
			t.Fatalf("%s is not encrypted", name)
		}
		values := func(column, from, to int) (n int64) {
			for i, c := range root.Children {
				if c.ID == column {
					for _, row := range rows[from:to] {
						if row[i] != nil {
							n++
						}
					}
				}
			}
			return n
		}
		at := int64(f.stats)
		for _, v := range e.Variants {
			key, err := ring.Unwrap(&e.Keys[v.Key], v.EncryptedKey)
			if err != nil {
				t.Fatal(err)
			}
			decrypt := func(b []byte, column int, kind StreamKind) StatsList {
				c, err := key.Stream(column, kind, int64(len(f.footer.Stripes))+1)
				if err != nil {
					t.Fatal(err)
				}
				plain := make([]byte, len(b))
				c.XOR(plain, b, 0)
				l, err := ParseFileStats(unpackMessage(t, f.ps, plain), errs.Limits{})
				if err != nil {
					t.Fatalf("%s, column %d: %v", name, column, err)
				}
				return l
			}
			count := func(l StatsList, i int) int64 {
				s, err := l.At(i)
				if err != nil || !s.HasValues {
					t.Fatalf("%s, column %d: %v", name, v.Root, err)
				}
				return s.Values
			}
			l := decrypt(v.FileStats, v.Root, FileStatistics)
			if got, want := count(l, 0), values(v.Root, 0, len(rows)); got != want || l.Len() != f.footer.Types[v.Root].Last-v.Root+1 {
				t.Errorf("%s: %d values of column %d, want %d", name, got, v.Root, want)
			}
			for _, s := range v.StripeStats {
				l := decrypt(f.bytes[at:at+s.Length], s.Column, s.Kind)
				at += s.Length
				if s.Column != v.Root {
					continue
				}
				first := 0
				for i, stripe := range f.footer.Stripes {
					next := first + int(stripe.Rows)
					if got, want := count(l, i), values(v.Root, first, next); got != want {
						t.Errorf("%s, stripe %d: %d values of column %d, want %d", name, i, got, v.Root, want)
					}
					first = next
				}
			}
		}
	}
}

func TestChoose(t *testing.T) {
	f := mustFooter(t, footerOf(names(typeMsg(Struct, 1, 4), "a", "b"), names(typeMsg(Struct, 2, 3), "x", "y"), typeMsg(Int), typeMsg(Int), typeMsg(Int)))
	e := &Encryption{Variants: []Variant{{Root: 2, Key: 0}, {Root: 1, Key: 1}, {Root: 4, Key: 2}}}
	for _, k := range []struct {
		keys []int
		want []int32
	}{
		{nil, nil},
		{[]int{0}, []int32{-1, -1, 0, -1, -1}},
		{[]int{1}, []int32{-1, 1, 1, 1, -1}},
		{[]int{0, 1, 2}, []int32{-1, 1, 0, 1, 2}},
	} {
		got := e.Choose(f.Types, func(key int) bool {
			for _, x := range k.keys {
				if x == key {
					return true
				}
			}
			return false
		})
		if !reflect.DeepEqual(got, k.want) {
			t.Errorf("keys %v: %v, want %v", k.keys, got, k.want)
		}
	}
	if (*Encryption)(nil).Choose(f.Types, nil) != nil {
		t.Error("variants of nothing")
	}
}

func TestDirectory(t *testing.T) {
	e := &Encryption{Variants: []Variant{{Root: 2}, {Root: 1}}}
	footer := func() *StripeFooter {
		return &StripeFooter{
			Streams: []Stream{
				{RowIndex, 0, 10, 0}, {RowIndex, 1, 5, 10}, {EncryptedIndex, 0, 7, 15}, {Data, 1, 20, 22}, {EncryptedData, 0, 90, 42},
			},
			Encodings: []Encoding{{Kind: Direct}, {Kind: DirectV2}, {Kind: DirectV2}},
			Encryption: []StripeVariant{
				{Streams: []Stream{{RowIndex, 2, 3, 0}, {Present, 2, 40, 3}, {Data, 2, 0, 43}}, Encodings: []Encoding{{Kind: DictionaryV2, DictionarySize: 9}}},
				{Streams: []Stream{{RowIndex, 1, 4, 0}, {Data, 1, 50, 4}}, Encodings: []Encoding{{Kind: Dictionary}}},
			},
		}
	}
	f := footer()
	in := func(variant int32, k StreamKind, column int, length, offset int64) VariantStream {
		return VariantStream{Stream{k, column, length, offset}, variant}
	}
	for _, k := range []struct {
		use       []int32
		streams   []VariantStream
		encodings []Encoding
	}{
		{nil, []VariantStream{in(-1, RowIndex, 0, 10, 0), in(-1, RowIndex, 1, 5, 10), in(-1, Data, 1, 20, 22)}, f.Encodings},
		{[]int32{-1, -1, 0}, []VariantStream{
			in(-1, RowIndex, 0, 10, 0), in(-1, RowIndex, 1, 5, 10), in(0, RowIndex, 2, 3, 15), in(-1, Data, 1, 20, 22), in(0, Present, 2, 40, 42), in(0, Data, 2, 0, 82),
		}, []Encoding{{Kind: Direct}, {Kind: DirectV2}, {Kind: DictionaryV2, DictionarySize: 9}}},
		{[]int32{-1, 1, -1}, []VariantStream{in(-1, RowIndex, 0, 10, 0), in(1, RowIndex, 1, 4, 18), in(1, Data, 1, 50, 82)}, []Encoding{{Kind: Direct}, {Kind: Dictionary}, {Kind: DirectV2}}},
	} {
		streams, encodings, err := f.Directory(e, k.use)
		if err != nil || !reflect.DeepEqual(streams, k.streams) || !reflect.DeepEqual(encodings, k.encodings) {
			t.Errorf("%v: %v, %v, %v", k.use, streams, encodings, err)
		}
	}
	if f.Encodings[2].Kind != DirectV2 {
		t.Error("the footer has changed")
	}
	for name, damage := range map[string]func(f *StripeFooter){
		"a variant too few":         func(f *StripeFooter) { f.Encryption = f.Encryption[:1] },
		"no encoding":               func(f *StripeFooter) { f.Encryption[0].Encodings = nil },
		"streams too long":          func(f *StripeFooter) { f.Encryption[1].Streams[1].Length++ },
		"streams too short":         func(f *StripeFooter) { f.Encryption[1].Streams[0].Length-- },
		"placeholder too short":     func(f *StripeFooter) { f.Streams[2].Length-- },
		"placeholder there twice":   func(f *StripeFooter) { f.Streams[3].Kind = EncryptedIndex },
		"a stream that has no room": func(f *StripeFooter) { f.Streams = f.Streams[:4] },
	} {
		f := footer()
		damage(f)
		if _, _, err := f.Directory(e, []int32{-1, 1, 0}); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkXOR(b *testing.B) {
	k, err := keyRing(b).Unwrap(&Key{"pii", 0, 1}, make([]byte, 16))
	if err != nil {
		b.Fatal(err)
	}
	c, err := k.Stream(1, Data, 1)
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 256<<10)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		c.XOR(buf, buf, 5)
	}
}
