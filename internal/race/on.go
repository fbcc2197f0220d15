//go:build race

package race

// Enabled says that this program was built with the race detector.
const Enabled = true

// Fewer is how many times fewer cases tests try under the race detector.
const Fewer = 4
