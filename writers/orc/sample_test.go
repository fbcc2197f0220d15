//go:build !interop

package orc_test

import "github.com/arrowio/arrowio/internal/race"

// sampled divides the work of tests that try many cases: plain runs try one case in so many. With the tag interop they try all.
const sampled = 4 * race.Fewer
