// Package wkb reads well-known binary as far as statistics tell of geometries: the box around their points and their kinds. It makes such
// statistics, and compares those that a file has with its values.
package wkb
