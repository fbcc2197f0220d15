package expr_test

import (
	"math/big"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
)

// comparable reports whether columns of two kinds are compared with each other.
func comparable(a, b kind) bool {
	x, y := a.typ.ID(), b.typ.ID()
	switch {
	case a.like || b.like:
		return a.like && b.like
	case x == arrow.BOOL || y == arrow.BOOL || x == arrow.TIMESTAMP || y == arrow.TIMESTAMP:
		return x == y
	case x == arrow.FLOAT16 && arrow.IsDecimal(y) || y == arrow.FLOAT16 && arrow.IsDecimal(x):
		return false
	}
	return true
}

// columnsLeaf compares columns i and j.
func columnsLeaf(r *rand.Rand, names []string, kinds []kind, i, j int) predicate {
	op := pick(r, "=", "!=", "<", "<=", ">", ">=")
	return predicate{names[i] + " " + op + " " + names[j], func(row []cell) byte {
		a, b := row[i], row[j]
		if a.null || b.null {
			return '-'
		}
		d := compare(asFloat(a, kinds[i], kinds[j]), asFloat(b, kinds[j], kinds[i]))
		switch op {
		case "=":
			return letter(d == 0)
		case "!=":
			return letter(d != 0)
		case "<":
			return letter(d == -1)
		case "<=":
			return letter(d == -1 || d == 0)
		case ">":
			return letter(d == 1)
		}
		return letter(d == 1 || d == 0)
	}}
}

// asFloat rounds a decimal that is compared with a float to that float's width.
func asFloat(c cell, k, other kind) cell {
	if !arrow.IsDecimal(k.typ.ID()) {
		return c
	}
	switch other.typ.ID() {
	case arrow.FLOAT32:
		f, _ := c.num.Float32()
		return floatCell(float64(f))
	case arrow.FLOAT64:
		f, _ := c.num.Float64()
		return floatCell(f)
	}
	return cell{num: new(big.Rat).Set(c.num)}
}
