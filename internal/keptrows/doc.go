// Package keptrows divides the runs of rows that a filter keeps into windows, each of which a reader decodes at once: whole, if the runs and the
// gaps between them are short, and then what is not wanted is left out.
package keptrows
