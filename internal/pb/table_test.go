package pb

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

type point struct {
	X     int64
	Y     *int64
	Label string
}

type drawing struct {
	ID     uint32
	Name   []byte
	Points []point
	Best   *point
	Sizes  []uint64
	Tags   []string
	Share  float64
	Known  bool // whether Share is
	Magic  string
}

var pointTable = NewTable(
	Int(1, "x", func(p *point) *int64 { return &p.X }).Required(),
	SintOf(2, "y", func(p *point) **int64 { return &p.Y }),
	Text(3, "label", func(p *point) *string { return &p.Label }).OmitZero(),
).Check(func(p *point) error {
	if p.Label == "bad" {
		return errs.Errorf(errs.ErrCorrupt, "a bad label")
	}
	return nil
})

var drawingTable = NewTable(
	Uint(1, "id", func(d *drawing) *uint32 { return &d.ID }).Words("NONE", "ONE"),
	Bytes(2, "name", func(d *drawing) *[]byte { return &d.Name }),
	Parts(3, "points", "point", pointTable, func(d *drawing) *[]point { return &d.Points }).Each(ListNumbered, 2),
	PartOf(4, "best", pointTable, func(d *drawing) **point { return &d.Best }),
	Varints(5, "sizes", func(d *drawing) *[]uint64 { return &d.Sizes }),
	Strings(6, "tags", FormText, func(d *drawing) *[]string { return &d.Tags }),
	Double(7, "share", func(d *drawing) *float64 { return &d.Share }).With(func(d *drawing) *bool { return &d.Known }),
	Only[drawing](8, "comment", FormText),
	Text(8000, "magic", func(d *drawing) *string { return &d.Magic }).OmitZero(),
).Start(func(d *drawing) { d.ID = 7 })

