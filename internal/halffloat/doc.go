// Package halffloat converts half floats (binary16 of IEEE 754) to wider floats, and back. Arrow's own conversions are wrong: of values below 2⁻¹⁴,
// and of those between two half floats, which it does not round.
package halffloat
