// Package halffloat converts half floats (binary16 of IEEE 754) to wider floats. Arrow's own conversion is wrong for values below 2⁻¹⁴.
package halffloat
