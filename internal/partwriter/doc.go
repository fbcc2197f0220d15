// Package partwriter splits the batches of a writer over the objects of an output: one, or, where the size of a file is
// limited, as many as it takes, each begun between two batches.
package partwriter
