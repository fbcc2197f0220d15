// Package orccast makes values of one ORC type into another as orc-core, the Java reader, does when a file is read under a
// schema of other types: what does not fit is null, and texts are those of Java. Widening that loses nothing is not here:
// arrowio does that for every format.
//
// The reader's time zone is UTC, and days are counted in the proleptic Gregorian calendar: see JavaOf for numbers that a
// file counts in another.
package orccast
