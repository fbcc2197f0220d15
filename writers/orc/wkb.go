package orc

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// shape is what statistics tell of one geometry. What orc-core makes of well-known binary is what JTS does, whose reader
// takes more than the standard has: the flags of PostGIS and spatial references, rings that are not closed, bytes behind
// the geometry. What JTS refuses is refused here, as Java's writer does. One thing is not as JTS has it: it mistakes m for
// z, or loses it, in lines of one point and rings that are not closed, which it repairs.
type shape struct {
	box        envelope
	code       int  // 1 point, 2 line, 3 polygon, 4 to 6 several of them, 7 collection
	empty      bool // it has no points
	hasZ, hasM bool // of the first point
	z, m       axis // of all points
}

// axis is the range of one coordinate. Not a number is in none.
type axis struct{ least, great float64 }

var noAxis = axis{math.Inf(1), math.Inf(-1)}

func (e *axis) add(v float64) {
	if v == v {
		e.least, e.great = math.Min(e.least, v), math.Max(e.great, v)
	}
}

func (e *axis) merge(o axis) {
	e.least, e.great = math.Min(e.least, o.least), math.Max(e.great, o.great)
}

// none reports whether Java takes it for empty.
func (e *axis) none() bool { return math.IsInf(e.least, 0) && math.IsInf(e.great, 0) }

// envelope is a box that grows point by point as JTS's does: not a number stays if it is first, and changes nothing later.
type envelope struct {
	some bool
	x, y axis
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

func (e *axis) widen(o *axis) {
	if o.least < e.least {
		e.least = o.least
	}
	if o.great > e.great {
		e.great = o.great
	}
}

// wkbReader reads one geometry.
type wkbReader struct {
	shape
	b     []byte
	big   bool // the byte order
	z, m  bool // points have these coordinates
	depth int
}

// mostNested is how deep collections may lie in each other.
const mostNested = 64

// Kinds of geometries.
const (
	wkbPoint = 1 + iota
	wkbLine
	wkbPolygon
	wkbPoints
	wkbLines
	wkbPolygons
	wkbCollection
)

// readShape reads a geometry. Bytes that follow it do not matter.
func readShape(b []byte) (shape, error) {
	r := wkbReader{b: b, shape: shape{empty: true, z: noAxis, m: noAxis}}
	if len(b) > 0 && b[0] > 1 {
		return r.shape, notWKB("byte order %d", b[0])
	}
	var err error
	r.code, r.box, err = r.geometry()
	return r.shape, err
}

func notWKB(format string, args ...any) error {
	return errs.Errorf(errs.ErrSchema, "a geometry is not well-known binary: "+format, args...)
}

var errCutWKB = notWKB("it ends too early")

// geometry reads a geometry, and returns its kind and its envelope.
func (r *wkbReader) geometry() (code int, box envelope, err error) {
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
	if word>>29&1 == 1 { // a spatial reference
		if _, err := r.number(); err != nil {
			return 0, box, err
		}
	}
	switch code {
	case wkbPoint:
		box, err = r.points(1, wkbPoint)
	case wkbLine:
		n := 0
		if n, err = r.count(1); err == nil {
			box, err = r.points(n, wkbLine)
		}
	case wkbPolygon:
		box, err = r.polygon()
	case wkbPoints, wkbLines, wkbPolygons, wkbCollection:
		box, err = r.collection(code)
	default:
		err = notWKB("kind %d", code)
	}
	return code, box, err
}

// number reads four bytes.
func (r *wkbReader) number() (v uint32, err error) {
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
func (r *wkbReader) count(size int) (int, error) {
	n, err := r.number()
	if err == nil && uint64(n)*uint64(size) > uint64(len(r.b)) {
		return 0, errCutWKB
	}
	return int(n), err
}

// collection reads geometries, which are of one kind in all but wkbCollection.
func (r *wkbReader) collection(code int) (box envelope, err error) {
	n, err := r.count(5)
	for range n {
		inner, of, err := r.geometry()
		if err != nil {
			return box, err
		}
		if code != wkbCollection && inner != code-wkbPoints+wkbPoint {
			return box, notWKB("kind %d in one of kind %d", inner, code)
		}
		box.grow(&of)
	}
	return box, err
}

// polygon reads rings. The envelope is that of the first, which has the others in it.
func (r *wkbReader) polygon() (box envelope, err error) {
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
		of, err := r.points(n, wkbPolygon)
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
func (r *wkbReader) points(n, code int) (box envelope, err error) {
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
	for i := range n {
		x, y, z, m := r.float(0), r.float(8), math.NaN(), math.NaN()
		if r.z {
			z = r.float(16)
		}
		if r.m {
			m = r.float(size - 8)
		}
		r.b = r.b[size:]
		if x != x || y != y {
			if code == wkbPoint {
				break // an empty point
			}
			if code == wkbPolygon && i == 0 {
				return box, notWKB("a ring begins nowhere, and so cannot end there")
			}
		}
		if r.empty {
			r.empty, r.hasZ, r.hasM = false, z == z, m == m
		}
		r.shape.z.add(z)
		r.shape.m.add(m)
		box.grow(&envelope{true, axis{x, x}, axis{y, y}})
	}
	return box, nil
}

// float returns the coordinate that is at bytes into what is left.
func (r *wkbReader) float(at int) float64 {
	bits := binary.LittleEndian.Uint64(r.b[at:])
	if r.big {
		bits = binary.BigEndian.Uint64(r.b[at:])
	}
	return math.Float64frombits(bits)
}
