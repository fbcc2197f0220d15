// Package budget bounds what a batch may take while it is being built, so that a small file cannot ask for much memory.
package budget
