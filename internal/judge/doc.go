// Package judge starts the programs in Java that tests compare with: see testdata/interop. It stands on nothing.
package judge
