package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// chooser is a value of a flag that is one of a few words.
type chooser interface{ choices() []string }

// completeFlags makes cobra complete the values of all flags that are one of a few words, or columns. It is called only when a shell
// asks, since cobra keeps what is registered, and so the whole command, as long as the process runs.
func (a *app) completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		var complete cobra.CompletionFunc
		switch v := f.Value.(type) {
		case *columnsValue, someColumns:
			if r := a.reads[cmd]; r != nil {
				complete = a.completeColumns(r)
			}
		case chooser:
			if words := v.choices(); len(words) > 0 {
				complete = cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
			}
		}
		if complete != nil {
			// It fails only for a flag that does not exist, or that was registered before.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	for _, sub := range cmd.Commands() {
		a.completeFlags(sub)
	}
}

// completionTime is how long a shell waits for columns: stores may be far, and directories large.
const completionTime = 2 * time.Second

// completeColumns completes the last of the columns that were typed, with those of the inputs that stand before.
func (a *app) completeColumns(r *readFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []cobra.Completion
		for _, f := range a.columnsOf(cmd.Context(), args, r) {
			out = appendColumns(out, f, before, typed)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// appendColumns appends a column whose path, after before, begins as typed does; of one that is typed with the dot of a struct, its children.
func appendColumns(out []cobra.Completion, f arrow.Field, before, typed string) []cobra.Completion {
	path := before + expr.Quote(f.Name)
	if s, ok := f.Type.(*arrow.StructType); ok && strings.HasPrefix(typed, path+".") {
		for _, child := range s.Fields() {
			out = appendColumns(out, child, path+".", typed)
		}
		return out
	}
	if strings.HasPrefix(path, typed) {
		out = append(out, cobra.CompletionWithDesc(path, f.Type.String()))
	}
	return out
}

// columnsOf returns the columns of the inputs that args name; the last one may be an output. Standard input is not read.
func (a *app) columnsOf(ctx context.Context, args []string, r *readFlags) []arrow.Field {
	ctx, stop := context.WithTimeout(ctx, completionTime)
	defer stop()
	for n := len(args); n > 0 && n >= len(args)-1; n-- {
		if slices.Contains(args[:n], "-") {
			continue
		}
		ds, err := a.openDataset(ctx, args[:n], r, nil)
		if err != nil {
			continue
		}
		fields := ds.Schema.Fields()
		_ = ds.close() // it was only looked at
		return fields
	}
	return nil
}

// completeDirs is of arguments that are directories.
func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
