package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
	"github.com/arrowio/arrowio/writers/hivetable"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// app is one run of the program.
type app struct {
	stdin    io.Reader
	stdout   *standardOutput
	stderr   io.Writer
	readers  []arrowio.Format
	writers  []arrowio.OutputFormat
	terminal func(io.Writer) (screen, bool)

	version    bool // is asked for, by the flag
	jsonErrors bool
	completes  bool // a shell asks what could come next
	profiles   profiles

	storeFlags storeFlags
	stores     *stores.Stores // nil before places
	unhook     func() bool

	spelling func(text string) string // of flags in messages; nil = as readers spell them: see kuduSpelling

	failed   error // of the help, which cannot return it; nil = nothing
	warnings warnings
	later    []arrowio.Warning // that are told when nothing is read again: see coarsenAfter
}

// run is the whole program: it parses args, runs the command and returns the exit code. Cancelling ctx stops it; it then leaves
// no partial output.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newApp(ctx, stdin, stdout, stderr).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	// The flag may stand behind the mistake that keeps the flags from being parsed.
	a.jsonErrors = slices.Contains(args, "--json-errors")
	a.completes = len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	root := a.rootCommand()
	if a.completes {
		completeChoices(root)
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.stdout.err // of a help, whose errors are not looked at
	}
	err = errors.Join(err, a.failed, a.leavePlaces(), a.profiles.stop())
	switch {
	case err == nil && tellsLosses(cmd) && a.warnings.lost():
		return exitLost
	case err == nil:
		return exitOK
	}
	f := describe(ctx, err)
	f.Message = a.spelled(f.Message)
	if !f.silent {
		f.print(a.onErrors(), a.jsonErrors)
	}
	return f.code
}

// tellsLosses reports whether losses make the exit code of a command exitLost: where it reads past damage, or chooses among servers. A
// server reports losses in its log.
func tellsLosses(cmd *cobra.Command) bool {
	inputs := cmd.Flags().NArg()
	if cmd.Name() == "convert" {
		inputs-- // the last is OUTPUT
	}
	if from := cmd.Flags().Lookup("from"); cmd.Name() == "export" || from != nil && from.Value.String() == "kudu" && inputs > 1 {
		return true
	}
	named := []string{"salvage", "kudu-salvage", "kudu-rebuild", "rebuild", "kudu-server", "kudu-replica", "kudu-merge"}
	return cmd.Name() != "serve" && slices.ContainsFunc(named, func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed
	})
}

func newApp(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{
		stdin:   &interruptibleReader{ctx: ctx, r: stdin},
		stdout:  &standardOutput{Writer: stdout},
		stderr:  stderr,
		readers: readers.All(),
		writers: append(writers.All(), icebergtable.Format(), hivetable.Format()),

		terminal: terminalSize,
		warnings: warnings{seen: map[[2]string]bool{}},
	}
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "arrowio",
		Short: "Convert, show and check old columnar files",
		Long:  a.rootHelp(),
		Example: `  arrowio convert events.trv events.parquet
  arrowio cat --limit 10 --where "price > 100" events.orc
  arrowio inspect events.orc`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
		Args:              cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.version && len(args) == 0 {
				return a.printVersion()
			}
			return noCommand(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.HasParent() && cmd.Parent().Name() == "kudu" {
				a.spelling = kuduSpelling(cmd)
			}
			return a.profiles.start()
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Flags().BoolVar(&a.version, "version", false, "print the version of this program")
	fs := root.PersistentFlags()
	fs.BoolVar(&a.jsonErrors, "json-errors", a.jsonErrors, "print errors and warnings as JSON objects")
	fs.StringVar(&a.profiles.cpuFile, "cpuprofile", "", "write a CPU profile to `FILE`")
	fs.StringVar(&a.profiles.memFile, "memprofile", "", "write a heap profile to `FILE` at the end")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if names := cmd.Flags().Args(); cmd.HasSubCommands() && len(names) > 0 { // the flag may well be one that the right command has
			return noCommand(cmd, names)
		}
		if m := unknownShorthand.FindStringSubmatch(err.Error()); m != nil && cmd.Flags().Changed("sort") {
			return usagef("%w; columns to sort by are written after a =: --sort=%s", err, m[1])
		}
		if near := nearestFlag(cmd, err); near != "" {
			return usagef("%w; did you mean --%s?", err, near)
		}
		return asUsage(err)
	})
	root.SetUsageFunc(a.usage)
	root.SetHelpFunc(a.help)
	root.AddCommand(
		a.convertCommand(), a.catCommand(), a.headCommand(), a.tailCommand(), a.sampleCommand(), a.countCommand(), a.schemaCommand(), a.inspectCommand(), a.profileCommand(), a.verifyCommand(), a.diffCommand(), a.dumpCommand(), a.repairCommand(), a.mergeCommand(), a.splitCommand(),
		a.browseCommand(),
		a.scanCommand(), a.queryCommand(), a.serveCommand(), a.tokenCommand(), a.kuduCommand(), a.icebergCommand(), a.versionCommand(),
	)
	if manual != nil {
		root.AddCommand(manual(a))
	}
	adoptCompletion(root)
	root.SetHelpCommand(a.helpCommand(root))
	return root
}

// noCommand is the action of a command that has only subcommands: it returns an error that names the unknown one.
func noCommand(cmd *cobra.Command, args []string) error {
	prefix, hint := "", "see "+cmd.CommandPath()+" --help"
	if cmd.HasParent() {
		prefix = cmd.Name() + ": "
	}
	if len(args) == 0 {
		return usagef("%sno command given; %s", prefix, hint)
	}
	if cmd.Name() == "kudu" && slices.ContainsFunc(cmd.Root().Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
		return usagef("%sno command %q; use arrowio %s --from kudu DIR", prefix, args[0], args[0])
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("%sno command %q; %s", prefix, args[0], hint)
}

// helpCommand is the help command of cobra, except that an unknown command is an error.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | where]",
		Short:   "Help about a command, or about filters",
		Example: "  arrowio help convert\n  arrowio help where",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, c := range root.Commands() {
				names = append(names, c.Name())
			}
			names = append(names, "where")
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "where" {
				return a.helpWhere(root.OutOrStdout())
			}
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("no command %q; see arrowio --help", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// adoptCompletion makes errors in the arguments of the completion command usage errors, as in other commands.
func adoptCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Generate the completion script of a shell"
		cmd.Example = `  source <(arrowio completion bash)
  arrowio completion zsh > "${fpath[1]}/_arrowio"`
		cmd.Args = nil
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return usagef("completion: name one shell: bash, zsh, fish or powershell")
		}
		for _, shell := range cmd.Commands() {
			shell.Args = noArguments
			shell.Example = "  arrowio completion " + shell.Name()
		}
	}
}

// inputs checks the arguments of a command that reads: it needs at least one INPUT.
func inputs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s: INPUT is missing: name a file, a directory, a glob or - for standard input", cmd.Name())
	}
	if slices.Contains(args, "") {
		return usagef("%s: a file name is empty", cmd.Name())
	}
	if n := len(slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s != "-" })); n > 1 {
		return usagef("%s: standard input can be read only once", cmd.Name())
	}
	return nil
}

func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}
