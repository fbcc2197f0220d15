package wkb

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Shape is what statistics tell of one geometry. What orc-core makes of well-known binary is what JTS does, whose reader
// takes more than the standard has: the flags of PostGIS and spatial references, rings that are not closed, bytes behind
// the geometry. What JTS refuses is refused here, as Java's writer does. One thing is not as JTS has it: it mistakes m for
// z, or loses it, in lines of one point and rings that are not closed, which it repairs.
type Shape struct {
	box      envelope
	all      [2]Axis // x and y of every point, each apart from the other
	code     int     // 1 point, 2 line, 3 polygon, 4 to 6 several of them, 7 collection
	stated   int     // 1001 a point with z, and so on, as the first bytes say
	Empty    bool    // it has no points
	repaired bool    // JTS adds points to it
	hasZ     bool    // of the first point
	hasM     bool
	z, m     Axis // of all points
}

// Axis is the range of one coordinate. Not a number is in none.
type Axis struct{ Least, Great float64 }

var noAxis = Axis{math.Inf(1), math.Inf(-1)}

func (e *Axis) add(v float64) {
	if v == v {
		e.Least, e.Great = math.Min(e.Least, v), math.Max(e.Great, v)
	}
}

func (e *Axis) merge(o Axis) {
	e.Least, e.Great = math.Min(e.Least, o.Least), math.Max(e.Great, o.Great)
}

// None reports whether Java takes it for empty.
func (e *Axis) None() bool { return math.IsInf(e.Least, 0) && math.IsInf(e.Great, 0) }

// known returns an axis that is not a number as an empty one.
func (e Axis) known() Axis {
	if math.IsNaN(e.Least) || math.IsNaN(e.Great) {
		return noAxis
	}
	return e
}

// envelope is a box that grows point by point as JTS's does: not a number stays if it is first, and changes nothing later.
type envelope struct {
	some bool
	x, y Axis
}

func (e *envelope) grow(o *envelope) {
	if !o.some {
		return
	}
	if !e.some {
		*e = *o
		return
	}
	e.x.widen(&o.x)
	e.y.widen(&o.y)
}

func (e *Axis) widen(o *Axis) {
	if o.Least < e.Least {
		e.Least = o.Least
	}
	if o.Great > e.Great {
		e.Great = o.Great
	}
}

// reader reads one geometry.
type reader struct {
	Shape
	b     []byte
	big   bool // the byte order
	z, m  bool // points have these coordinates
	depth int
}

// mostNested is how deep collections may lie in each other.
const mostNested = 64

// Kinds of geometries.
const (
	kindPoint = 1 + iota
	kindLine
	kindPolygon
	kindPoints
	kindLines
	kindPolygons
	kindCollection
)

// Read reads a geometry. Bytes that follow it do not matter.
func Read(b []byte) (Shape, error) {
	r := reader{b: b, Shape: Shape{Empty: true, z: noAxis, m: noAxis, all: [2]Axis{noAxis, noAxis}}}
	if len(b) > 0 && b[0] > 1 {
		return r.Shape, notWKB("byte order %d", b[0])
	}
	var err error
	r.code, r.box, err = r.geometry()
	return r.Shape, err
}

func notWKB(format string, args ...any) error {
	return errs.Errorf(errs.ErrSchema, "a geometry is not well-known binary: "+format, args...)
}

var errCutWKB = notWKB("it ends too early")

