package orc

import (
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/wkb"
)

// shapeStats is about geometry, as Java has it: the box that holds all points, and which kinds of geometries there are.
// Of geographies Java says nothing, as points on a sphere have no such box.
//
// Where there is no box Java writes the part all the same, empty, and then orc-core 2.3.1 fails to print it. It is left
// out here.
type shapeStats struct {
	levels[shapeFacts, *shapeFacts]
}

type shapeFacts struct{ wkb.Facts }

func (f *shapeFacts) reset() { *f = shapeFacts{} }

func (f *shapeFacts) merge(o *shapeFacts) { f.Merge(&o.Facts) }

func (f *shapeFacts) tell(s *orcwire.ColumnStats) {
	if !f.Some || f.X.None() || f.Y.None() {
		return
	}
	s.Geo = &orcwire.GeoStats{
		Box:   &orcwire.BoundingBox{XMin: f.X.Least, XMax: f.X.Great, YMin: f.Y.Least, YMax: f.Y.Great},
		Types: f.Kinds.List(),
	}
	if !f.Z.None() {
		s.Geo.Box.ZMin, s.Geo.Box.ZMax = new(f.Z.Least), new(f.Z.Great)
	}
	if !f.M.None() {
		s.Geo.Box.MMin, s.Geo.Box.MMax = new(f.M.Least), new(f.M.Great)
	}
}

// add adds geometries to the open row group: offsets[i] to offsets[i+1] of data is one.
func (s *shapeStats) add(offsets []int32, data []byte) error {
	for i := range len(offsets) - 1 {
		g, err := wkb.Read(data[offsets[i]:offsets[i+1]])
		if err != nil {
			return err
		}
		s.group.facts.Add(&g)
	}
	return nil
}
