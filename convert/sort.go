package convert

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/extsort"
)

// SortColumn is a column by which rows are sorted.
type SortColumn struct {
	Column     string // a dotted path into structs: see expr.Resolve
	Descending bool
	NullsFirst bool // false = nulls come last, in either direction
}

// String returns the column, with a minus before it if it is descending, and " nulls first" after it if nulls come first.
func (c SortColumn) String() string {
	s := c.Column
	if c.Descending {
		s = "-" + s
	}
	if c.NullsFirst {
		s += " nulls first"
	}
	return s
}

// ParseSortColumn parses the format of String: [-]COLUMN [nulls first|nulls last]. A column whose name begins with a minus must
// be in double quotes. Errors are ErrOption.
func ParseSortColumn(s string) (c SortColumn, err error) {
	rest, descending := strings.CutPrefix(strings.TrimSpace(s), "-")
	c.Descending = descending
	if words := strings.Fields(rest); len(words) > 2 && strings.EqualFold(words[len(words)-2], "nulls") {
		switch last := words[len(words)-1]; strings.ToLower(last) {
		case "first":
			c.NullsFirst = true
		case "last":
		default:
			return c, errs.Errorf(errs.ErrOption, "sort by %q: it takes nulls first or nulls last, not nulls %s", s, last)
		}
		rest = rest[:strings.LastIndex(rest, words[len(words)-2])]
	}
	if c.Column = strings.TrimSpace(rest); c.Column == "" {
		return c, errs.Errorf(errs.ErrOption, "sort by %q: a column is missing", s)
	}
	return c, nil
}

func sortNames(by []SortColumn) []string {
	var names []string
	for _, c := range by {
		names = append(names, c.String())
	}
	return names
}

func keysOf(by []SortColumn) []extsort.Key {
	keys := make([]extsort.Key, len(by))
	for i, c := range by {
		keys[i] = extsort.Key(c)
	}
	return keys
}

// writeMemory is what WriteOptions.Memory is by default.
const writeMemory = 1 << 30

func (o *Options) sorts() bool { return len(o.Sort) > 0 || o.SortByKey || len(o.PartitionBy) > 0 }

// shareMemory leaves the writer half of its memory where the other half is needed for sorting.
func (o *Options) shareMemory() {
	if o.sorts() {
		if o.Write.Memory <= 0 {
			o.Write.Memory = writeMemory
		}
		o.Write.Memory = max(1, o.Write.Memory/2)
	}
}

// sortColumns returns the columns to sort by, after making sure that rows can be sorted by them; nil = rows are not sorted.
func (o *Options) sortColumns(s *arrow.Schema, p *arrowio.WritePlan) ([]SortColumn, error) {
	by := o.Sort
	switch {
	case len(by) == 0 && !o.SortByKey:
		return nil, nil
	case o.SortByKey && len(by) > 0:
		return nil, errs.Errorf(errs.ErrOption, "rows can be sorted by columns or by the output's key, not both")
	case o.SortByKey && len(p.Key) == 0:
		return nil, errs.Errorf(errs.ErrOption, "%s has no key to sort by: name the columns", p.Format)
	case o.SortByKey:
		for _, name := range p.Key {
			by = append(by, SortColumn{Column: name})
		}
	}
	scanned, err := arrowio.Project(s, o.Scan.Columns)
	if err != nil {
		return nil, err
	}
	probe, err := extsort.New(scanned.Schema, keysOf(by), extsort.Options{})
	if err != nil {
		return nil, err
	}
	return by, probe.Close()
}

// newSorter returns a sorter of what is scanned.
func (o *Options) newSorter(s *arrow.Schema, st arrowio.Store, done *Progress) (*extsort.Sorter, error) {
	return extsort.New(s, keysOf(o.Sort), extsort.Options{
		Memory:      o.Write.Memory,
		Scratch:     st.Scratch,
		Allocator:   o.Scan.Allocator,
		BatchRows:   o.Scan.BatchRows,
		BatchBytes:  o.Scan.BatchBytes,
		Parallelism: o.Scan.Parallelism,
		Merging: func(merged, of int64) {
			if merged == of {
				merged, of = 0, 0
			}
			done.Merged, done.MergeRows = merged, of
			if o.Progress != nil {
				o.Progress(*done)
			}
		},
	})
}
