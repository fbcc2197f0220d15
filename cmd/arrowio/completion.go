package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// chooser is a value of a flag that is one of a few words.
type chooser interface{ choices() []string }

// completeChoices makes cobra complete the values of all flags that are one of a few words. It is called only when a shell asks,
// since cobra keeps what is registered, and so the whole command, as long as the process runs.
func completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if c, ok := f.Value.(chooser); ok && len(c.choices()) > 0 {
			// It fails only for a flag that does not exist, or that was registered before.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(c.choices(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, sub := range cmd.Commands() {
		completeChoices(sub)
	}
}

// completeDirs is of arguments that are directories.
func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
