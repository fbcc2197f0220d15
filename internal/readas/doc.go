// Package readas reads the schemas that files are to be shown under: as JSON, or in ORC's own notation.
package readas
