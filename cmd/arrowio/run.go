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
	completes  bool                          // a shell asks what could come next
	reads      map[*cobra.Command]*readFlags // of commands that read inputs; nil = not completes
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
	if a.completes = len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd); a.completes {
		a.reads = map[*cobra.Command]*readFlags{}
	}
	root := a.rootCommandFor(args)
	if a.completes {
		a.completeFlags(root)
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

// rootCommand returns the command with all its subcommands.
func (a *app) rootCommand() *cobra.Command {
	return a.rootCommandWith(func(string) bool { return true })
}

// rootCommandFor returns the command for one call: where the first argument names a subcommand, no other is made, since its hundred flags
// would be for nothing.
func (a *app) rootCommandFor(args []string) *cobra.Command {
	switch {
	case slices.Equal(args, []string{"--version"}):
		return a.rootCommandWith(func(string) bool { return false })
	case len(args) > 0 && a.isCommand(args[0]):
		return a.rootCommandWith(func(name string) bool { return name == args[0] })
	}
	return a.rootCommand()
}

// command is a subcommand that can be made.
type command struct {
	name string
	make func() *cobra.Command
}

func (a *app) commands() []command {
	return []command{
		{"convert", a.convertCommand},
		{"cat", a.catCommand},
		{"head", a.headCommand},
		{"tail", a.tailCommand},
		{"sample", a.sampleCommand},
		{"count", a.countCommand},
		{"schema", a.schemaCommand},
		{"inspect", a.inspectCommand},
		{"profile", a.profileCommand},
		{"verify", a.verifyCommand},
		{"diff", a.diffCommand},
		{"dump", a.dumpCommand},
		{"repair", a.repairCommand},
		{"merge", a.mergeCommand},
		{"split", a.splitCommand},
		{"browse", a.browseCommand},
		{"scan", a.scanCommand},
		{"query", a.queryCommand},
		{"serve", a.serveCommand},
		{"token", a.tokenCommand},
		{"kudu", a.kuduCommand},
		{"iceberg", a.icebergCommand},
		{"version", a.versionCommand},
	}
}

func (a *app) isCommand(name string) bool {
	return slices.ContainsFunc(a.commands(), func(c command) bool { return c.name == name })
}

// rootCommandWith returns the command with those of its subcommands whose names are wanted.
func (a *app) rootCommandWith(wanted func(name string) bool) *cobra.Command {
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
			return a.noCommand(cmd, args)
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
			return a.noCommand(cmd, names)
		}
		if m := unknownShorthand().FindStringSubmatch(err.Error()); m != nil && cmd.Flags().Changed("sort") {
			return usagef("%w; columns to sort by are written after a =: --sort=%s", err, m[1])
		}
		if near := nearestFlag(cmd, err); near != "" {
			return usagef("%w; did you mean --%s?", err, near)
		}
		return asUsage(err)
	})
	root.SetUsageFunc(a.usage)
	root.SetHelpFunc(a.help)
	for _, c := range a.commands() {
		if wanted(c.name) {
			root.AddCommand(c.make())
		}
	}
	if manual != nil {
		root.AddCommand(manual(a))
	}
	adoptCompletion(root)
	root.SetHelpCommand(a.helpCommand(root))
	return root
}

// noCommand is the action of a command that has only subcommands: it returns an error that names the unknown one.
func (a *app) noCommand(cmd *cobra.Command, args []string) error {
	prefix, hint := "", "see "+cmd.CommandPath()+" --help"
	if cmd.HasParent() {
		prefix = cmd.Name() + ": "
	}
	if len(args) == 0 {
		return usagef("%sno command given; %s", prefix, hint)
	}
	if cmd.Name() == "kudu" && a.isCommand(args[0]) {
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
