package decode

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// GeoStats are the statistics of a column chunk of geometries or geographies.
type GeoStats struct {
	Box   [8]float64 // least and greatest x, y, z and m
	Has   [4]bool    // the axes that Box tells of
	Types []int32    // codes of well-known binary, as 1 = point, 1001 = point with z
}

// geo reads geospatial statistics. What drafts of the format may have had in their place is passed over.
func (t *thrift) geo(f field, c *Chunk) {
	if f.typ != typeStruct {
		t.skip(f)
		return
	}
	if !t.charge(int64(unsafe.Sizeof(GeoStats{}))) {
		return
	}
	c.Geo = &GeoStats{}
	for f := t.open(f); t.next(&f); {
		switch {
		case f.id == 1 && f.typ == typeStruct:
			c.Geo.box(t, f)
		case f.id == 2:
			const bytes = 4
			n := t.list(f, typeI32, bytes)
			c.Geo.Types = make([]int32, 0, n)
			for ; n > 0 && t.err == nil; n-- {
				v := t.zigzag()
				c.Geo.Types = append(c.Geo.Types, int32(max(math.MinInt32, min(v, math.MaxInt32))))
			}
		default:
			t.skip(f)
		}
	}
}

func (s *GeoStats) box(t *thrift, in field) {
	var has [len(s.Box)]bool
	for f := t.open(in); t.next(&f); {
		if f.id < 1 || f.id > int64(len(s.Box)) || f.typ != typeDouble {
			t.skip(f)
			continue
		}
		at := t.pos
		if t.skip(f); t.err == nil {
			s.Box[f.id-1], has[f.id-1] = math.Float64frombits(binary.LittleEndian.Uint64(t.b[at:])), true
		}
	}
	for axis := range s.Has {
		s.Has[axis] = has[2*axis] && has[2*axis+1]
	}
}
