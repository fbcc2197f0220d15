//go:build man

package main

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manual makes the command that writes the manual pages of all others. It is for packaging: no released program has it.
var manual = (*app).manCommand

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var date *time.Time
			if s := os.Getenv("SOURCE_DATE_EPOCH"); s != "" {
				n, err := strconv.ParseInt(s, 10, 64)
				if err != nil {
					return usagef("SOURCE_DATE_EPOCH: %w", err)
				}
				at := time.Unix(n, 0).UTC()
				date = &at
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{
				Section: "1", Source: "arrowio " + buildVersion().Version, Manual: "arrowio", Date: date,
			}, args[0])
		},
	}
}
