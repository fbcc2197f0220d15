package wkb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// binaryOf builds well-known binary: words are 32 bits each, floats 64, bytes themselves.
func binaryOf(big bool, parts ...any) (b []byte) {
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
func point(x, y float64) []byte { return binaryOf(false, little, 1, x, y) }

// text is what statistics say.
func text(f *Facts) string {
	if !f.Some || f.X.None() || f.Y.None() {
		return ""
	}
	s := fmt.Sprint(f.X.Least, " ", f.X.Great, " ", f.Y.Least, " ", f.Y.Great)
	if !f.Z.None() {
		s += fmt.Sprint(", z ", f.Z.Least, " ", f.Z.Great)
	}
	if !f.M.None() {
		s += fmt.Sprint(", m ", f.M.Least, " ", f.M.Great)
	}
	return s + ", types " + strings.Trim(fmt.Sprint(f.Kinds.List()), "[]")
}

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
		{"big-endian", binaryOf(true, great, 1, 1., 2.), "1 1 2 2, types 1"},
		{"with z", binaryOf(false, little, 1001, 1., 2., 3.), "1 1 2 2, z 3 3, types 1001"},
		{"with m", binaryOf(false, little, 2001, 1., 2., 3.), "1 1 2 2, m 3 3, types 2001"},
		{"with both", binaryOf(false, little, 3001, 1., 2., 3., 4.), "1 1 2 2, z 3 3, m 4 4, types 3001"},
		{"with the flags of PostGIS", binaryOf(false, little, 1<<31|1, 1., 2., 3.), "1 1 2 2, z 3 3, types 1001"},
		{"with all flags of PostGIS", binaryOf(true, great, 7<<29|1, 4326, 1., 2., 3., 4.), "1 1 2 2, z 3 3, m 4 4, types 3001"},
		{"with z that is none", binaryOf(false, little, 1001, 1., 2., nan), "1 1 2 2, types 1"},
		{"an empty point", point(nan, nan), ""},
		{"half a point", point(1, nan), ""},
		{"followed by something", append(point(1, 2), "abc"...), "1 1 2 2, types 1"},
		{"line", binaryOf(false, little, 2, 3, 1., 2., -3., 9., 2., 5.), "-3 2 2 9, types 2"},
		{"an empty line", binaryOf(false, little, 2, 0), ""},
		{"a line of one point", binaryOf(false, little, 2, 1, 1., 2.), "1 1 2 2, types 2"},
		{"line with z in part", binaryOf(false, little, 1002, 2, 1., 2., nan, 3., 4., 5.), "1 3 2 4, z 5 5, types 2"},
		{"a line from nowhere", binaryOf(false, little, 2, 2, nan, 2., 3., 4.), ""},
		{"a line to nowhere", binaryOf(false, little, 2, 2, 1., 2., nan, 4.), "1 1 2 4, types 2"},
		{"endless", binaryOf(false, little, 2, 2, 1., 2., inf, 4.), "1 +Inf 2 4, types 2"},
		{"endless on both sides", binaryOf(false, little, 2, 2, -inf, 2., inf, 4.), ""},
		{"polygon", binaryOf(false, append([]any{little, 3, 1}, square...)...), "0 4 0 4, types 3"},
		{"polygon without rings", binaryOf(false, little, 3, 0), ""},
		{"polygon with a hole, which may be anywhere", binaryOf(false, append(append([]any{little, 3, 2}, square...), 4, 9., 9., 8., 8., 7., 9., 9., 9.)...), "0 4 0 4, types 3"},
		{"polygon with a hole, whose z counts", binaryOf(false, little, 1003, 2, 4, 0., 0., 1., 4., 0., 1., 4., 4., 1., 0., 0., 1., 4, 1., 1., 7., 2., 1., 7., 2., 2., 7., 1., 1., 7.), "0 4 0 4, z 1 7, types 1003"},
		{"ring that is not closed", binaryOf(false, little, 3, 1, 2, 0., 0., 4., 3.), "0 4 0 3, types 3"},
		{"points", binaryOf(false, little, 4, 3, point(1, 2), point(nan, nan), point(-1, 5)), "-1 1 2 5, types 4"},
		{"lines", binaryOf(false, little, 5, 2, binaryOf(false, little, 2, 2, 1., 2., 3., 4.), binaryOf(true, great, 2, 2, 0., 9., 3., 4.)), "0 3 2 9, types 5"},
		{"polygons", binaryOf(false, little, 6, 1, binaryOf(false, append([]any{little, 3, 1}, square...)...)), "0 4 0 4, types 6"},
		{"collection", binaryOf(false, little, 7, 2, point(1, 2), binaryOf(false, little, 7, 1, binaryOf(false, little, 2, 2, 7., 8., 9., 6.))), "1 9 2 8, types 7"},
		{"an empty collection", binaryOf(false, little, 7, 0), ""},
		{"a collection of empty ones", binaryOf(false, little, 7, 2, point(nan, nan), binaryOf(false, little, 2, 0)), ""},
		{"a collection whose first point has z", binaryOf(false, little, 7, 2, binaryOf(false, little, 1001, 1., 2., 3.), point(4, 5)), "1 4 2 5, z 3 3, types 1007"},
		{"the byte order of the geometry before", binaryOf(true, great, 4, 2, byte(9), 1, 1., 2., byte(9), 1, 3., 4.), "1 3 2 4, types 4"},
		{"a kind beyond the standard's dimensions", binaryOf(false, little, 4001, 1., 2.), "1 1 2 2, types 1"},
	} {
		whole, err := Read(c.b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var facts Facts
		if facts.Add(&whole); text(&facts) != c.want {
			t.Errorf("%s: %s, want %s", c.name, text(&facts), c.want)
		}
		// Cut anywhere it is an error, or still there.
		for n := range c.b {
			if cut, err := Read(c.b[:n]); err == nil && !strings.HasPrefix(c.name, "followed") || err == nil && cut != whole {
				t.Errorf("%s: the first %d of %d bytes are a geometry", c.name, n, len(c.b))
			}
		}
	}
}

