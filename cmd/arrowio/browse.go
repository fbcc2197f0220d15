package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/arrowio/arrowio/internal/browse"
	"github.com/arrowio/arrowio/internal/celltext"
)

type browseFlags struct {
	*readFlags
	*selectFlags
	filter string // text of --where
	mouse  bool
	rows   bool
}

func (a *app) browseCommand() *cobra.Command {
	return a.browseCommandOf(&browseFlags{selectFlags: &selectFlags{}})
}

func (a *app) browseCommandOf(f *browseFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "browse [flags] INPUT...",
		SuggestFor: []string{"explore", "tui", "dive", "open"},
		Short:      "Look around in files, on the whole terminal",
		Long: `Browse shows files on the whole terminal: what they are, their columns, how they are laid out, and their rows. It reads what is
seen and no more, so files may be of any size and lie in a store. Rows are searched and filtered in the background; Esc stops that. Press ?
for the keys, and y for the command line that prints what is seen.

It needs a terminal of at least 80×24 characters. NO_COLOR is respected. Text from files is escaped, so that it cannot do anything to
the terminal.`,
		Example: `  arrowio browse events.orc
  arrowio browse --rows --where "price > 100" events/
  arrowio browse --from kudu --kudu-table metrics /var/lib/kudu/tserver`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.browse(cmd, f, args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&f.columns, "columns", "only these columns, in this order; a.b is child b of struct a, whose children keep their order; #3 the third column, for those of one name")
	fs.Var(someColumns{&f.exclude}, "exclude", "all columns but these; a.b is child b of struct a")
	fs.Var(&filterText{text: &f.filter}, "where", "begin with only the rows for which this is true; f changes it; see arrowio help where")
	fs.Var((*rowsSwitch)(&f.rows), "rows", "begin with the rows")
	fs.Lookup("rows").NoOptDefVal = "true"
	fs.BoolVar(&f.mouse, "mouse", false, "let the wheel of the mouse move the cursor; the terminal's own selection of text then needs Shift")
	f.readFlags = a.addReadFlags(cmd)
	f.looks = true
	f.shown = addSchemaFlags(cmd)
	return cmd
}

// rowsSwitch is a switch that other commands have as a range of rows.
type rowsSwitch bool

const noRange = "browse --rows takes no range: it begins with the rows, where the key : goes to one; arrowio cat --rows prints a range"

func (v *rowsSwitch) Type() string { return "bool" }

func (v *rowsSwitch) String() string { return strconv.FormatBool(bool(*v)) }

func (v *rowsSwitch) Set(s string) error {
	on, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New(noRange)
	}
	*v = rowsSwitch(on)
	return nil
}

// noRangeOfRows refuses an INPUT that is a range of rows, as other commands take behind --rows.
func (f *browseFlags) noRangeOfRows(args []string) error {
	for _, arg := range args {
		if _, err := os.Lstat(arg); f.rows && err != nil && new(rowsValue).Set(arg) == nil {
			return usagef("%s: no such file, and %s", arg, noRange)
		}
	}
	return nil
}

// filterText is a filter whose text is kept; several are joined by AND.
type filterText struct {
	filterValue
	text *string
}

func (v *filterText) Set(s string) error {
	if err := v.filterValue.Set(s); err != nil {
		return err
	}
	if *v.text != "" {
		s = "(" + *v.text + ") AND (" + s + ")"
	}
	*v.text = s
	return nil
}

func (a *app) browse(cmd *cobra.Command, f *browseFlags, args []string) error {
	ctx := cmd.Context()
	if err := f.noRangeOfRows(args); err != nil {
		return err
	}
	if os.Getenv("TERM") == "dumb" {
		return usagef("browse needs a terminal to draw on, and TERM is dumb, one that cannot move its cursor; set TERM, or use arrowio inspect, head or cat")
	}
	if _, ok := a.terminal(a.stdout); !ok {
		return usagef("browse needs a terminal to draw on, and standard output is none; use arrowio inspect, head or cat")
	}
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	in, err := a.keyboard(leave)
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := a.openBrowsed(ctx, f, args)
	if err != nil {
		return err
	}
	data.command = commandFlags(cmd.Flags(), args)
	// Warnings are facts of the files on the screen; printed over it they would only damage it.
	stderr := a.stderr
	a.stderr = io.Discard
	err = browse.Run(ctx, data, browse.Options{Where: f.filter, Mouse: f.mouse, Rows: f.rows, Stop: stopProcess}, in, bare(a.stdout))
	err = errors.Join(err, data.close())
	a.stderr = stderr
	return err
}