// geometry reads a geometry, and returns its kind and its envelope.
func (r *reader) geometry() (code int, box envelope, err error) {
	if r.depth++; r.depth > mostNested {
		return 0, box, notWKB("more than %d collections in each other", mostNested)
	}
	defer func() { r.depth-- }()
	if len(r.b) < 5 {
		return 0, box, errCutWKB
	}
	if order := r.b[0]; order <= 1 { // else it is that of the geometry before
		r.big = order == 0
	}
	r.b = r.b[1:]
	word, _ := r.number()
	low := int(word & 0xffff)
	code = low % 1000
	r.z = word>>31&1 == 1 || low/1000 == 1 || low/1000 == 3
	r.m = word>>30&1 == 1 || low/1000 == 2 || low/1000 == 3
	if r.depth == 1 {
		r.stated = kindOf(code, r.z, r.m)
	}
	if word>>29&1 == 1 { // a spatial reference
		if _, err := r.number(); err != nil {
			return 0, box, err
		}
	}
	switch code {
	case kindPoint:
		box, err = r.points(1, kindPoint)
	case kindLine:
		n := 0
		if n, err = r.count(1); err == nil {
			box, err = r.points(n, kindLine)
		}
	case kindPolygon:
		box, err = r.polygon()
	case kindPoints, kindLines, kindPolygons, kindCollection:
		box, err = r.collection(code)
	default:
		err = notWKB("kind %d", code)
	}
	return code, box, err
}

// number reads four bytes.
func (r *reader) number() (v uint32, err error) {
	if len(r.b) < 4 {
		return 0, errCutWKB
	}
	v = binary.LittleEndian.Uint32(r.b)
	if r.big {
		v = binary.BigEndian.Uint32(r.b)
	}
	r.b = r.b[4:]
	return v, nil
}

// count reads how many things of at least size bytes follow.
func (r *reader) count(size int) (int, error) {
	n, err := r.number()
	if err == nil && uint64(n)*uint64(size) > uint64(len(r.b)) {
		return 0, errCutWKB
	}
	return int(n), err
}

// collection reads geometries, which are of one kind in all but kindCollection.
func (r *reader) collection(code int) (box envelope, err error) {
	n, err := r.count(5)
	for range n {
		inner, of, err := r.geometry()
		if err != nil {
			return box, err
		}
		if code != kindCollection && inner != code-kindPoints+kindPoint {
			return box, notWKB("kind %d in one of kind %d", inner, code)
		}
		box.grow(&of)
	}
	return box, err
}

// polygon reads rings. The envelope is that of the first, which has the others in it.
func (r *reader) polygon() (box envelope, err error) {
	rings, err := r.count(4)
	shell := 0
	for i := range rings {
		n, err := r.count(1)
		if err != nil {
			return box, err
		}
		if i == 0 {
			shell = n
		} else if shell == 0 && n > 0 {
			return box, notWKB("a polygon has holes without a ring around them")
		}
		of, err := r.points(n, kindPolygon)
		if err != nil {
			return box, err
		}
		if i == 0 {
			box = of
		}
	}
	return box, err
}

// points reads n points of a point, a line or a ring, and returns their envelope.
func (r *reader) points(n, code int) (box envelope, err error) {
	size := 16
	if r.z {
		size += 8
	}
	if r.m {
		size += 8
	}
	if uint64(n)*uint64(size) > uint64(len(r.b)) {
		return box, errCutWKB
	}
	var first [2]float64
	for i := range n {
		x, y, z, m := r.float(0), r.float(8), math.NaN(), math.NaN()
		if r.z {
			z = r.float(16)
		}
		if r.m {
			m = r.float(size - 8)
		}
		if r.b = r.b[size:]; i == 0 {
			first = [2]float64{x, y}
		}
		if i == n-1 && (code == kindLine && n == 1 || code == kindPolygon && first != [2]float64{x, y}) {
			r.repaired = true
		}
		r.all[0].add(x)
		r.all[1].add(y)
		if x != x || y != y {
			if code == kindPoint {
				break // an empty point
			}
			if code == kindPolygon && i == 0 {
				return box, notWKB("a ring begins nowhere, and so cannot end there")
			}
		}
		if r.Empty {
			r.Empty, r.hasZ, r.hasM = false, z == z, m == m
		}
		r.Shape.z.add(z)
		r.Shape.m.add(m)
		box.grow(&envelope{true, Axis{x, x}, Axis{y, y}})
	}
	return box, nil
}

// float returns the coordinate that is at bytes into what is left.
func (r *reader) float(at int) float64 {
	bits := binary.LittleEndian.Uint64(r.b[at:])
	if r.big {
		bits = binary.BigEndian.Uint64(r.b[at:])
	}
	return math.Float64frombits(bits)
}
