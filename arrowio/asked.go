package arrowio

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Microseconds returns the paths of the timestamps that o.Schema has in microseconds, unless values are converted after they were read.
// A format that can read times either in microseconds or in nanoseconds reads these in microseconds.
func (o OpenOptions) Microseconds() (paths []string) {
	if o.Schema == nil || o.Converted {
		return nil
	}
	return micros(nil, nil, o.Schema.Fields())
}

func micros(paths, above []string, fields []arrow.Field) []string {
	for _, f := range fields {
		at := append(above[:len(above):len(above)], f.Name)
		switch t := f.Type.(type) {
		case *arrow.TimestampType:
			if t.Unit == arrow.Microsecond {
				paths = append(paths, schemadiff.Path(at...))
			}
		case *arrow.StructType:
			paths = micros(paths, at, t.Fields())
		case *arrow.MapType:
			paths = micros(paths, at, []arrow.Field{{Name: "key", Type: t.KeyType()}, {Name: "value", Type: t.ItemType()}})
		case arrow.ListLikeType:
			paths = micros(paths, at, []arrow.Field{{Name: "item", Type: t.Elem()}})
		}
	}
	return paths
}
