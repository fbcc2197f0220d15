package orc

import (
	"math"
	"math/bits"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// shapeStats is about geometry, as Java has it: the box that holds all points, and which kinds of geometries there are.
// Of geographies Java says nothing, as points on a sphere have no such box.
//
// Where there is no box Java writes the part all the same, empty, and then orc-core 2.3.1 fails to print it. It is left
// out here.
type shapeStats struct {
	levels[shapeFacts, *shapeFacts]
}

type shapeFacts struct {
	x, y, z, m axis
	some       bool   // else the axes mean nothing
	kinds      uint32 // bit 8 d + k: kind k, with z if d is odd, with m if d is 2 or 3
}

func (f *shapeFacts) reset() { *f = shapeFacts{} }

func (f *shapeFacts) merge(o *shapeFacts) {
	if !o.some {
		return
	}
	if !f.some {
		*f = *o
		return
	}
	f.x.merge(o.x)
	f.y.merge(o.y)
	f.z.merge(o.z)
	f.m.merge(o.m)
	f.kinds |= o.kinds
}

func (f *shapeFacts) tell(s *orcwire.ColumnStats) {
	if !f.some || f.x.none() || f.y.none() {
		return
	}
	s.Geo = &orcwire.GeoStats{Box: &orcwire.BoundingBox{XMin: f.x.least, XMax: f.x.great, YMin: f.y.least, YMax: f.y.great}}
	if !f.z.none() {
		s.Geo.Box.ZMin, s.Geo.Box.ZMax = new(f.z.least), new(f.z.great)
	}
	if !f.m.none() {
		s.Geo.Box.MMin, s.Geo.Box.MMax = new(f.m.least), new(f.m.great)
	}
	for kinds := f.kinds; kinds > 0; kinds &= kinds - 1 {
		at := bits.TrailingZeros32(kinds)
		s.Geo.Types = append(s.Geo.Types, int32(at>>3*1000+at&7))
	}
}

// add adds geometries to the open row group: offsets[i] to offsets[i+1] of data is one.
func (s *shapeStats) add(offsets []int32, data []byte) error {
	for i := range len(offsets) - 1 {
		g, err := readShape(data[offsets[i]:offsets[i+1]])
		if err != nil {
			return err
		}
		if g.empty {
			continue
		}
		kind := g.code
		if g.hasZ {
			kind += 8
		}
		if g.hasM {
			kind += 16
		}
		s.group.facts.merge(&shapeFacts{some: true, x: g.box.x.known(), y: g.box.y.known(), z: g.z, m: g.m, kinds: 1 << kind})
	}
	return nil
}

// known returns an axis that is not a number as an empty one.
func (e axis) known() axis {
	if math.IsNaN(e.least) || math.IsNaN(e.great) {
		return noAxis
	}
	return e
}
