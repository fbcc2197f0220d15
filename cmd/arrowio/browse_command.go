package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/browse"
)

// Command implements browse.Data: inspect for a file, cat for rows, convert for rows in another order.
func (b *browsed) Command(ctx context.Context, s browse.Seen) (command, but string, err error) {
	if s.Rows == nil {
		return b.inspectCommand(s), "", nil
	}
	words := append(slices.Clone(b.command.flags), b.command.exclude...)
	columns := s.Columns
	if columns == nil {
		for k := range b.paths {
			columns = append(columns, k)
		}
	}
	if s.Columns != nil || b.f.columns != nil {
		var paths []string
		for _, k := range columns {
			paths = append(paths, b.paths[k]...)
		}
		words = append(words, "--columns="+shellWord(strings.Join(paths, ",")))
	}
	var notes []string
	if len(b.broken) > 0 {
		notes = append(notes, "The command ends at the files that cannot be opened: name the others.")
	}
	first, last, known := s.First, s.Last, true
	if s.Where != "" {
		words = append(words, "--where="+shellWord(s.Where))
		if first, last, known, err = b.rowsOfMatches(ctx, s); err != nil {
			return "", "", err
		}
	}
	if known {
		words = append(words, fmt.Sprintf("--rows=%d:%d", first, last))
	} else {
		notes = append(notes, "It prints all rows that match: formats without an index do not tell how many rows the files before have.")
	}
	name := "cat"
	inputs := slices.Clone(b.command.inputs)
	if s.Sorted {
		by := slices.Index(columns, s.By)
		switch {
		case by < 0 || arrow.IsNested(b.types[s.By].ID()):
			notes = append(notes, "The rows are in the order of the file: convert --sort cannot sort by this column.")
		case !known:
			notes = append(notes, "The rows are in the order of the file.")
		default:
			column := fmt.Sprintf("#%d", by+1)
			if s.Desc {
				column = "-" + column
			}
			words = append(words, "--sort="+shellWord(column))
			if int64(s.Most) < s.Last-s.First {
				words = append(words, fmt.Sprintf("--limit=%d", s.Most))
			}
			name, inputs = "convert --to jsonl", append(inputs, "-")
		}
	}
	words = append([]string{"arrowio", name}, append(words, inputs...)...)
	return strings.Join(words, " "), strings.Join(notes, " "), nil
}

// inspectCommand prints what a file says of itself.
func (b *browsed) inspectCommand(s browse.Seen) string {
	words := append([]string{"arrowio", "inspect"}, b.command.flags...)
	if s.Blocks {
		words = append(words, "--blocks")
	}
	names := b.Files()
	if len(names) > 1 {
		path := ""
		if s.File < len(b.ds.Fragments) {
			path = b.ds.Fragments[s.File].Name
		} else {
			path = b.broken[s.File-len(b.ds.Fragments)].name
		}
		local, isLocal := stores.Local(path)
		_, err := os.Stat(local)
		if path != "-" && (!isLocal || err == nil) { // a part of a table may have a name that is no path
			return strings.Join(append(words, inputWord(path)), " ")
		}
	}
	return strings.Join(append(words, b.command.inputs...), " ")
}

// rowsOfMatches returns the range of rows of the inputs that holds the rows of a filter that are seen, and no other rows of it. ok is
// false if that is not known.
func (b *browsed) rowsOfMatches(ctx context.Context, s browse.Seen) (first, last int64, ok bool, err error) {
	r, isRows := s.Rows.(*browsedRows)
	if !isRows {
		return 0, 0, false, nil
	}
	if first, ok, err = r.place(ctx, s.First); err != nil || !ok {
		return 0, 0, false, err
	}
	last, ok, err = r.place(ctx, s.Last-1)
	return first, last + 1, ok, err
}

// place returns the number of a row of the filter among all rows of the inputs. ok is false if files before do not tell how many they have.
func (r *browsedRows) place(ctx context.Context, row int64) (at int64, ok bool, err error) {
	l, ok := r.from(row)
	if !ok {
		return 0, false, nil
	}
	before := int64(0)
	for i := range l.fragment {
		err := r.b.withFile(ctx, i, func(f arrowio.File) error {
			if ok = ok && !streamed(f); ok {
				for _, s := range f.Splits() {
					before += s.Rows.Len()
				}
			}
			return nil
		})
		if err != nil || !ok {
			return 0, false, err
		}
	}
	k := row - l.first // among those of the piece
	if l.matches == l.rows.Len() {
		return before + l.rows.Start + k, true, nil
	}
	n := sort.Search(int(l.rows.Len()), func(n int) bool {
		if err != nil {
			return true
		}
		var matches int64
		matches, err = r.matches(ctx, l.fragment, arrowio.RowRange{Start: l.rows.Start, End: l.rows.Start + int64(n) + 1})
		return matches > k
	})
	return before + l.rows.Start + int64(n), err == nil, err
}

// matches counts the rows of a filter in a range of a file.
func (r *browsedRows) matches(ctx context.Context, fragment int, rows arrowio.RowRange) (n int64, err error) {
	o := countOptions(r.options(nil))
	o.Rows, o.Parallelism = rows, 1
	err = r.b.withFile(ctx, fragment, func(f arrowio.File) error {
		rr, err := arrowio.Scan(ctx, f, o)
		if err != nil {
			return err
		}
		defer rr.Release()
		for rr.Next() {
			n += rr.Record().NumRows()
		}
		return rr.Err()
	})
	return n, err
}
