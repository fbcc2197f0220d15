package orc

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// wkb builds well-known binary: words are 32 bits each, floats 64, bytes themselves.
func wkb(big bool, parts ...any) (b []byte) {
	var order binary.AppendByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	for _, p := range parts {
		switch p := p.(type) {
		case byte:
			b = append(b, p)
		case int:
			b = order.AppendUint32(b, uint32(p))
		case float64:
			b = order.AppendUint64(b, math.Float64bits(p))
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}

const little, great = byte(1), byte(0)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

// point and ring are geometries for others.
func point(x, y float64) []byte { return wkb(false, little, 1, x, y) }

// TestShapes: what is said of geometries follows the standard (OGC 06-103r4, "Well-known Binary Representation"), and
// where that is silent, JTS.
func TestShapes(t *testing.T) {
	square := []any{5, 0., 0., 4., 0., 4., 4., 0., 4., 0., 0.}
	for _, c := range []struct {
		name string
		b    []byte
		want string // of the statistics of this value alone
	}{
		{"point", point(1, 2), "1 1 2 2, types 1"},
		{"big-endian", wkb(true, great, 1, 1., 2.), "1 1 2 2, types 1"},
		{"with z", wkb(false, little, 1001, 1., 2., 3.), "1 1 2 2, z 3 3, types 1001"},
		{"with m", wkb(false, little, 2001, 1., 2., 3.), "1 1 2 2, m 3 3, types 2001"},
		{"with both", wkb(false, little, 3001, 1., 2., 3., 4.), "1 1 2 2, z 3 3, m 4 4, types 3001"},
		{"with the flags of PostGIS", wkb(false, little, 1<<31|1, 1., 2., 3.), "1 1 2 2, z 3 3, types 1001"},
		{"with all flags of PostGIS", wkb(true, great, 7<<29|1, 4326, 1., 2., 3., 4.), "1 1 2 2, z 3 3, m 4 4, types 3001"},
		{"with z that is none", wkb(false, little, 1001, 1., 2., nan), "1 1 2 2, types 1"},
		{"an empty point", point(nan, nan), ""},
		{"half a point", point(1, nan), ""},
		{"followed by something", append(point(1, 2), "abc"...), "1 1 2 2, types 1"},
		{"line", wkb(false, little, 2, 3, 1., 2., -3., 9., 2., 5.), "-3 2 2 9, types 2"},
		{"an empty line", wkb(false, little, 2, 0), ""},
		{"a line of one point", wkb(false, little, 2, 1, 1., 2.), "1 1 2 2, types 2"},
		{"line with z in part", wkb(false, little, 1002, 2, 1., 2., nan, 3., 4., 5.), "1 3 2 4, z 5 5, types 2"},
		{"a line from nowhere", wkb(false, little, 2, 2, nan, 2., 3., 4.), ""},
		{"a line to nowhere", wkb(false, little, 2, 2, 1., 2., nan, 4.), "1 1 2 4, types 2"},
		{"endless", wkb(false, little, 2, 2, 1., 2., inf, 4.), "1 +Inf 2 4, types 2"},
		{"endless on both sides", wkb(false, little, 2, 2, -inf, 2., inf, 4.), ""},
		{"polygon", wkb(false, append([]any{little, 3, 1}, square...)...), "0 4 0 4, types 3"},
		{"polygon without rings", wkb(false, little, 3, 0), ""},
		{"polygon with a hole, which may be anywhere", wkb(false, append(append([]any{little, 3, 2}, square...), 4, 9., 9., 8., 8., 7., 9., 9., 9.)...), "0 4 0 4, types 3"},
		{"polygon with a hole, whose z counts", wkb(false, little, 1003, 2, 4, 0., 0., 1., 4., 0., 1., 4., 4., 1., 0., 0., 1., 4, 1., 1., 7., 2., 1., 7., 2., 2., 7., 1., 1., 7.), "0 4 0 4, z 1 7, types 1003"},
		{"ring that is not closed", wkb(false, little, 3, 1, 2, 0., 0., 4., 3.), "0 4 0 3, types 3"},
		{"points", wkb(false, little, 4, 3, point(1, 2), point(nan, nan), point(-1, 5)), "-1 1 2 5, types 4"},
		{"lines", wkb(false, little, 5, 2, wkb(false, little, 2, 2, 1., 2., 3., 4.), wkb(true, great, 2, 2, 0., 9., 3., 4.)), "0 3 2 9, types 5"},
		{"polygons", wkb(false, little, 6, 1, wkb(false, append([]any{little, 3, 1}, square...)...)), "0 4 0 4, types 6"},
		{"collection", wkb(false, little, 7, 2, point(1, 2), wkb(false, little, 7, 1, wkb(false, little, 2, 2, 7., 8., 9., 6.))), "1 9 2 8, types 7"},
		{"an empty collection", wkb(false, little, 7, 0), ""},
		{"a collection of empty ones", wkb(false, little, 7, 2, point(nan, nan), wkb(false, little, 2, 0)), ""},
		{"a collection whose first point has z", wkb(false, little, 7, 2, wkb(false, little, 1001, 1., 2., 3.), point(4, 5)), "1 4 2 5, z 3 3, types 1007"},
		{"the byte order of the geometry before", wkb(true, great, 4, 2, byte(9), 1, 1., 2., byte(9), 1, 3., 4.), "1 3 2 4, types 4"},
		{"a kind beyond the standard's dimensions", wkb(false, little, 4001, 1., 2.), "1 1 2 2, types 1"},
	} {
		var s shapeStats
		if err := s.add([]int32{3, int32(3 + len(c.b))}, append([]byte("abc"), c.b...)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := statsText(&orcwire.Type{}, s.endGroup()); !strings.HasSuffix(got, "geo "+c.want+" ") && (c.want != "" || strings.Contains(got, "geo")) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		// Cut anywhere it is an error, or still there.
		whole, _ := readShape(c.b)
		for n := range c.b {
			if cut, err := readShape(c.b[:n]); err == nil && !strings.HasPrefix(c.name, "followed") || err == nil && cut != whole {
				t.Errorf("%s: the first %d of %d bytes are a geometry", c.name, n, len(c.b))
			}
		}
	}
}

// TestShapesOfMany: groups, stripes and the file know what those below them know.
func TestShapesOfMany(t *testing.T) {
	var s shapeStats
	for _, b := range [][]byte{point(1, 2), wkb(false, little, 2, 0)} {
		if err := s.add([]int32{0, int32(len(b))}, b); err != nil {
			t.Fatal(err)
		}
		s.count(1, false)
	}
	first := s.endGroup()
	s.count(0, true)
	none := s.endGroup()
	b := wkb(false, little, 1002, 2, 0., 9., 7., 1., 1., 8.)
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

func TestNoShapes(t *testing.T) {
	deep := point(1, 2)
	for range mostNested {
		deep = wkb(false, little, 7, 1, deep)
	}
	for name, b := range map[string][]byte{
		"nothing":                     {},
		"another byte order":          wkb(false, byte(2), 1, 1., 2.),
		"kind 0":                      wkb(false, little, 0, 1., 2.),
		"a curve":                     wkb(false, little, 8, 0),
		"text":                        []byte("POINT (1 2)"),
		"many points":                 wkb(false, little, 2, -1, 1., 2.),
		"one point more":              wkb(false, little, 2, 2, 1., 2.),
		"many rings":                  wkb(false, little, 3, 1<<30),
		"many parts":                  wkb(false, little, 7, -1, point(1, 2)),
		"a line among points":         wkb(false, little, 4, 1, wkb(false, little, 2, 0)),
		"points among polygons":       wkb(false, little, 6, 1, wkb(false, little, 4, 0)),
		"holes without a ring":        wkb(false, little, 3, 2, 0, 1, 1., 2.),
		"a ring that begins nowhere":  wkb(false, little, 3, 1, 2, nan, 1., 2., 3.),
		"deep":                        deep,
		"a spatial reference too few": wkb(false, little, 1<<29|1),
	} {
		if s, err := readShape(b); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func FuzzShape(f *testing.F) {
	f.Add(point(1, 2))
	f.Add(wkb(true, great, 7, 2, wkb(true, great, 3002, 1, 1., 2., 3., 4.), wkb(true, great, 3, 1, 2, 0., 0., 4., 3.)))
	f.Add(wkb(false, little, 6, 1, wkb(false, little, 3, 2, 1, 1., 1., 0)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := readShape(b)
		if err != nil {
			return
		}
		if s.code < 1 || s.code > 7 || s.empty == s.box.some {
			t.Errorf("%+v", s)
		}
		if more, err := readShape(append(slices.Clone(b), 0)); err != nil || more.code != s.code || more.empty != s.empty {
			t.Errorf("with a byte behind it: %+v, %v", more, err)
		}
	})
}
