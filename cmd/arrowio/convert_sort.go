package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
)

// sortValue says by what rows are sorted: columns, or the key of the output.
type sortValue struct {
	columns []convert.SortColumn
	byKey   bool
}

// sortByKey is the value of --sort without columns: sort by the key of the output. As a list of columns it would be invalid.
const sortByKey = ","

var _ pflag.Value = (*sortValue)(nil)

func (v *sortValue) Type() string { return "A,-B.C" }

func (v *sortValue) String() string {
	var names []string
	for _, c := range v.columns {
		names = append(names, c.String())
	}
	return strings.Join(names, ",")
}

func (v *sortValue) Set(s string) error {
	switch s {
	case sortByKey:
		v.byKey = true
		return nil
	case "":
		return errors.New("columns are missing after the =; --sort without = sorts by OUTPUT's key")
	}
	var names columnsValue
	if err := names.Set(s); err != nil {
		return err
	}
	for _, n := range names {
		c, err := convert.ParseSortColumn(n)
		if err != nil {
			return err
		}
		v.columns = append(v.columns, c)
	}
	return nil
}

// explain adds a hint for --sort COLUMN: the flag takes its columns after =, so COLUMN was read as the first INPUT.
func (v *sortValue) explain(err error, in []string) error {
	if at, _ := errs.Where(err); v.byKey && errors.Is(err, fs.ErrNotExist) && at.File == in[0] {
		return fmt.Errorf("%w (columns to sort by are written after a =: --sort=%s)", err, in[0])
	}
	return err
}

func addSortFlag(cmd *cobra.Command, v *sortValue) {
	cmd.Flags().VarPF(v, "sort", "", "sort the rows by these columns: -A is descending, 'A nulls first' puts nulls first; without a value, by OUTPUT's key").NoOptDefVal = sortByKey
}

// steps is the progress of a conversion, with one bar for each step. Without sorting there is one step; with sorting there are
// reading, merging if there are several runs, and writing.
type steps struct {
	a    *app
	mode string
	work work // of reading
	what string
	bar  *progress
}

func (a *app) startSteps(mode string, w work) *steps {
	s := &steps{a: a, mode: mode, work: w}
	s.show("convert", w)
	return s
}

// show draws the bar of a step.
func (s *steps) show(what string, w work) {
	if s.what != what {
		s.bar.stop()
		s.what, s.bar = what, s.a.startProgress(s.mode, what, w)
	}
}

func (s *steps) set(p convert.Progress) {
	w := s.work
	switch {
	case p.MergeRows > 0:
		w.rows = p.MergeRows
		s.show("merge", w)
		s.bar.set(p.Merged)
	case p.Sorted > 0 && p.Rows == 0:
		s.show("sort", w)
		s.bar.set(p.Sorted)
	case p.Sorted > 0:
		w.rows = p.Sorted
		s.show("write", w)
		s.bar.set(p.Rows)
	default:
		s.bar.set(p.Rows)
	}
}

// stop removes the bar. It may be called twice.
func (s *steps) stop() { s.bar.stop() }
