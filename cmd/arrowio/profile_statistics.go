package main

import (
	"context"
	"errors"
	"math/big"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

// checkNoScan refuses what statistics are not about.
func (f *profileFlags) checkNoScan(changed func(flag string) bool) error {
	if !f.noScan {
		return nil
	}
	for _, name := range []string{"where", "rows", "limit", "schema", "cast"} {
		if changed(name) {
			return usagef("--no-scan and --%s exclude each other: statistics are about all values of a file, as they are stored", name)
		}
	}
	for _, name := range f.readFlags.options.given() {
		if !strings.HasSuffix(name, "-by") {
			continue
		}
		if by, err := view.MatchOf(f.readFlags.options.values[name].text); err == nil && by != view.ByName {
			return usagef("--no-scan and --%s=%s exclude each other: statistics are joined by the names of columns", name, f.readFlags.options.values[name].text)
		}
	}
	return nil
}

// profileStatistics makes the profile of what files say of all their rows.
func profileStatistics(ctx context.Context, ds *inputSet, columns []string) (*tableprofile.Profile, error) {
	schema, err := arrowio.Project(ds.Schema, columns)
	if err != nil {
		return nil, asUsage(err)
	}
	p := tableprofile.NewSummaries(schema.Schema)
	for _, fragment := range ds.Fragments {
		f, err := fragment.Open(ctx)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(summarize(ctx, p, f, ds.Schema), f.Close()); err != nil {
			return nil, inFile(fragment.Name, err)
		}
	}
	return p.Profile()
}

// summarizer is a file that can tell of columns without a scan.
type summarizer interface {
	Summary(ctx context.Context, path string) (expr.Summary, error)
}

// summarize adds a file, which is read under schema `to`.
func summarize(ctx context.Context, p *tableprofile.Summaries, f arrowio.File, to *arrow.Schema) error {
	rows := rowsOf(f)
	if rows == arrowio.UnknownRows {
		return usagef("--no-scan: the file does not say how many rows it has; leave --no-scan out, or convert the file first")
	}
	unknown := expr.Summary{Nulls: -1}
	// What stands between the format's own file and the rows may leave out some, or have other values.
	opened, ok := arrowio.As[*openFile](f)
	if !ok {
		return p.Add(rows, func(string, arrow.DataType) (expr.Summary, error) { return unknown, nil })
	}
	own := opened.File.File
	s, ok := own.(summarizer)
	ok = ok && rowsOf(own) == rows && !renumbered(own.Schema(), to)
	return p.Add(rows, func(path string, t arrow.DataType) (expr.Summary, error) {
		has := typeAt(own.Schema(), path)
		if shown := typeAt(f.Schema(), path); !ok || has == nil || shown == nil || !arrow.TypeEqual(shown, has) && !arrow.TypeEqual(shown, t) {
			return unknown, nil
		}
		// Files of several types are joined under one that holds the values of all, so that a value that is no null does not become one.
		x, err := s.Summary(ctx, path)
		if !arrow.TypeEqual(has, t) {
			x.Min, x.Max, x.Sum = tableprofile.Widened(x.Min, t), tableprofile.Widened(x.Max, t), wideSum(x.Sum, t)
		}
		return x, err
	})
}

// wideSum returns the sum of whole numbers where they are shown as whole numbers; nil = it is not known.
func wideSum(sum *big.Int, t arrow.DataType) *big.Int {
	if !arrow.IsInteger(t.ID()) {
		return nil
	}
	return sum
}

// renumbered reports whether the columns of a file have numbers for names, other than those of the schema that it is read under: see
// view.ByName.
func renumbered(s, to *arrow.Schema) bool {
	if s.NumFields() == 0 || s.Field(0).Name != "_col0" {
		return false
	}
	for i, f := range s.Fields() {
		if i >= to.NumFields() || f.Name != to.Field(i).Name {
			return true
		}
	}
	return false
}

// rowsOf returns the number of rows of a file; arrowio.UnknownRows = only reading tells.
func rowsOf(f arrowio.File) int64 {
	splits := f.Splits()
	if len(splits) == 0 {
		return 0
	}
	return splits[len(splits)-1].Rows.End
}

// typeAt returns the type at a path of a schema; nil where there is none of these names, case included.
func typeAt(s *arrow.Schema, path string) (t arrow.DataType) {
	at, err := expr.Resolve(s, path)
	if err != nil {
		return nil
	}
	var names []string
	fields := s.Fields()
	for _, i := range at {
		t = fields[i].Type
		names = append(names, fields[i].Name)
		if inner, ok := t.(*arrow.StructType); ok {
			fields = inner.Fields()
		}
	}
	if expr.Quote(names...) != path {
		return nil
	}
	return t
}
