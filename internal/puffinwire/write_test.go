package puffinwire

import (
	"bytes"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// TestEncodeVector has the roaring library read what is written.
func TestEncodeVector(t *testing.T) {
	for name, want := range sets() {
		blob := EncodeVector(want)
		var b roaring64.Bitmap
		if _, err := b.ReadFrom(bytes.NewReader(blob[8 : len(blob)-4])); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int64
		for _, p := range b.ToArray() {
			got = append(got, int64(p))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the library reads %d positions, not %d", name, len(got), len(want))
		}
		if own, err := Vector(blob, int64(len(want))); err != nil || !slices.Equal(own, want) {
			t.Errorf("%s: %d positions, not %d: %v", name, len(own), len(want), err)
		}
	}
}

// TestFooter reads the footer that is written.
func TestWrittenFooter(t *testing.T) {
	text, err := Footer([]Blob{VectorBlob("f", 4, 10, 3)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := append([]byte(Magic+"0123456789"), text...)
	n, err := FooterSize(file[len(file)-TailSize:], int64(len(file)))
	if err != nil || n != int64(len(text)) {
		t.Fatal(n, err)
	}
	blobs, err := ParseFooter(text, 1000)
	if err != nil || len(blobs) != 1 || blobs[0].Properties[PropertyCardinality] != "3" || blobs[0].Codec != "" {
		t.Error(blobs, err)
	}
}
