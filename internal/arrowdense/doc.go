// Package arrowdense takes the nulls out of Arrow arrays for writers of formats that store values without gaps: what is
// left is one array of values, and which slots they are of. Extension types, run ends and dictionaries are resolved on
// the way.
package arrowdense
