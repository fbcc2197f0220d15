package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// The types of flag values. Each checks its text when the flag is parsed, so that a mistake is reported before any
// file is touched.

// sizeValue is a number of bytes: 1048576, 64MiB, 64MB (millions), 1g.
type sizeValue int64

func (v *sizeValue) Type() string { return "SIZE" }

func (v *sizeValue) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*v), 10)
}

func (v *sizeValue) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("want a size such as 1048576, 64MiB, 64MB or 1g")
	}
	if n == 0 {
		return fmt.Errorf("want a size above 0")
	}
	*v = sizeValue(n)
	return nil
}

// rowsValue is a range of rows A:B, half-open; either end may be left out.
type rowsValue struct{ arrowio.RowRange }

func (v *rowsValue) Type() string { return "A:B" }

func (v *rowsValue) String() string {
	switch {
	case v.RowRange == arrowio.RowRange{}:
		return ""
	case v.End == math.MaxInt64:
		return fmt.Sprintf("%d:", v.Start)
	}
	return fmt.Sprintf("%d:%d", v.Start, v.End)
}

func (v *rowsValue) Set(s string) error {
	from, to, ok := strings.Cut(s, ":")
	if !ok {
		return fmt.Errorf("want A:B, A: or :B, rows counted from 0 and B not included")
	}
	r := arrowio.RowRange{End: math.MaxInt64}
	for _, p := range []struct {
		text string
		to   *int64
	}{{from, &r.Start}, {to, &r.End}} {
		if p.text == "" {
			continue
		}
		n, err := strconv.ParseInt(p.text, 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("want A:B, A: or :B, rows counted from 0 and B not included")
		}
		*p.to = n
	}
	switch {
	case r.Start > r.End:
		return fmt.Errorf("row B is before row A")
	case r == arrowio.RowRange{}: // which scans take for all rows
		r = arrowio.RowRange{Start: 1, End: 1}
	}
	v.RowRange = r
	return nil
}

// columnsValue is a comma-separated list of dotted paths. A comma inside double quotes or backticks belongs to a name.
type columnsValue []string

func (v *columnsValue) Type() string   { return "A,B.C" }
func (v *columnsValue) String() string { return strings.Join(*v, ",") }

func (v *columnsValue) Set(s string) error {
	if *v == nil {
		*v = columnsValue{}
	}
	if s == "" {
		return nil // no column at all: rows are still counted
	}
	var quote byte
	start := 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) && quote != 0:
			return fmt.Errorf("a quote %c is not closed", quote)
		case i == len(s) || quote == 0 && s[i] == ',':
			name := strings.TrimSpace(s[start:i])
			if name == "" {
				return fmt.Errorf("an empty column name")
			}
			*v = append(*v, name)
			start = i + 1
		case quote != 0:
			if s[i] == quote {
				quote = 0
			}
		case s[i] == '"' || s[i] == '`':
			quote = s[i]
		}
	}
	return nil
}

// someColumns is a columnsValue that names at least one column.
type someColumns struct{ *columnsValue }

func (v someColumns) Set(s string) error {
	if s == "" {
		return fmt.Errorf("an empty column name")
	}
	return v.columnsValue.Set(s)
}

// filterValue is a predicate in the filter language. Given several times, all of them must be true.
type filterValue struct{ x expr.Expr }

func (v *filterValue) Type() string { return "EXPR" }

func (v *filterValue) String() string {
	if v.x == nil {
		return ""
	}
	return v.x.String()
}

func (v *filterValue) Set(s string) error {
	x, err := expr.Parse(s)
	if err != nil {
		return err
	}
	switch have := v.x.(type) {
	case nil:
		v.x = x
	case expr.And:
		v.x = append(have[:len(have):len(have)], x)
	default:
		v.x = expr.And{have, x}
	}
	return nil
}

// wordValue is one of a few words.
type wordValue struct {
	word  string
	words []string
	kind  string // what the help calls it
}

// choices implements chooser.
func (v *wordValue) choices() []string { return v.words }

func (v *wordValue) Type() string {
	if v.kind != "" {
		return v.kind
	}
	return "WORD"
}

func (v *wordValue) String() string { return v.word }

func (v *wordValue) Set(s string) error {
	if !slices.Contains(v.words, s) {
		return fmt.Errorf("want one of %s", strings.Join(v.words, ", "))
	}
	v.word = s
	return nil
}

// countValue is a whole number of at least min.
type countValue struct {
	n   int
	min int
}

func (v *countValue) Type() string { return "N" }

func (v *countValue) String() string {
	if v.n == 0 {
		return ""
	}
	return strconv.Itoa(v.n)
}

func (v *countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if errors.Is(err, strconv.ErrRange) && s[0] != '-' {
		return fmt.Errorf("the number is too large")
	}
	if err != nil || n < v.min {
		return fmt.Errorf("want a whole number of at least %d", v.min)
	}
	v.n = n
	return nil
}

// numberValue is a whole number of rows of at least min; a command's default stands in n.
type numberValue struct{ n, min int64 }

func (v *numberValue) Type() string   { return "N" }
func (v *numberValue) String() string { return strconv.FormatInt(v.n, 10) }

func (v *numberValue) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) && s[0] != '-' {
		return fmt.Errorf("the number is too large")
	}
	if err != nil || n < v.min {
		return fmt.Errorf("want a whole number of at least %d", v.min)
	}
	v.n = n
	return nil
}
