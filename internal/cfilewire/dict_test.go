package cfilewire_test

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// A block of a STRING column as Kudu 1.17 wrote it, with codes of one byte; and one as they are behind a full dictionary.
func TestParseDictMode(t *testing.T) {
	codes := fromHex(t, "01000000 ef000000 18000000 2d000000 18000000 01000000 00000015 c38208aed0cb80310a750ea1000100500000000000")
	m, rest, err := cfilewire.ParseDictMode(codes)
	if err != nil || m != cfilewire.DictCodes || len(rest) != len(codes)-4 {
		t.Fatalf("%v, %d bytes, %v", m, len(rest), err)
	}
	var b cfilewire.BitShuffle
	h, err := b.Open(rest, 4, true)
	if err != nil || h != (cfilewire.Head{Count: 24, Ordinal: 239}) {
		t.Fatalf("%v, %v", h, err)
	}
	r := rand.New(rand.NewSource(1))
	want := randomStrings(r, 24, 20)
	m, rest, err = cfilewire.ParseDictMode(append(le32(nil, 2), encodePlainStrings(239, want)...))
	if err != nil || m != cfilewire.DictPlain {
		t.Fatalf("%v, %v", m, err)
	}
	var s cfilewire.Strings
	if h, err = s.OpenPlain(rest); err != nil || h != (cfilewire.Head{Count: 24, Ordinal: 239}) {
		t.Fatalf("%v, %v", h, err)
	}
	checkStrings(t, r, &s, want)
	for _, b := range [][]byte{nil, {1}, {1, 0, 0}, le32(nil, 0), le32(nil, 3, 0), le32(nil, 1<<24+1, 0), slices.Concat([]byte{0}, codes)} {
		if _, _, err := cfilewire.ParseDictMode(b); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%x: %v", b, err)
		}
	}
}
