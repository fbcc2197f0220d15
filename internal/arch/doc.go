// Package arch holds the module to its own architecture. It has no code, only a test:
//
//   - who may import whom (rules_test.go has the table), and which packages may know Arrow or do I/O
//   - which packages may start goroutines or recover from panics, and why (goroutines_test.go)
//   - every package has a doc.go with a package comment
//   - the top level holds what it is meant to hold
//   - no file is longer than 800 lines, no init functions, no skipped tests
//   - every test that a chapter "Conformance" of docs/formats names exists
//   - docs/api.txt lists what public packages export
//
// A new package that no row of the table covers fails until it has one.
package arch
