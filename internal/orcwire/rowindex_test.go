package orcwire

import (
	"math"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func TestRowIndex(t *testing.T) {
	b := pbtest.Message(nil).Strange().
		Bytes(1, pbtest.Message(nil).Packed(1, 0, 0, 0).Bytes(2, count(9, 0))).
		Bytes(1, nil).
		Bytes(1, pbtest.Message(nil).Uint(1, 5).Strange().Packed(1, math.MaxUint64, 300).Uint(1, 6))
	want := [][]uint64{{0, 0, 0}, {}, {5, math.MaxUint64, 300, 6}}
	for most := range 5 {
		r, err := ParseRowIndex(b, most)
		if err != nil || len(r) != min(most, 3) {
			t.Fatal(len(r), err)
		}
		for i := range r {
			if !reflect.DeepEqual(r[i].Positions, want[i]) || cap(r[i].Positions) != len(want[i]) {
				t.Errorf("row group %d: %d, capacity %d", i, r[i].Positions, cap(r[i].Positions))
			}
		}
		if most > 0 {
			if s, err := r[0].ColumnStats(); err != nil || s.Values != 9 {
				t.Errorf("%+v, %v", s, err)
			}
		}
		if most > 1 {
			if s, err := r[1].ColumnStats(); err != nil || r[1].Stats != nil || !reflect.DeepEqual(s, ColumnStats{}) {
				t.Errorf("%+v, %v", s, err)
			}
		}
	}
	if r, err := ParseRowIndex(nil, 7); err != nil || len(r) != 0 {
		t.Error(r, err)
	}
	corruptEverywhere(t, b, func(b []byte) error {
		_, err := ParseRowIndex(b, 3)
		return err
	})
	for name, b := range map[string]pbtest.Message{
		"entry as number":     pbtest.Message(nil).Uint(1, 1),
		"position cut":        pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Bytes(1, []byte{0x80})),
		"statistics a number": pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Uint(2, 1)),
		"position a double":   pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Double(1, 1)),
	} {
		_, err := ParseRowIndex(b, 10)
		wantKind(t, name, err, errs.ErrCorrupt)
	}
}
