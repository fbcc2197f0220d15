package hivetable

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// textFormat is the format of members that are text as LazySimpleSerDe reads it.
const textFormat = "text"

const (
	textInput = "org.apache.hadoop.mapred.TextInputFormat"
	lazySerDe = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
)

// layout says how lines are rows. It is part of the JSON of a member.
type layout struct {
	Delimiter byte   `json:"delimiter"`
	Null      string `json:"null"`
	Header    int    `json:"header,omitempty"` // lines at the beginning of each file that are no rows
	// Most has the longest value of each varchar, in characters, by column.
	Most map[int]int `json:"most,omitempty"`
}

// textTypes are the types that are read from text.
var textTypes = regexp.MustCompile(`^(?:boolean|tinyint|smallint|int|bigint|float|double|string|date|timestamp|decimal(?:\(.*\))?|varchar\((\d+)\))$`)

// layoutOf returns how the text of a table or a partition is read. What Hive would read otherwise is refused by name.
func layoutOf(said *metastore.Storage, table *metastore.Table) (*layout, error) {
	refuse := func(format string, args ...any) (*layout, error) {
		return nil, errs.Errorf(errs.ErrUnsupported, format, args...)
	}
	param := func(name string) string { // as Hive has it: the table's count before those of the SerDe
		if v, ok := table.Parameters[name]; ok {
			return v
		}
		return said.SerDeParameters[name]
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
	if v := param("skip.footer.line.count"); v != "" && v != "0" {
		return refuse("the last %.40q lines of each file are no rows (skip.footer.line.count), which cannot be read", v)
	}
	l := &layout{Delimiter: 1, Null: `\N`, Most: map[int]int{}}
	if v, ok := said.SerDeParameters["serialization.null.format"]; ok {
		l.Null = v
	}
	if v, ok := table.Parameters["serialization.null.format"]; ok {
		l.Null = v
	}
	if v := param("skip.header.line.count"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > 1000 {
			return refuse("skip.header.line.count is %.40q, and must be a number up to 1000", v)
		}
		l.Header = n
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
		m := textTypes.FindStringSubmatch(strings.ToLower(c.Type))
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
	for i, c := range said.Columns { // of a partition
		if i >= len(table.Storage.Columns) || !strings.EqualFold(c.Name, table.Storage.Columns[i].Name) {
			return refuse("a partition of text in %s has other columns than the table, or in another order", said.Location)
		}
	}
	return l, nil
}
