package plans

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// AddNames says of the fields of a schema, at any depth, which have the name of another in the same place: none of them can be chosen by
// that name. The columns are those of the fields, with or without entries for what is in them; what has none gets one.
func AddNames(columns []arrowio.PlannedColumn, fields []arrow.Field) []arrowio.PlannedColumn {
	count := map[string]int{}
	for _, c := range columns {
		count[c.Path]++
	}
	for i := range columns {
		if n := count[columns[i].Path]; n > 1 {
			columns[i].Loss = Join(columns[i].Loss, equalNames(n))
		}
	}
	for _, f := range fields {
		top := schemadiff.Path(f.Name)
		for _, e := range EqualNames(f) {
			if count[e.Path] > 0 {
				continue
			}
			count[e.Path] = e.Fields
			below := func(c arrowio.PlannedColumn) bool { return c.Path == top || strings.HasPrefix(c.Path, top+".") }
			at := slices.IndexFunc(columns, below) + 1 // behind all of the column
			for at < len(columns) && below(columns[at]) {
				at++
			}
			columns = slices.Insert(columns, at, arrowio.PlannedColumn{Path: e.Path, Type: e.Type.String(), Loss: equalNames(e.Fields)})
		}
	}
	return columns
}

func equalNames(n int) string {
	return fmt.Sprintf("%d columns have this name: it cannot be chosen by name", n)
}

// EqualName is a name that several fields of one struct or union have.
type EqualName struct {
	Path   string
	Type   arrow.DataType // of the first
	Fields int
}

// EqualNames returns the names that several fields of a struct or union within f have.
func EqualNames(f arrow.Field) []EqualName {
	return appendEqualNames(nil, schemadiff.Path(f.Name), f.Type)
}

func appendEqualNames(to []EqualName, path string, t arrow.DataType) []EqualName {
	switch x := arrowtype.Value(t).(type) {
	case *arrow.MapType:
		return appendEqualNames(appendEqualNames(to, schemadiff.Below(path, "key"), x.KeyType()), schemadiff.Below(path, "value"), x.ItemType())
	case arrow.ListLikeType:
		return appendEqualNames(to, schemadiff.Below(path, "item"), x.Elem())
	case arrow.NestedType:
		count := map[string]int{}
		for _, f := range x.Fields() {
			count[f.Name]++
		}
		for _, f := range x.Fields() {
			if n := count[f.Name]; n > 1 {
				to = append(to, EqualName{schemadiff.Below(path, f.Name), f.Type, n})
				count[f.Name] = 0 // it is told
			}
			to = appendEqualNames(to, schemadiff.Below(path, f.Name), f.Type)
		}
	}
	return to
}
