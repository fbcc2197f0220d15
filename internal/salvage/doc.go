// Package salvage shows what is intact of a damaged file, and reports the rest. A format finds the damage; this package leaves out
// the rows, or shows the columns as null, in the same way and with the same report for every format.
package salvage
