// Package golden compares text that a test made with a file beside the test, and rewrites the file when the test runs
// with -rewrite:
//
//	go test ./internal/trevniwire -run Golden -rewrite
//
// A rewritten file is a proposal: it says what the code does, and whoever commits it has read it.
package golden
