package arrowipc

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// NarrowDecimal is a field of decimals of 32 or 64 bits, whose Type is one of 128 bits.
type NarrowDecimal struct {
	Path         []string
	Stored, Read string // types
}

// NarrowDecimals returns the fields of decimals of 32 and 64 bits, at any depth.
func (s *Schema) NarrowDecimals() (out []NarrowDecimal) {
	for i, n := range s.Columns {
		out = n.narrowDecimals(out, []string{s.Arrow.Field(i).Name})
	}
	return out
}

func (n *Node) narrowDecimals(to []NarrowDecimal, path []string) []NarrowDecimal {
	if n.Dict != nil {
		return n.Dict.narrowDecimals(to, path)
	}
	switch t := arrowtype.Storage(n.Type).(type) {
	case arrow.DecimalType:
		if n.Stored > 0 {
			digits := fmt.Sprintf("(%d, %d)", t.GetPrecision(), t.GetScale())
			to = append(to, NarrowDecimal{Path: path, Stored: fmt.Sprintf("decimal%d%s", 8*n.Stored, digits), Read: "decimal128" + digits})
		}
	case arrow.NestedType:
		for i, f := range t.Fields() {
			if i < len(n.Children) {
				to = n.Children[i].narrowDecimals(to, append(path[:len(path):len(path)], f.Name))
			}
		}
	}
	return to
}
