//go:build interop

package writers_test

// lossSchemas is how many random schemas each format gets.
const lossSchemas = 2000
