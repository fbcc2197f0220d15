package orcwire

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Encrypted columns (specification, "Column Encryption") go through three keys:
//
//	master key   outside of the file, named and numbered by Encryption.Keys
//	local key    of a variant and a stripe, random; in the file, encrypted with the master key
//	stream       encrypted with the local key, after compression, AES in counter mode
//
// An encryption variant that a reader has the master key of takes the place of the columns in clear, which hold masked
// values; of several, the first does.

// Algorithm is a cipher, by its number in files.
type Algorithm uint8

// Algorithms.
const (
	AESCTR128 Algorithm = 1
	AESCTR256 Algorithm = 2
)

var algorithmNames = map[Algorithm]string{AESCTR128: "AES_CTR_128", AESCTR256: "AES_CTR_256"}

// String returns the specification's name.
func (a Algorithm) String() string {
	if s, ok := algorithmNames[a]; ok {
		return s
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// KeyBytes returns the size of keys, 0 where the algorithm is not known.
func (a Algorithm) KeyBytes() int {
	switch a {
	case AESCTR128:
		return 16
	case AESCTR256:
		return 32
	}
	return 0
}

// ErrNoKey is what Unwrap returns where the master key is not at hand: the masked values are what can be read.
var ErrNoKey = errors.New("no such master key")

// MasterKey is a version of a master key.
type MasterKey struct {
	Version   uint32
	Algorithm Algorithm
	material  []byte
}

// KeyRing holds master keys by name, each with its versions. A nil ring is empty. It prints names only.
type KeyRing map[string][]MasterKey

// ParseKeys reads master keys from JSON, a version of a key, or a list of versions, for each name:
//
//	{"pii": {"version": 0, "algorithm": "AES_CTR_128", "key": "000102030405060708090a0b0c0d0e0f"}}
//
// The error is errs.ErrOption, and does not repeat what the text says.
func ParseKeys(text []byte) (KeyRing, error) {
	var names map[string]json.RawMessage
	if err := json.Unmarshal(text, &names); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "keys are not a JSON object of names")
	}
	ring := KeyRing{}
	for name, raw := range names {
		type version struct {
			Version   uint32 `json:"version"`
			Algorithm string `json:"algorithm"`
			Key       string `json:"key"`
		}
		list := make([]version, 1)
		if json.Unmarshal(raw, &list[0]) != nil && json.Unmarshal(raw, &list) != nil {
			return nil, errs.Errorf(errs.ErrOption, "key %q: want version, algorithm and key, or a list of these", name)
		}
		for _, v := range list {
			k := MasterKey{Version: v.Version}
			for a, s := range algorithmNames {
				if s == v.Algorithm {
					k.Algorithm = a
				}
			}
			if k.Algorithm == 0 {
				return nil, errs.Errorf(errs.ErrOption, "key %q: the algorithm must be AES_CTR_128 or AES_CTR_256", name)
			}
			var err error
			if k.material, err = hex.DecodeString(v.Key); err != nil || len(k.material) != k.Algorithm.KeyBytes() {
				return nil, errs.Errorf(errs.ErrOption, "key %q: %v takes %d hexadecimal digits", name, k.Algorithm, 2*k.Algorithm.KeyBytes())
			}
			if _, ok := ring.find(name, k.Version); ok {
				return nil, errs.Errorf(errs.ErrOption, "key %q: version %d is there twice", name, k.Version)
			}
			ring[name] = append(ring[name], k)
		}
	}
	return ring, nil
}

// String lists the names.
func (r KeyRing) String() string { return strings.Join(slices.Sorted(maps.Keys(r)), ", ") }

// GoString is String.
func (r KeyRing) GoString() string { return r.String() }

func (r KeyRing) find(name string, version uint32) (MasterKey, bool) {
	for _, k := range r[name] {
		if k.Version == version {
			return k, true
		}
	}
	return MasterKey{}, false
}

// Has reports whether the ring has the master key.
func (r KeyRing) Has(k *Key) bool {
	_, ok := r.find(k.Name, k.Version)
	return ok
}

// Unwrap decrypts a local key with its master key, as Hadoop's key management and orc-core's in-memory key store do: in
// counter mode, the first 16 bytes of the encrypted key being the counter. ErrNoKey: the master key is not in the ring.
// A wrong master key is not noticed here.
func (r KeyRing) Unwrap(k *Key, encrypted []byte) (*LocalKey, error) {
	m, ok := r.find(k.Name, k.Version)
	if !ok {
		return nil, ErrNoKey
	}
	a := Algorithm(k.Algorithm)
	n := a.KeyBytes()
	if n == 0 {
		return nil, errs.Errorf(errs.ErrUnsupported, "encryption key %q: %v", k.Name, a)
	}
	if len(encrypted) != n {
		return nil, errs.Errorf(errs.ErrCorrupt, "encryption key %q: a local key of %d bytes for %v", k.Name, len(encrypted), a)
	}
	master, err := aes.NewCipher(m.material)
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "key %q: %w", k.Name, err)
	}
	local := make([]byte, n)
	cipher.NewCTR(master, encrypted[:aes.BlockSize]).XORKeyStream(local, encrypted)
	block, err := aes.NewCipher(local)
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "local key: %w", err)
	}
	return &LocalKey{block: block}, nil
}

// LocalKey decrypts the streams of one variant in the stripes, or the tail, that have this key. It may be shared.
type LocalKey struct{ block cipher.Block }

