package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/internal/tablediff"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	sides      [2]*diffSide
	selected   *selectFlags
	key        columnsValue
	unordered  bool
	ignoreCase bool
	zeroSign   bool
	strict     bool
	schemaOnly bool
	tolerance  toleranceValue
	limit      countValue
	temp       string
	progress   *wordValue
	json       bool
}

// diffSide is how one of the inputs is read.
type diffSide struct {
	name    string // "A" or "B"
	command *cobra.Command
	read    *readFlags
	given   []string // OPTION=VALUE, for this side alone
	in      []string
	masked  []string // columns that are shown masked in files that were opened
}

// mostShown bounds --limit: so many differences are kept in memory, and their rows read again.
const mostShown = 10_000

func (a *app) diffCommand() *cobra.Command {
	f := &diffFlags{limit: countValue{n: 10}}
	cmd := &cobra.Command{
		Use:   "diff [flags] A B",
		Short: "Compare the columns and rows of two inputs, of any formats",
		Long: `Diff compares A and B: files, directories or tables of any formats. The exit code is 0 if they are equal, 5 if they differ, and
as with other commands if they could not be compared.

Columns are found by name. A column of one input alone is a difference, and so is one whose types have no exact common form, such
as text and numbers. Otherwise values are compared, not types: integers of any width, decimals of any scale, times of any unit,
text and large text, dictionaries and their values, lists of any layout, a float and the double of the same number. NaN is equal to
NaN; 0 and -0 differ unless --ignore-zero-sign is given. With --strict other types, nullability, order of columns, and metadata
are differences, too.

Rows are compared by position, unless --key names the columns by which a row is found in the other input, or --unordered says that
order is of no interest; equal rows then count as often as they occur. What does not fit into --memory goes to scratch files.

The number of a row counts the rows that are compared from 0, so those that --where leaves. A or B may be - for standard input.
Options for reading are for both inputs, or with --a and --b for one.`,
		Example: `  arrowio diff events.orc events.parquet
  arrowio diff --key id --exclude loaded_at old/ new/
  arrowio diff --unordered --json hive://db.events iceberg://prod/db.events
  arrowio diff --a from=csv --a csv-delimiter=';' export.txt events.trv
  arrowio diff --schema-only --strict a.parquet b.parquet`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("diff: name two INPUTs, A and B, not %d", len(args))
			}
			return inputs(cmd, args)
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for i, s := range f.sides {
			s.in = args[i : i+1]
			if err := s.apply(); err != nil {
				return err
			}
		}
		return a.diff(cmd.Context(), f)
	}
	f.selected = addSelectFlags(cmd)
	f.selected.onlyRows = true
	for i, name := range []string{"A", "B"} {
		s := &diffSide{name: name, command: &cobra.Command{Use: name}}
		s.read = a.addReadFlags(s.command)
		s.read.lossless = true
		s.read.shown = addSchemaFlags(s.command)
		f.sides[i] = s
	}
	joinFlags(cmd, f.sides[0].command, f.sides[1].command)
	fs := cmd.Flags()
	for _, s := range f.sides {
		fs.StringArrayVar(&s.given, strings.ToLower(s.name), nil, "`OPTION=VALUE` for reading "+s.name+" alone, such as from=csv; may be given several times")
	}
	fs.Var(someColumns{&f.key}, "key", "find rows by these columns instead of by position")
	fs.BoolVar(&f.unordered, "unordered", false, "compare rows in any order")
	fs.BoolVar(&f.schemaOnly, "schema-only", false, "compare columns, types and metadata, no rows")
	fs.BoolVar(&f.strict, "strict", false, "other types, nullability, order of columns and metadata are differences, too")
	fs.BoolVar(&f.ignoreCase, "ignore-case", false, "names of columns are the same in upper and lower case")
	fs.BoolVar(&f.zeroSign, "ignore-zero-sign", false, "the floats 0 and -0 are equal")
	fs.Var(&f.tolerance, "tolerance", "floats are equal if they differ by no more than this `NUMBER`; not those in lists, and not with --unordered")
	fs.Var(&f.limit, "limit", "show the first N differing rows, N columns of each, and N of the columns and of the keys of metadata that differ")
	fs.StringVar(&f.temp, "temp", "", "`DIR` for what does not fit into --memory (default: the system's)")
	f.progress = addProgressFlag(cmd)
	fs.BoolVar(&f.json, "json", false, "as a JSON object")
	return cmd
}

// pairedValue is the value of a flag that is set for both inputs.
type pairedValue struct {
	pflag.Value
	second pflag.Value
}

func (v *pairedValue) Set(s string) error {
	return errors.Join(v.Value.Set(s), v.second.Set(s))
}

func (v *pairedValue) choices() []string {
	if c, ok := v.Value.(chooser); ok {
		return c.choices()
	}
	return nil
}

// joinFlags adds to cmd the flags of two commands that have the same.
func joinFlags(cmd, first, second *cobra.Command) {
	first.Flags().VisitAll(func(f *pflag.Flag) {
		joined := *f
		joined.Value = &pairedValue{f.Value, second.Flags().Lookup(f.Name).Value}
		cmd.Flags().AddFlag(&joined)
	})
}

// apply sets the options that are for this side alone. They replace what is given for both, where an option has one value.
func (s *diffSide) apply() error {
	for _, given := range s.given {
		name, value, ok := strings.Cut(given, "=")
		name = strings.TrimPrefix(name, "--")
		f := s.command.Flags().Lookup(name)
		switch {
		case f == nil || strings.HasPrefix(name, "s3-") || name == "jobs" || name == "memory":
			return usagef("--%s: %q is no option for reading one input", strings.ToLower(s.name), name)
		case !ok && f.NoOptDefVal != "":
			value = f.NoOptDefVal
		case !ok:
			return usagef("--%s: want OPTION=VALUE, not %q", strings.ToLower(s.name), given)
		}
		if err := f.Value.Set(value); err != nil {
			return usagef("--%s %s: %w", strings.ToLower(s.name), given, err)
		}
	}
	return nil
}

// toleranceValue is a number of at least 0.
type toleranceValue float64

func (v *toleranceValue) Type() string { return "NUMBER" }

func (v *toleranceValue) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*v), 'g', -1, 64)
}

func (v *toleranceValue) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0) || x > 1e308 {
		return fmt.Errorf("want a number of at least 0, such as 1e-9")
	}
	*v = toleranceValue(x)
	return nil
}

// check refuses flags that contradict each other.
func (f *diffFlags) check() error {
	switch {
	case f.unordered && len(f.key) > 0:
		return usagef("rows are found either by --key or --unordered")
	case f.unordered && f.tolerance > 0:
		return usagef("--tolerance needs rows that belong together: not --unordered")
	case f.limit.n > mostShown:
		return usagef("--limit shows at most %d rows", mostShown)
	}
	return nil
}

// options returns the options of the comparison of rows.
func (f *diffFlags) options() tablediff.Options {
	return tablediff.Options{Key: f.key, Unordered: f.unordered, Limit: f.limit.n, Tolerance: float64(f.tolerance), ZeroSign: f.zeroSign}
}
