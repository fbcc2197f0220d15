package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/convert"
)

// metadataFlags change the metadata that is written.
type metadataFlags struct {
	set  []string
	drop []string
}

func addMetadataFlags(cmd *cobra.Command) *metadataFlags {
	f := &metadataFlags{}
	cmd.Flags().StringArrayVar(&f.set, "metadata", nil, "set `KEY=VALUE` in the metadata of OUTPUT (repeatable)")
	cmd.Flags().StringArrayVar(&f.drop, "drop-metadata", nil, "leave out the metadata `KEY` of the input and of its columns, * for all (repeatable)")
	return f
}

func (f *metadataFlags) edit() (convert.MetadataEdit, error) {
	e := convert.MetadataEdit{Set: map[string]string{}, Drop: f.drop}
	for _, kv := range f.set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok || key == "" {
			return e, usagef("--metadata takes KEY=VALUE, not %q", kv)
		}
		if _, twice := e.Set[key]; twice {
			return e, usagef("--metadata sets %q twice", key)
		}
		e.Set[key] = value
	}
	return e, nil
}

// note prints a remark, which is neither an error nor a warning, on standard error as a line or as an object.
func (a *app) note(file, text string) {
	if !a.jsonErrors {
		a.onErrors().line("", "  ", printable(fmt.Sprintf("arrowio: %s: note: %s", file, text)))
		return
	}
	e := json.NewEncoder(a.stderr)
	e.SetEscapeHTML(false)
	_ = e.Encode(struct { // standard error is the last resort: nowhere to report to
		Level   string `json:"level"`
		File    string `json:"file"`
		Message string `json:"message"`
	}{"note", file, text})
}

// noneLeftOut returns an error if columns of INPUT are left out by --schema: rows that go into a table lose no column unless it is named.
func noneLeftOut(lost []arrowio.Loss) error {
	var left []string
	for _, l := range lost {
		if l.LeftOut {
			left = append(left, l.Path)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return errs.Errorf(errs.ErrSchema, "--schema does not have %s of INPUT, which would be left out: leave out what the table is to lack with %w",
		strings.Join(left, ", "), errs.Opt("exclude", strings.Join(left, ",")))
}

// noteLosses prints in one line what is lost when OUTPUT is read again, without what warnings have named already.
func (a *app) noteLosses(out string, p *arrowio.WritePlan, told []arrowio.Loss) {
	lost := p.Losses()
	for i := range lost {
		for _, t := range told {
			if t.Of == lost[i].Of && (t.Of == arrowio.LossOfColumn || t.Key == lost[i].Key) {
				lost[i].Text = strings.TrimPrefix(strings.TrimPrefix(lost[i].Text, t.Text), "; ")
			}
		}
	}
	lost = slices.DeleteFunc(lost, func(l arrowio.Loss) bool { return l.Text == "" })
	if len(lost) == 0 {
		return
	}
	const shown = 3
	var parts []string
	lost = slices.CompactFunc(lost, func(a, b arrowio.Loss) bool { return a == b }) // of columns of one name
	for _, l := range lost[:min(shown, len(lost))] {
		parts = append(parts, l.String())
	}
	if more := len(lost) - shown; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	a.note(out, fmt.Sprintf("not all can be read back: %s (--dry-run lists it)", strings.Join(parts, "; ")))
}

// noteAdvice prints what other options would do better, a line for each advice with the columns that it is for.
func (a *app) noteAdvice(out string, p *arrowio.WritePlan) {
	columns := map[string][]string{}
	var all []string
	for _, c := range p.Columns {
		if c.Advice == "" {
			continue
		}
		if columns[c.Advice] == nil {
			all = append(all, c.Advice)
		}
		columns[c.Advice] = append(columns[c.Advice], c.Path)
	}
	const shown = 3
	for _, advice := range all {
		paths := columns[advice]
		names := strings.Join(paths[:min(shown, len(paths))], ", ")
		if more := len(paths) - shown; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		a.note(out, names+": "+advice)
	}
}

// noteParts prints that OUTPUT, whose name looks like that of a file, is a directory of files.
func (a *app) noteParts(out string, p *arrowio.WritePlan, files int64) {
	if files < 2 {
		return
	}
	a.note(out, fmt.Sprintf("this is a directory of %s: %s", counted(files, "file"), p.Parts))
}

// planOrder adds to a plan whose output has a key how rows are put into its order, if they are not. parts is the number of splits of
// INPUT, which are read one after the other.
func planOrder(p *arrowio.WritePlan, sortedBy []string, parts int) {
	if len(p.Key) == 0 || len(sortedBy) > 0 {
		return
	}
	text := "--sort puts rows in this order"
	if parts > 1 {
		text = fmt.Sprintf("the %d parts of INPUT are read one after the other, whatever their keys are: --sort puts the rows of all in this order", parts)
	}
	for i := range p.Columns { // to the first one of the key
		if path, ok := expr.Names(p.Columns[i].Path); ok && len(path) == 1 && path[0] == p.Key[0] {
			p.Columns[i].Refused += "; " + text
		}
	}
}

// printPlan prints the result of a dry run: how each column and the metadata are written.
func printPlan(w sheet, out string, p *arrowio.WritePlan, sortedBy []string) error {
	order := ""
	if len(sortedBy) > 0 {
		order = ", sorted by " + printable(strings.Join(sortedBy, ", "))
	}
	w.line("", "  ", fmt.Sprintf("%s as %s, %s%s", printable(out), p.Format, lossCount(len(p.Losses())), order))
	if p.Parts != "" {
		w.line("", "  ", p.Parts)
	}
	if len(p.Key) > 0 {
		w.line("", "  ", "the key is "+printable(strings.Join(p.Key, ", "))+": rows must come in its order, and no two rows may have the same key")
	}
	rows := make([][]string, len(p.Columns))
	for i, c := range p.Columns {
		rows[i] = []string{c.Path, c.Type, c.Stored, c.Encoding, c.Loss, c.Refused, c.Advice}
	}
	if err := printTable(w, []string{"column", "type", "stored", "encoding", "lost", "refused", "advice"}, nil, rows); err != nil || len(p.Metadata) == 0 {
		return err
	}
	rows = rows[:0]
	for _, k := range p.Metadata {
		name := k.Key
		if name == "" {
			name = "(the file)"
		}
		rows = append(rows, []string{name, k.Stored, k.Loss})
	}
	return printTable(w, []string{"metadata", "stored", "lost"}, nil, rows)
}

func lossCount(n int) string {
	switch n {
	case 0:
		return "nothing lost"
	case 1:
		return "1 thing lost"
	}
	return fmt.Sprintf("%d things lost", n)
}
