//go:build !interop

package main

import "github.com/arrowio/arrowio/internal/race"

// sampled divides the work of tests that try many cases: plain runs try one case in so many. With the tag interop they try all.
const sampled = 3 * race.Fewer
