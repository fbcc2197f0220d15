package parquet

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/parquetwire/decode"
	"github.com/arrowio/arrowio/internal/wkb"
)

// shape takes geometries in.
func (v *chunkCheck) shape(a arrow.Array) {
	if v.shapes == nil {
		return
	}
	t, ok := textsOf(a)
	if !ok {
		v.shapes = nil
		return
	}
	for i := range t.n {
		if t.has(i) {
			s := t.at(i)
			v.shapes.Add(unsafe.Slice(unsafe.StringData(s), len(s)))
		}
	}
}

// geo compares what the metadata tells of geometries with what they are.
func (v *chunkCheck) geo() {
	if v.shapes == nil {
		return
	}
	s := v.c.Geo
	told, flat := wkb.Told{Types: s.Types}, wkb.Plane
	if v.n.elem.Kind == decode.Geography {
		flat = wkb.Sphere
	}
	axis := func(i int) *wkb.Axis {
		if !s.Has[i] {
			return nil
		}
		return &wkb.Axis{Least: s.Box[2*i], Great: s.Box[2*i+1]}
	}
	if x, y := axis(0), axis(1); x != nil && y != nil {
		told.Box = &wkb.Box{X: *x, Y: *y, Z: axis(2), M: axis(3)}
	}
	if wrong := v.shapes.Compare(&told, flat); wrong != "" {
		v.fault(corrupt("%s", wrong), "geospatial statistics", v.c.Start())
	}
}
