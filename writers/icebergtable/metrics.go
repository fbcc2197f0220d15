package icebergtable

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// metricsMode says what manifests have of a column.
type metricsMode struct {
	counts, bounds bool
	length         int // of bounds of text and bytes; 0 = whole
}

// Properties of tables about metrics (Iceberg's "Table properties").
const (
	metricsDefault = "write.metadata.metrics.default"
	metricsColumn  = "write.metadata.metrics.column."
	metricsMost    = "write.metadata.metrics.max-inferred-column-defaults"
)

// parseMode reads none, counts, truncate(N) or full.
func parseMode(text string) (metricsMode, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "none":
		return metricsMode{}, true
	case "counts":
		return metricsMode{counts: true}, true
	case "full":
		return metricsMode{counts: true, bounds: true}, true
	}
	n, ok := strings.CutPrefix(text, "truncate(")
	if n, ok2 := strings.CutSuffix(n, ")"); ok && ok2 {
		if k, err := strconv.ParseInt(n, 10, 32); err == nil && k > 0 {
			return metricsMode{counts: true, bounds: true, length: int(k)}, true
		}
	}
	return metricsMode{}, false
}

// measured is a column outside of lists and maps, of which manifests have metrics.
type measured struct {
	id   int32
	typ  *iceberg.Type
	path []int
	mode metricsMode
}

// measuredColumns returns the columns with metrics, as the table's properties have them.
func measuredColumns(fields []iceberg.Field, props map[string]string) ([]measured, error) {
	standard := metricsMode{counts: true, bounds: true, length: 16}
	read := func(key string) (metricsMode, bool, error) {
		text, ok := props[key]
		if !ok {
			return metricsMode{}, false, nil
		}
		m, known := parseMode(text)
		if !known {
			return m, false, wrongProperty("the table's property %s is %.60q, which is not known", key, text)
		}
		return m, true, nil
	}
	given, ok, err := read(metricsDefault)
	if err != nil {
		return nil, err
	}
	most := 100
	switch {
	case ok:
		standard, most = given, -1
	default:
		if n, err := strconv.Atoi(props[metricsMost]); err == nil {
			most = n
		}
	}
	var out []measured
	var walk func(fields []iceberg.Field, path []int, name string) error
	walk = func(fields []iceberg.Field, path []int, name string) error {
		for i := range fields {
			f := &fields[i]
			if f.ID == iceberg.RowID || f.ID == iceberg.LastUpdatedID { // nobody looks for these
				continue
			}
			at := append(append([]int{}, path...), i)
			full := f.Name
			if name != "" {
				full = name + "." + f.Name
			}
			switch f.Type.Kind {
			case iceberg.Struct:
				if err := walk(f.Type.Fields, at, full); err != nil {
					return err
				}
				continue
			case iceberg.List, iceberg.Map, iceberg.Unknown:
				continue
			}
			m, ok, err := read(metricsColumn + full)
			if err != nil {
				return err
			}
			if !ok {
				m = standard
				if most >= 0 && len(out) >= most {
					m = metricsMode{}
				}
			}
			if m.counts {
				out = append(out, measured{f.ID, &f.Type, at, m})
			}
		}
		return nil
	}
	return out, walk(fields, nil, "")
}

// metrics are those of one column of one file.
type metrics struct {
	measured
	values, nulls, nans int64
	lower, upper        any
	longer              bool // upper was cut off
}

// add counts the values of a batch.
func (m *metrics) add(rec arrow.Record) {
	n := int(rec.NumRows())
	a := rec.Column(m.path[0])
	var under []arrow.Array // around the column
	for _, k := range m.path[1:] {
		under = append(under, a)
		a = a.(*array.Struct).Field(k)
	}
	m.values += int64(n)
	valid := func(i int) bool {
		for _, u := range under {
			if u.IsNull(i) {
				return false
			}
		}
		return a.IsValid(i)
	}
	if len(under) == 0 && a.NullN() == 0 {
		valid = nil
	} else {
		for i := range n {
			if !valid(i) {
				m.nulls++
			}
		}
	}
	m.look(a, n, valid)
}

// look finds the bounds of n values, of which some may not be valid.
func (m *metrics) look(a arrow.Array, n int, valid func(i int) bool) {
	switch a := a.(type) {
	case *array.Int32:
		numbers(m, a.Int32Values(), valid, func(v int32) any { return v })
	case *array.Int64:
		numbers(m, a.Int64Values(), valid, func(v int64) any { return v })
	case *array.Date32:
		numbers(m, a.Date32Values(), valid, func(v arrow.Date32) any { return int32(v) })
	case *array.Time64:
		numbers(m, a.Time64Values(), valid, func(v arrow.Time64) any { return int64(v) })
	case *array.Timestamp:
		numbers(m, a.TimestampValues(), valid, func(v arrow.Timestamp) any { return int64(v) })
	case *array.Float32:
		floats(m, a.Float32Values(), valid)
	case *array.Float64:
		floats(m, a.Float64Values(), valid)
	case *array.Boolean:
		each(n, valid, func(i int) { m.bound(a.Value(i)) })
	case *array.Decimal128:
		each(n, valid, func(i int) { m.boundDecimal(a.Value(i)) })
	case *array.String:
		each(n, valid, func(i int) { m.boundText(a.Value(i)) })
	case *array.Binary:
		each(n, valid, func(i int) { m.boundBytes(a.Value(i)) })
	case *array.FixedSizeBinary:
		if m.typ.Kind == iceberg.UUID { // writers do not agree on the order of uuids
			return
		}
		each(n, valid, func(i int) { m.boundBytes(a.Value(i)) })
	}
}

