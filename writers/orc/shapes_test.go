package orc

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// shapeOf builds well-known binary: a kind, counts and coordinates.
func shapeOf(kind uint32, counts []uint32, coordinates ...float64) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{1}, kind)
	for _, n := range counts {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	for _, v := range coordinates {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// TestShapesOfMany: groups, stripes and the file know what those below them know.
func TestShapesOfMany(t *testing.T) {
	var s shapeStats
	for _, b := range [][]byte{shapeOf(1, nil, 1, 2), shapeOf(2, []uint32{0})} {
		if err := s.add([]int32{0, int32(len(b))}, b); err != nil {
			t.Fatal(err)
		}
		s.count(1, false)
	}
	first := s.endGroup()
	s.count(0, true)
	none := s.endGroup()
	b := shapeOf(1002, []uint32{2}, 0, 9, 7, 1, 1, 8)
	if err := s.add([]int32{0, int32(len(b))}, b); err != nil {
		t.Fatal(err)
	}
	s.count(1, false)
	stripe := s.endStripe(0)
	if none.Geo != nil || !slices.Equal(first.Geo.Types, []int32{1}) || !slices.Equal(stripe.Geo.Types, []int32{1, 1002}) {
		t.Errorf("%+v, %+v, %+v", none.Geo, first.Geo, stripe.Geo)
	}
	if box := stripe.Geo.Box; box.XMin != 0 || box.XMax != 1 || box.YMin != 1 || box.YMax != 9 || *box.ZMin != 7 || *box.ZMax != 8 || box.MMin != nil {
		t.Errorf("%+v", box)
	}
	if text, file := statsText(&orcwire.Type{}, stripe), statsText(&orcwire.Type{}, s.file()); text != file {
		t.Errorf("%s, in the file %s", text, file)
	}
}