// What a table writes is the message that protobuf has for it, and what it reads of that is what it wrote.
func TestTable(t *testing.T) {
	five := int64(-5)
	for name, c := range map[string]struct {
		v    drawing
		want pbtest.Message
	}{
		"nothing": {drawing{}, pbtest.Message(nil).Uint(1, 0)},
		"all": {
			drawing{
				ID: 1, Name: []byte{}, Points: []point{{X: -1}, {X: 300, Y: &five, Label: "b"}}, Best: &point{}, Sizes: []uint64{1, 300, math.MaxUint64},
				Tags: []string{"", "t"}, Share: -0.5, Known: true, Magic: "DRW",
			},
			pbtest.Message(nil).Uint(1, 1).Text(2, "").
				Bytes(3, pbtest.Message(nil).Uint(1, math.MaxUint64)).Bytes(3, pbtest.Message(nil).Uint(1, 300).Sint(2, -5).Text(3, "b")).
				Bytes(4, pbtest.Message(nil).Uint(1, 0)).Packed(5, 1, 300, math.MaxUint64).Text(6, "").Text(6, "t").Double(7, -0.5).Text(8000, "DRW"),
		},
		"long": {
			drawing{Points: []point{{Label: string(bytes.Repeat([]byte("x"), 20000))}}},
			pbtest.Message(nil).Uint(1, 0).Bytes(3, pbtest.Message(nil).Uint(1, 0).Bytes(3, bytes.Repeat([]byte("x"), 20000))),
		},
	} {
		b := drawingTable.Append([]byte("before"), &c.v)
		if !bytes.Equal(b, append([]byte("before"), c.want...)) {
			t.Errorf("%s: % x, want % x", name, b[6:], c.want)
		}
		var got drawing
		if err := drawingTable.Parse(c.want.Strange().Text(8, "passed over"), &got); err != nil || !reflect.DeepEqual(got, c.v) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	var got drawing
	if err := drawingTable.Parse(pbtest.Message(nil).Uint(5, 3).Packed(5, 4), &got); err != nil || got.ID != 7 || !reflect.DeepEqual(got.Sizes, []uint64{3, 4}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTableFaults(t *testing.T) {
	for _, c := range []struct {
		b    pbtest.Message
		want string
	}{
		{pbtest.Message(nil).Text(1, "x"), "protobuf field 1 has wire type 2, not 0"},
		{pbtest.Message(nil).Uint(1, 1<<32), "protobuf field 1 is 4294967296, which is too large"},
		{pbtest.Message(nil).Uint(3, 1), "point 0: protobuf field 3 has wire type 0, not 2"},
		{pbtest.Message(nil).Bytes(3, pbtest.Message(nil).Uint(1, 1)).Bytes(3, nil), "point 1: no x"},
		{pbtest.Message(nil).Bytes(3, pbtest.Message(nil).Uint(1, 1).Text(3, "bad")), "point 0: a bad label"},
		{pbtest.Message(nil).Bytes(4, nil), "best: no x"},
		{pbtest.Message(nil).Bytes(4, []byte{0x08}), ""},
		{pbtest.Message(nil).Bytes(4, pbtest.Message(nil).Text(2, "x")), "best: protobuf field 2 has wire type 2, not 0"},
		// The length of an inner message ends what is read of it.
		{append(pbtest.Message(nil).Bytes(4, []byte{0x08}), 0x01), ""},
	} {
		err := drawingTable.Parse(c.b, &drawing{})
		if !errors.Is(err, errs.ErrCorrupt) || c.want != "" && err.Error() != c.want {
			t.Errorf("% x: %v, want %q", c.b, err, c.want)
		}
	}
}

func TestShape(t *testing.T) {
	s := &drawingTable.Shape
	if f := s.Find(3); f == nil || f.Name != "points" || f.Parts != &pointTable.Shape || f.List != ListNumbered || f.Most != 2 {
		t.Errorf("%+v", f)
	}
	if f := s.Find(1); f.Word(1) != "ONE" || f.Word(2) != "" || f.Form != FormUint {
		t.Errorf("%+v", f)
	}
	if s.Find(9) != nil || s.Find(8000) == nil || s.Has(FormPositions) || !s.Has(FormDouble) {
		t.Error("another shape")
	}
}

// FuzzTable: what is read is written in one form: reading that gives the same, and writing it again the same bytes.
func FuzzTable(f *testing.F) {
	f.Add([]byte(pbtest.Message(nil).Uint(1, 1).Bytes(3, pbtest.Message(nil).Uint(1, 300).Sint(2, -5)).Packed(5, 1, 300).Double(7, 1).Text(8000, "x")))
	f.Add([]byte(pbtest.Message(nil).Strange().Bytes(4, pbtest.Message(nil).Uint(1, 1).Strange())))
	f.Fuzz(func(t *testing.T, b []byte) {
		var one, two drawing
		if drawingTable.Parse(b, &one) != nil {
			return
		}
		first := drawingTable.Append(nil, &one)
		if err := drawingTable.Parse(first, &two); err != nil {
			t.Fatalf("% x: %v", first, err)
		}
		if again := drawingTable.Append(nil, &two); !bytes.Equal(first, again) {
			t.Fatalf("% x, then % x", first, again)
		}
	})
}

// Next finds the same fields as the package of protobuf does.
func FuzzNext(f *testing.F) {
	f.Add([]byte(pbtest.Message(nil).Uint(1, 300).Uint(700, 1<<40).Text(3, "abc").Strange()))
	f.Add([]byte{0x08, 0x80, 0x00, 0x12, 0x80, 0x00, 0x12, 0x83, 0x00, 1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := New(b)
		rest := b
		for m.Next() {
			if m.Left() != len(rest) {
				t.Fatalf("%d are left of %d", m.Left(), len(rest))
			}
			num, typ, n := protowire.ConsumeField(rest)
			if n < 0 || num != m.Num || typ != m.Type {
				t.Fatalf("field %d of type %d; protowire: %d, %d, %d", m.Num, m.Type, num, typ, n)
			}
			_, _, tag := protowire.ConsumeTag(rest)
			switch typ {
			case protowire.BytesType:
				if want, _ := protowire.ConsumeBytes(rest[tag:]); !bytes.Equal(m.Bytes(), want) || cap(m.Bytes()) != len(want) {
					t.Fatalf("%x, want %x", m.Bytes(), want)
				}
			case protowire.VarintType:
				if want, _ := protowire.ConsumeVarint(rest[tag:]); m.Val != want {
					t.Fatalf("%d, want %d", m.Val, want)
				}
			}
			rest = rest[n:]
		}
		if m.Err == nil && len(rest) > 0 {
			t.Fatalf("%d bytes were passed over", len(rest))
		}
	})
}
