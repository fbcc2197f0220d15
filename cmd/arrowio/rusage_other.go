//go:build !unix

package main

// processUsage returns zeros: this system does not report usage.
func processUsage() usage { return usage{} }
