// Package inferred is about types that a reader finds by looking at values, because its format stores none: CSV, JSON lines.
//
// Such a type says only what the first rows of one file look like. Another file of the same table may have fractions, or
// values where this one has none. So fields are marked with all types that hold the values seen:
//
//	a.csv   1, 2        int64, float64     int64
//	b.csv   1.5         float64            float64     both: float64
//	c.csv               (every type)       utf8        all:  float64
//
// Files that are read together have the narrowest type that is among those of every file, and each is then read again
// as that type.
package inferred
