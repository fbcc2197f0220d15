//go:build !man

package main

import "github.com/spf13/cobra"

// manual is nil: only builds with the tag man write manual pages.
var manual func(*app) *cobra.Command
