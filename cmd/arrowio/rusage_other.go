//go:build !unix

package main

// processUsage is not known here.
func processUsage() usage { return usage{} }
