package cfile

import (
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// CellText renders a cell for people: little-endian at its type's width, or bytes. scale is that of decimals.
func CellText(t cfilewire.DataType, scale int32, cell []byte) string { return cellText(t, scale, cell) }

// Left returns how many of the index's blocks may have keys that satisfy pred, and how many there are.
func (k *KeyPruner) Left(pred *expr.Bound) (left, of int) {
	of = len(k.entries)
	if !k.May(pred) {
		return 0, of
	}
	for i := range k.entries {
		if !k.test(pred, k.lower(i), k.upper(i)).Skip() {
			left++
		}
	}
	return left, of
}
