package main

import (
	"github.com/spf13/cobra"
)

// shortRows is the default number of rows of head, tail and sample.
const shortRows = 10

func (a *app) headCommand() *cobra.Command {
	f := &catFlags{}
	cmd := &cobra.Command{
		Use:   "head [flags] INPUT...",
		Short: "Print the first rows",
		Long: `Head prints the first rows of all INPUTs together, 10 where --limit does not say how many, as arrowio cat prints them. It reads
no further than that.`,
		Example: `  arrowio head events.orc
  arrowio head -n 3 --expanded --where "price > 100" events.orc`,
		Args: inputs,
	}
	f.selectFlags = addSelectFlags(cmd)
	a.addCatFlags(cmd, f)
	addShortLimit(cmd, &f.limit)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.cat(cmd.Context(), f, args)
	}
	return cmd
}

func addShortLimit(cmd *cobra.Command, limit *numberValue) {
	limit.n = shortRows
	cmd.Flags().VarP(limit, "limit", "n", "print `N` rows (default: 10)")
}