// keyboard returns where keys come from: standard input if it is a terminal, otherwise the terminal of the process. The caller closes it.
// gone is called when there is no terminal any more.
func (a *app) keyboard(gone context.CancelCauseFunc) (io.ReadCloser, error) {
	r := a.stdin
	if i, ok := r.(*interruptibleReader); ok {
		r = i.r
	}
	if f, ok := r.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return keys{f, gone, true}, nil
	}
	tty, out, err := tea.OpenTTY()
	if err != nil {
		return nil, usagef("browse needs a terminal for its keys, and standard input is none")
	}
	if out != tty {
		_ = out.Close() // standard output is drawn on
	}
	return keys{tty, gone, false}, nil
}

// keys is a terminal that keys come from.
type keys struct {
	*os.File
	gone context.CancelCauseFunc
	open bool // stays open: it is standard input
}

var (
	errTerminalGone = errors.New("the terminal is gone")
	errNoShell      = errors.New("no shell started this program, so that none can wake it")
)

// Read reads keys. A terminal has no end: what ends is a window that was closed, and its signal may have been ignored.
func (k keys) Read(b []byte) (int, error) {
	n, err := k.File.Read(b)
	if err != nil {
		k.gone(errTerminalGone)
	}
	return n, err
}

func (k keys) Close() error {
	if k.open {
		return nil
	}
	return k.File.Close()
}

// commandFlags returns the flags that were given, but for those about what is seen, and the INPUTs, as a shell reads them.
func commandFlags(fs *pflag.FlagSet, args []string) commandText {
	var c commandText
	fs.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "columns", "where", "rows", "mouse":
			return
		}
		words := &c.flags
		if f.Name == "exclude" {
			words = &c.exclude
		}
		values := []string{f.Value.String()}
		if s, ok := f.Value.(pflag.SliceValue); ok {
			values = s.GetSlice()
		}
		for _, v := range values {
			if v == "true" && f.NoOptDefVal == "true" {
				*words = append(*words, "--"+f.Name)
				continue
			}
			*words = append(*words, "--"+f.Name+"="+shellWord(v))
		}
	})
	for _, a := range args {
		c.inputs = append(c.inputs, inputWord(a))
	}
	return c
}

// commandText is the words of a command line. exclude is --exclude, which commands that read no rows do not have.
type commandText struct{ flags, exclude, inputs []string }

// inputWord quotes an INPUT.
func inputWord(path string) string {
	if len(path) > 1 && path[0] == '-' { // or it would be a flag
		path = "./" + path
	}
	return shellWord(path)
}

// shellWord quotes text for a POSIX shell, where that is needed. What a terminal might obey, or not show, is escaped.
func shellWord(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@+%", r))
	}) < 0
	switch {
	case plain:
		return s
	case celltext.Printable(s) == s:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	word := "$'"
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch c := s[:n]; {
		case c == "'" || c == `\`:
			word += `\` + c
		case r == utf8.RuneError || celltext.Unprintable(r):
			for _, b := range []byte(c) {
				word += fmt.Sprintf(`\%03o`, b)
			}
		default:
			word += c
		}
		s = s[n:]
	}
	return word + "'"
}

// openBrowsed opens the files that the arguments name.
func (a *app) openBrowsed(ctx context.Context, f *browseFlags, args []string) (*browsed, error) {
	var broken []brokenFile
	f.readFlags.leftOut = func(path string, err error) {
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path == path { // which would be said twice
			err = pe.Err
		}
		broken = append(broken, brokenFile{path, inFile(displayName(path), err)})
	}
	ds, err := a.openDataset(ctx, args, f.readFlags, f.selectFlags)
	if err != nil {
		return nil, err
	}
	if err := f.readFlags.options.check(ds.used(f.readFlags.options)...); err != nil {
		return nil, errors.Join(err, ds.close())
	}
	b, err := newBrowsed(a, f, ds, args)
	if err != nil {
		return nil, errors.Join(err, ds.close())
	}
	slices.SortFunc(broken, func(x, y brokenFile) int { return strings.Compare(x.name, y.name) })
	b.broken = slices.CompactFunc(broken, func(x, y brokenFile) bool { return x.name == y.name }) // the files may have been opened twice
	return b, nil
}
