package hivetable

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// textFormat is the format of members that are text as LazySimpleSerDe reads it.
const textFormat = "text"

const (
	textInput = "org.apache.hadoop.mapred.TextInputFormat"
	csvSerDe  = "org.apache.hadoop.hive.serde2.OpenCSVSerde"
	lazySerDe = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
)

// layout says how lines are rows. It is part of the JSON of a member.
type layout struct {
	Delimiter byte   `json:"delimiter"`
	Null      string `json:"null"`
	Header    int    `json:"header,omitempty"` // lines at the beginning of each file that are no rows
	// Most has the longest value of each varchar, in characters, by column.
	Most map[int]int `json:"most,omitempty"`

	Quote  byte `json:"quote,omitempty"` // what values of CSV may stand in; 0 = this is no CSV
	Escape byte `json:"escape,omitempty"`
}

// parameter returns a parameter of text as Hive has it: the table's count before those of the SerDe.
func parameter(said *metastore.Storage, table *metastore.Table, name string) (string, bool) {
	v, ok := table.Parameters[name]
	if !ok {
		v, ok = said.SerDeParameters[name]
	}
	return v, ok
}

// textTypes are the types that are read from text.
var textTypes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:boolean|tinyint|smallint|int|bigint|float|double|string|date|timestamp|decimal(?:\(.*\))?|varchar\((\d+)\))$`)
})

// layoutOf returns how the text of a table or a partition is read. What Hive would read otherwise is refused by name.
func layoutOf(said *metastore.Storage, table *metastore.Table) (*layout, error) {
	refuse := func(format string, args ...any) (*layout, error) {
		return nil, errs.Errorf(errs.ErrUnsupported, format, args...)
	}
	param := func(name string) string {
		v, _ := parameter(said, table, name)
		return v
	}
	for _, name := range []string{"escape.delim", "serialization.last.column.takes.rest", "serialization.escape.crlf", "timestamp.formats", "hive.serialization.extend.nesting.levels", "hive.serialization.extend.additional.nesting.levels", "textinputformat.record.delimiter"} {
		if v := param(name); v != "" && !strings.EqualFold(v, "false") {
			return refuse("the text of this table is written with %s = %.40q, which cannot be read", name, v)
		}
	}
	if v := param("hive.lazysimple.extended_boolean_literal"); strings.EqualFold(v, "true") {
		return refuse("the text of this table is written with hive.lazysimple.extended_boolean_literal, which cannot be read")
	}
	if v := param("line.delim"); v != "" && v != "\n" && v != "10" {
		return refuse("the lines of this table end in %.40q (line.delim), which cannot be read", v)
	}
	if v := param("serialization.encoding"); v != "" && !strings.EqualFold(v, "utf-8") && !strings.EqualFold(v, "utf8") {
		return refuse("the text of this table is in %.40q (serialization.encoding), and only UTF-8 can be read", v)
	}
	l := &layout{Delimiter: 1, Null: `\N`, Most: map[int]int{}}
	if v, ok := parameter(said, table, "serialization.null.format"); ok {
		l.Null = v
	}
	if err := l.lines(said, table); err != nil {
		return nil, err
	}
	delimiter := param("field.delim")
	if delimiter == "" {
		delimiter = param("serialization.format")
	}
	switch n, err := strconv.ParseInt(delimiter, 10, 8); {
	case delimiter == "":
	case err == nil && n > 0: // Hive takes the number of the character where it is one
		l.Delimiter = byte(n)
	case len(delimiter) == 1 && delimiter[0] < 0x80:
		l.Delimiter = delimiter[0]
	default:
		return refuse("the fields of this table are separated by %.40q, of which Hive takes the first byte alone", delimiter)
	}
	if l.Delimiter == '\n' || l.Delimiter == '\r' {
		return refuse("the fields of this table are separated by ends of lines")
	}
	for i, c := range table.Storage.Columns {
		m := textTypes().FindStringSubmatch(strings.ToLower(c.Type))
		if m == nil {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "values of type %.80s cannot be read from text", c.Type), errs.At{Column: c.Name})
		}
		if m[1] != "" {
			most, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, err
			}
			l.Most[i] = most
		}
	}
	return l, nil
}

// lines reads which lines are rows, and checks that a partition has the table's columns.
func (l *layout) lines(said *metastore.Storage, table *metastore.Table) error {
	if v, _ := parameter(said, table, "skip.footer.line.count"); v != "" && v != "0" {
		return errs.Errorf(errs.ErrUnsupported, "the last %.40q lines of each file are no rows (skip.footer.line.count), which cannot be read", v)
	}
	if v, _ := parameter(said, table, "skip.header.line.count"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > 1000 {
			return errs.Errorf(errs.ErrUnsupported, "skip.header.line.count is %.40q, and must be a number up to 1000", v)
		}
		l.Header = n
	}
	for i, c := range said.Columns {
		if i >= len(table.Storage.Columns) || !strings.EqualFold(c.Name, table.Storage.Columns[i].Name) {
			return errs.Errorf(errs.ErrUnsupported, "a partition of text in %s has other columns than the table, or in another order", said.Location)
		}
	}
	return nil
}

// csvLayoutOf returns how CSV is read as OpenCSVSerde does, which makes text of all columns.
func csvLayoutOf(said *metastore.Storage, table *metastore.Table) (*layout, error) {
	l := &layout{Delimiter: ',', Quote: '"', Escape: '\\'}
	for _, x := range []struct {
		name string
		to   *byte
	}{{"separatorChar", &l.Delimiter}, {"quoteChar", &l.Quote}, {"escapeChar", &l.Escape}} {
		v, ok := parameter(said, table, x.name)
		if !ok || v == "" {
			continue
		}
		if len(v) > 1 || v[0] >= 0x80 || v[0] == 0 || v[0] == '\n' || v[0] == '\r' {
			return nil, errs.Errorf(errs.ErrUnsupported, "%s is %.40q, which cannot be read: it must be one character of ASCII", x.name, v)
		}
		*x.to = v[0]
	}
	if l.Delimiter == l.Quote || l.Delimiter == l.Escape {
		return nil, errs.Errorf(errs.ErrUnsupported, "%q separates values, and has another meaning, too", l.Delimiter)
	}
	for _, c := range table.Storage.Columns {
		if !strings.EqualFold(c.Type, "string") {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "in CSV Hive shows every column as string, and the metastore says %.80s", c.Type), errs.At{Column: c.Name})
		}
	}
	return l, l.lines(said, table)
}
