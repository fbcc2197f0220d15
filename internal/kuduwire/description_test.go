package kuduwire

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"google.golang.org/protobuf/encoding/protowire"
)

// Whatever bit of the record that describes a superblock is flipped, the superblock is what it was, with an error; what is in
// the record itself, or around it, is never passed over.
func TestDescriptionDamaged(t *testing.T) {
	text := func(num protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), s)
	}
	set := slices.Concat(text(1, "d0"), text(2, "d0"))
	b := containerOf(2, typeDirInstance, slices.Concat(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), set), text(2, DirLog)))
	want, err := ParseDirInstance(b, errs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenContainer(b)
	if err != nil {
		t.Fatal(err)
	}
	first, second := containerHead+crcSize+4+crcSize, int(c.Good)
	for i := range b {
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			got, err := ParseDirInstance(bad, errs.Limits{})
			described := i >= first && i < second
			if !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) || errors.Is(err, ErrDescription) != described || (got != nil) != described {
				t.Fatalf("bit %d of byte %d: %+v, %v", bit, i, got, err)
			}
			if described && !reflect.DeepEqual(got, want) {
				t.Errorf("bit %d of byte %d: %+v", bit, i, got)
			}
		}
	}
	// Other messages are not taken for it.
	bad := bytes.Clone(b)
	bad[first] ^= 1
	if got, err := ParseConsensus(bad, errs.Limits{}); err == nil || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