func each(n int, valid func(i int) bool, do func(i int)) {
	for i := range n {
		if valid == nil || valid(i) {
			do(i)
		}
	}
}

func (m *metrics) bound(v any) {
	if !m.mode.bounds {
		return
	}
	if m.lower == nil || compare(v, m.lower) < 0 {
		m.lower = v
	}
	if m.upper == nil || compare(v, m.upper) > 0 {
		m.upper = v
	}
}

func numbers[T ~int32 | ~int64](m *metrics, values []T, valid func(i int) bool, as func(T) any) {
	if !m.mode.bounds {
		return
	}
	var lo, hi T
	found := false
	for i, v := range values {
		if valid != nil && !valid(i) {
			continue
		}
		if !found {
			lo, hi, found = v, v, true
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	if found {
		m.bound(as(lo))
		m.bound(as(hi))
	}
}

func floats[T float32 | float64](m *metrics, values []T, valid func(i int) bool) {
	var lo, hi T
	found := false
	for i, v := range values {
		switch {
		case valid != nil && !valid(i):
		case v != v:
			m.nans++
		case !found:
			lo, hi, found = v, v, true
		default: // min and max of Go know minus zero
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if found {
		m.bound(any(lo))
		m.bound(any(hi))
	}
}

func (m *metrics) boundDecimal(v decimal128.Num) {
	if lo, ok := m.lower.(decimal128.Num); ok && v.Cmp(lo) >= 0 {
		if hi, ok := m.upper.(decimal128.Num); ok && v.Cmp(hi) <= 0 {
			return
		}
	}
	m.bound(v)
}

// boundText keeps the beginnings of the least and the greatest text.
func (m *metrics) boundText(s string) {
	if !m.mode.bounds {
		return
	}
	more := false
	if m.mode.length > 0 {
		s, more = prefix(s, m.mode.length)
	}
	if lo, ok := m.lower.(string); !ok || s < lo {
		m.lower = strings.Clone(s)
	}
	hi, ok := m.upper.(string)
	switch {
	case !ok || s > hi:
		m.upper, m.longer = strings.Clone(s), more
	case s == hi:
		m.longer = m.longer || more
	}
}

func (m *metrics) boundBytes(b []byte) {
	if !m.mode.bounds {
		return
	}
	more := false
	if n := m.mode.length; n > 0 && len(b) > n {
		if m.typ.Kind == iceberg.Fixed { // its bounds are values of its length
			return
		}
		b, more = b[:n], true
	}
	if lo, ok := m.lower.([]byte); !ok || bytes.Compare(b, lo) < 0 {
		m.lower = bytes.Clone(b)
	}
	hi, ok := m.upper.([]byte)
	switch c := bytes.Compare(b, hi); {
	case !ok || c > 0:
		m.upper, m.longer = bytes.Clone(b), more
	case c == 0:
		m.longer = m.longer || more
	}
}

// bounds returns the lower and the upper bound as single values; nil = there is none.
func (m *metrics) bounds() (lower, upper []byte) {
	if m.lower == nil {
		return nil, nil
	}
	lower = single(m.lower)
	if !m.longer {
		return lower, single(m.upper)
	}
	switch v := m.upper.(type) {
	case string:
		if s, ok := nextText(v); ok {
			return lower, []byte(s)
		}
	case []byte:
		for n := len(v); n > 0; n-- {
			if v[n-1] != 0xff {
				b := bytes.Clone(v[:n])
				b[n-1]++
				return lower, b
			}
		}
	}
	return lower, nil
}

// nextText returns a text that is greater than all that begin with s; false = there is none.
func nextText(s string) (string, bool) {
	if !utf8.ValidString(s) {
		return "", false
	}
	r := []rune(s)
	for n := len(r); n > 0; n-- {
		switch r[n-1] {
		case utf8.MaxRune:
			continue
		case 0xD7FF: // surrogates follow
			r[n-1] = 0xE000
		default:
			r[n-1]++
		}
		return string(r[:n]), true
	}
	return "", false
}

// column returns the name of a column, for messages and for sorting.
func column(fields []iceberg.Field, path []int) string {
	var names []string
	for _, k := range path {
		names = append(names, expr.Quote(fields[k].Name))
		fields = fields[k].Type.Fields
	}
	return strings.Join(names, ".")
}
