package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width of help lines if the output is not a terminal.
const helpWidth = 100

// help prints a command's description and usage.
func (a *app) help(cmd *cobra.Command, _ []string) {
	if names := cmd.Flags().Args(); cmd.HasSubCommands() && len(names) > 0 { // they stand before --help
		a.failed = a.noCommand(cmd, names)
		return
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", rewrap(strings.TrimSpace(text), a.lineWidth()))
	_ = a.usage(cmd) // of printing: nowhere to report to
}

// rewrap wraps paragraphs to a width; 0 = not at all. Lines that begin with a space stay as they are.
func rewrap(text string, width int) string {
	if width == 0 {
		return text
	}
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, wrap(strings.Join(paragraph, " "), width)...)
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// rootHelp lists the formats that can be read and written.
func (a *app) rootHelp() string {
	var b strings.Builder
	b.WriteString("arrowio reads old and stranded columnar files into Apache Arrow, and writes them.\n\n")
	fmt.Fprintf(&b, "Reads:  %s\n", strings.Join(a.readerNames(), ", "))
	b.WriteString("\nWrites: ")
	for i, f := range a.writers {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Name)
		if len(f.Extensions) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(f.Extensions, " "))
		}
	}
	b.WriteString(`

The format of an INPUT is told by its content, that of OUTPUT by its ending; --from and --to overrule both.
An INPUT may be a directory or a glob, and like OUTPUT it may be in a store: s3://BUCKET/KEY, hdfs://HOST:PORT/PATH. Several
files read as one: columns that some do not have are null there, types are widened where nothing is lost; directories
KEY=VALUE below an INPUT are columns. - is standard input or output.
`)
	for _, f := range a.readers {
		if f.OpenPath != nil {
			fmt.Fprintf(&b, "With --from %s an INPUT is a whole directory of that format.\n", f.Name)
		}
	}
	b.WriteString(`
Exit codes: 0 done; 1 the data: corrupt, unsupported, over a limit, not fitting the target; 2 the command line;
3 the system: not found, no permission, disk full, closed pipe; 4 done, but --salvage, --kudu-salvage or --kudu-rebuild has reported losses;
5 diff: the inputs differ; 130 interrupted. Warnings go to standard error, a line each, and change no other exit code.`)
	return b.String()
}

// usage prints what follows the description of a command: examples, subcommands, and flags, with those of each format in a
// section.
func (a *app) usage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	width := a.lineWidth()
	if width == 0 {
		width = helpWidth
	}
	fmt.Fprintln(w, "Usage:")
	sheet{w, width}.line("  ", "      ", usageLine(cmd))
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				left := fmt.Sprintf("  %-*s  ", cmd.NamePadding(), c.Name())
				sheet{w, width}.line(left, strings.Repeat(" ", len(left)), c.Short)
			}
		}
	}
	own := map[string][]*pflag.Flag{}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		group := ""
		if g := f.Annotations[groupAnnotation]; len(g) > 0 {
			group = g[0]
		}
		own[group] = append(own[group], f)
	})
	printFlags(w, width, "Flags", own[""])
	for _, group := range a.groups() {
		title := "Options of " + group
		printFlags(w, width, title, own[group])
	}
	global := []*pflag.Flag{}
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { global = append(global, f) })
	printFlags(w, width, "Flags of every command", global)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w)
		sheet{w, width}.line("", "", cmd.CommandPath()+" COMMAND --help explains a command.")
	}
	return nil
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.UseLine()
}

// groups returns the sections of format options: one for each format, in the order of the readers, then one for options of
// several formats.
func (a *app) groups() []string {
	names := a.readerNames()
	for _, n := range a.writerNames() {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return append(names, severalFormats)
}

func printFlags(w io.Writer, width int, title string, flags []*pflag.Flag) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	indent := 30
	if width < 70 {
		indent = 6
	}
	for _, f := range flags {
		name, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			name = ""
		}
		left := "  "
		if f.Shorthand != "" {
			left += "-" + f.Shorthand + ", "
		}
		left += "--" + f.Name
		switch {
		case name != "" && f.NoOptDefVal != "":
			left += "[=" + name + "]"
		case name != "":
			left += " " + name
		}
		if len(left) > indent-2 {
			fmt.Fprintln(w, left)
			left = ""
		}
		for i, line := range wrap(usage, width-indent) {
			if i > 0 {
				left = ""
			}
			fmt.Fprintf(w, "%-*s%s\n", indent, left, line)
		}
	}
}

// wrap breaks text at spaces into lines of at most width bytes, unless a word is longer. Each run of spaces becomes one space.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

var unknownShorthand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown shorthand flag: .* in (-\S+)$`) })

var unknownFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown flag: --([^=\s]+)`) })

// nearestFlag returns the flag of a command that is most similar to the unknown flag that err is about.
func nearestFlag(cmd *cobra.Command, err error) string {
	m := unknownFlag().FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	best, distance := "", 3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := editDistance(m[1], f.Name); d < distance {
			best, distance = f.Name, d
		}
	})
	return best
}

// editDistance returns the Levenshtein distance of two strings in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
