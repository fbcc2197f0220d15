package wkb

import (
	"fmt"
	"math"
)

// Check is what the geometries of a part of a file are like, for statistics to be compared with. Writers do not agree on every geometry:
// Java takes for the box of a polygon that of its outer ring, and for z what the first point has; others take every point, and what
// the first bytes say. Check passes what either has.
type Check struct {
	facts  Facts
	all    [2]Axis // x and y of every point
	some   bool    // all means something
	must   Kinds   // all writers name these
	may    Kinds   // some do
	broken bool    // a value is not well-known binary
	unsure bool    // z and m are not sure: see Shape
}

// Add adds a value.
func (c *Check) Add(b []byte) {
	g, err := Read(b)
	if err != nil {
		c.broken = true
		return
	}
	o := Check{all: g.all, some: true, unsure: g.repaired && (g.z.some() || g.m.some())}
	o.facts.Add(&g)
	o.may.add(g.stated)
	o.may |= o.facts.Kinds
	if o.facts.Kinds == o.may && !o.unsure {
		o.must = o.may
	}
	c.Merge(&o)
}

// Merge adds what others are like.
func (c *Check) Merge(o *Check) {
	c.broken, c.unsure = c.broken || o.broken, c.unsure || o.unsure
	c.facts.Merge(&o.facts)
	c.must, c.may = c.must|o.must, c.may|o.may
	if !o.some {
		return
	}
	if !c.some {
		c.all, c.some = o.all, true
		return
	}
	c.all[0].merge(o.all[0])
	c.all[1].merge(o.all[1])
}

func (e Axis) some() bool { return e.Least <= e.Great }

// Told is what statistics of a file say of geometries.
type Told struct {
	Box   *Box    // nil = nothing
	Types []int32 // none = nothing
}

// Box is a bounding box. Z and M are nil where nothing is told.
type Box struct {
	X, Y Axis
	Z, M *Axis
}

// Flat says what geometries are that statistics are about.
type Flat int8

// What boxes may be.
const (
	Sphere Flat = iota // edges are curves, so that a box may be larger than its points: it is not compared
	Plane              // x may run over the edge of the map: from the minimum up, and up to the maximum
	Exact              // neither
)

// Compare says what is wrong with statistics about the values that were added; "" = nothing.
func (c *Check) Compare(t *Told, flat Flat) string {
	if c.broken || !c.some {
		return ""
	}
	if t.Box != nil && flat != Sphere {
		if wrong := c.compareBox(t.Box, flat); wrong != "" {
			return wrong
		}
	}
	if len(t.Types) == 0 || c.unsure {
		return ""
	}
	told, ok := kindsOf(t.Types)
	if !ok || told&^c.may != 0 || c.must&^told != 0 {
		return fmt.Sprintf("types %d, they are %d", t.Types, c.may.List())
	}
	return ""
}

func (c *Check) compareBox(b *Box, flat Flat) string {
	is := c.facts
	if !is.Some {
		is.X, is.Y, is.Z, is.M = noAxis, noAxis, noAxis, noAxis
	}
	if flat == Exact || b.X.Least <= b.X.Great {
		if wrong := b.X.compare("x", is.X, c.all[0]); wrong != "" {
			return wrong
		}
	}
	if wrong := b.Y.compare("y", is.Y, c.all[1]); wrong != "" || c.unsure {
		return wrong
	}
	if b.Z != nil {
		if wrong := b.Z.compare("z", is.Z, is.Z); wrong != "" {
			return wrong
		}
	}
	if b.M != nil {
		return b.M.compare("m", is.M, is.M)
	}
	return ""
}

// compare says what is wrong with a range of a coordinate that must hold inner and may be as wide as outer. Not a number tells nothing.
func (e Axis) compare(name string, inner, outer Axis) string {
	switch {
	case e.Least > inner.Least || e.Least < outer.Least:
		return fmt.Sprintf("minimum of %s %g, it is %g", name, e.Least, outer.Least)
	case e.Great < inner.Great || e.Great > outer.Great:
		return fmt.Sprintf("maximum of %s %g, it is %g", name, e.Great, outer.Great)
	case math.IsInf(outer.Least, 1) && e.some():
		return fmt.Sprintf("%s from %g to %g, there is none", name, e.Least, e.Great)
	}
	return ""
}