func TestNoShapes(t *testing.T) {
	deep := point(1, 2)
	for range mostNested {
		deep = binaryOf(false, little, 7, 1, deep)
	}
	for name, b := range map[string][]byte{
		"nothing":                     {},
		"another byte order":          binaryOf(false, byte(2), 1, 1., 2.),
		"kind 0":                      binaryOf(false, little, 0, 1., 2.),
		"a curve":                     binaryOf(false, little, 8, 0),
		"text":                        []byte("POINT (1 2)"),
		"many points":                 binaryOf(false, little, 2, -1, 1., 2.),
		"one point more":              binaryOf(false, little, 2, 2, 1., 2.),
		"many rings":                  binaryOf(false, little, 3, 1<<30),
		"many parts":                  binaryOf(false, little, 7, -1, point(1, 2)),
		"a line among points":         binaryOf(false, little, 4, 1, binaryOf(false, little, 2, 0)),
		"points among polygons":       binaryOf(false, little, 6, 1, binaryOf(false, little, 4, 0)),
		"holes without a ring":        binaryOf(false, little, 3, 2, 0, 1, 1., 2.),
		"a ring that begins nowhere":  binaryOf(false, little, 3, 1, 2, nan, 1., 2., 3.),
		"deep":                        deep,
		"a spatial reference too few": binaryOf(false, little, 1<<29|1),
	} {
		if s, err := Read(b); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func FuzzShape(f *testing.F) {
	f.Add(point(1, 2))
	f.Add(binaryOf(true, great, 7, 2, binaryOf(true, great, 3002, 1, 1., 2., 3., 4.), binaryOf(true, great, 3, 1, 2, 0., 0., 4., 3.)))
	f.Add(binaryOf(false, little, 6, 1, binaryOf(false, little, 3, 2, 1, 1., 1., 0)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Read(b)
		if err != nil {
			return
		}
		if s.code < 1 || s.code > 7 || s.Empty == s.box.some {
			t.Errorf("%+v", s)
		}
		if more, err := Read(append(slices.Clone(b), 0)); err != nil || more.code != s.code || more.Empty != s.Empty {
			t.Errorf("with a byte behind it: %+v, %v", more, err)
		}
	})
}
