//go:build !interop

package kudu

import "github.com/arrowio/arrowio/internal/race"

// sampled divides the work of tests that try every case: plain runs try one case in so many. With the tag interop they try all.
const sampled = 8 * race.Fewer