// Stream returns what decrypts a stream. stripe is StripeInfo.EncryptStripeID; for what stands in the tail, statistics
// of stripes and, with kind FileStatistics and the variant's root, of the file, it is the number of stripes plus one.
func (k *LocalKey) Stream(column int, kind StreamKind, stripe int64) (*CTR, error) {
	const most = 1<<24 - 1
	if column < 0 || column > most || stripe < 1 || stripe > most {
		return nil, errs.Errorf(errs.ErrCorrupt, "column %d in stripe %d cannot be encrypted: numbers go up to %d", column, stripe, most)
	}
	// 3 bytes of column, 2 of kind, 3 of stripe; the other half counts blocks of 16 bytes from the stream's start.
	return &CTR{block: k.block, high: uint64(column)<<40 | uint64(kind)<<24 | uint64(stripe)}, nil
}

// CTR decrypts, or encrypts, one stream. It may be shared.
type CTR struct {
	block cipher.Block
	high  uint64
}

// XOR decrypts src, which lies off bytes into the stream, into dst, which is at least as long. They may be the same, or
// else must not overlap.
func (c *CTR) XOR(dst, src []byte, off int64) {
	var iv, skip [aes.BlockSize]byte
	binary.BigEndian.PutUint64(iv[:], c.high)
	binary.BigEndian.PutUint64(iv[8:], uint64(off)/aes.BlockSize)
	s := cipher.NewCTR(c.block, iv[:])
	if n := off % aes.BlockSize; n > 0 {
		s.XORKeyStream(skip[:n], skip[:n])
	}
	s.XORKeyStream(dst[:len(src)], src)
}

// Choose returns for each type, by id, the variant to read it from, -1 = as it is in clear: the first that encrypts the
// type and whose key, a position in e.Keys, there is. nil: none for any type.
func (e *Encryption) Choose(types []*Type, have func(key int) bool) []int32 {
	if e == nil {
		return nil
	}
	var use []int32
	for v, variant := range e.Variants {
		if !have(variant.Key) {
			continue
		}
		if use == nil {
			use = slices.Repeat([]int32{-1}, len(types))
		}
		for c := variant.Root; c <= types[variant.Root].Last; c++ {
			if use[c] < 0 {
				use[c] = int32(v)
			}
		}
	}
	return use
}

// VariantStream is a stream with the variant that it belongs to, -1 = it is in clear. Offset counts from the stripe's
// start, always.
type VariantStream struct {
	Stream
	Variant int32
}

// Directory returns the streams of a stripe, and the encodings of its columns, where each is read from the variant that
// use has for it (see Choose; nil = all in clear). Streams of the others, and the placeholders for what is encrypted, are
// left out. The order is that of the streams in the stripe:
//
//	indexes in clear | of variant 0 | of variant 1 | … | other streams in clear | of variant 0 | of variant 1 | …
func (f *StripeFooter) Directory(e *Encryption, use []int32) ([]VariantStream, []Encoding, error) {
	encodings := f.Encodings
	if use != nil {
		if len(use) != len(encodings) {
			return nil, nil, errs.Errorf(errs.ErrInternal, "variants for %d of %d columns", len(use), len(encodings))
		}
		if len(f.Encryption) != len(e.Variants) {
			return nil, nil, errs.Errorf(errs.ErrCorrupt, "the stripe has %d encryption variants, the file %d", len(f.Encryption), len(e.Variants))
		}
		encodings = slices.Clone(encodings)
		for c, v := range use {
			if v < 0 {
				continue
			}
			i, of := c-e.Variants[v].Root, f.Encryption[v].Encodings
			if i >= len(of) {
				return nil, nil, errs.Errorf(errs.ErrCorrupt, "encryption variant %d has %d encodings, none for column %d", v, len(of), c)
			}
			encodings[c] = of[i]
		}
	}
	out := make([]VariantStream, 0, len(f.Streams))
	var holes [2]int
	for _, s := range f.Streams {
		switch {
		case s.Kind == EncryptedIndex || s.Kind == EncryptedData:
			if holes[s.Kind-EncryptedIndex]++; holes[s.Kind-EncryptedIndex] > 1 {
				return nil, nil, errs.Errorf(errs.ErrCorrupt, "%s is there twice", s.Kind)
			}
			if use == nil {
				continue
			}
			var err error
			if out, err = f.encrypted(out, s, use); err != nil {
				return nil, nil, err
			}
		case use == nil || use[s.Column] < 0:
			out = append(out, VariantStream{Stream: s, Variant: -1})
		}
	}
	for i, n := range holes {
		if n == 0 && use != nil {
			// Streams of no bytes need no place.
			var err error
			if out, err = f.encrypted(out, Stream{Kind: EncryptedIndex + StreamKind(i)}, use); err != nil {
				return nil, nil, err
			}
		}
	}
	return out, encodings, nil
}

// encrypted appends the streams that lie in the place of a placeholder.
func (f *StripeFooter) encrypted(out []VariantStream, hole Stream, use []int32) ([]VariantStream, error) {
	at, end := hole.Offset, hole.Offset+hole.Length
	for v := range f.Encryption {
		for _, s := range f.Encryption[v].Streams {
			if s.Kind.Index() != (hole.Kind == EncryptedIndex) {
				continue
			}
			if s.Length > end-at {
				return nil, errs.Errorf(errs.ErrCorrupt, "%s of column %d in encryption variant %d: %d bytes, %d are left of %s", s.Kind, s.Column, v, s.Length, end-at, hole.Kind)
			}
			s.Offset = at
			at += s.Length
			if use[s.Column] == int32(v) {
				out = append(out, VariantStream{Stream: s, Variant: int32(v)})
			}
		}
	}
	if at != end {
		return nil, errs.Errorf(errs.ErrCorrupt, "encrypted streams of %d bytes in the %d of %s", at-hole.Offset, hole.Length, hole.Kind)
	}
	return out, nil
}
