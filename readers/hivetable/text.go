package hivetable

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/hivetext"
	"github.com/arrowio/arrowio/internal/metastore"
)

// textFormat is the format of members that are text as one of Hive's SerDes reads it.
const textFormat = "text"

const (
	textInput     = "org.apache.hadoop.mapred.TextInputFormat"
	csvSerDe      = "org.apache.hadoop.hive.serde2.OpenCSVSerde"
	lazySerDe     = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
	jsonSerDe     = "org.apache.hadoop.hive.serde2.JsonSerDe"
	hcatalogSerDe = "org.apache.hive.hcatalog.data.JsonSerDe"
)

// layout says how lines are rows. It is part of the JSON of a member.
type layout struct {
	Columns string `json:"columns,omitempty"` // of a partition, in ORC's notation, where they are not the table's
	Header  int    `json:"header,omitempty"`  // lines at the beginning of each file that are no rows

	Lazy *hivetext.Lazy `json:"lazy,omitempty"` // exactly one of the three
	CSV  *csvLayout     `json:"csv,omitempty"`
	JSON *jsonLayout    `json:"json,omitempty"`
}

// jsonLayout is how JSON is read.
type jsonLayout struct {
	EmptyLines bool `json:"emptyLines,omitempty"` // are rows of nulls
}

// parameter returns a parameter of text as Hive has it: the table's count before those of the SerDe.
func parameter(said *metastore.Storage, table *metastore.Table, name string) (string, bool) {
	v, ok := table.Parameters[name]
	if !ok {
		v, ok = said.SerDeParameters[name]
	}
	return v, ok
}

// layoutOf returns how the text of a table or a partition is read; nil = its SerDe is none that is known. What Hive would read otherwise is
// refused by name.
func (l *listing) layoutOf(said *metastore.Storage) (text *layout, err error) {
	text = &layout{}
	switch said.SerDe {
	case lazySerDe:
		text.Lazy, err = lazyLayout(said, l.said, l.wrong == "null")
	case csvSerDe:
		text.CSV, err = newCSVLayout(said, l.said)
	case jsonSerDe, hcatalogSerDe:
		text.JSON, err = newJSONLayout(said, l.said)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if own := columnsOf(said); own != l.table.Columns {
		text.Columns = own
	}
	return text, text.lines(said, l.said)
}

// columnsOf returns the columns of a table or a partition, in ORC's notation. OpenCSVSerde makes text of all columns.
func columnsOf(said *metastore.Storage) string {
	columns := said.Columns
	if said.SerDe == csvSerDe {
		columns = slices.Clone(columns)
		for i := range columns {
			columns[i].Type = "string"
		}
	}
	return metastore.Notation(columns)
}

// deepSeparators are those of the fourth level and deeper: characters that text does not have.
var deepSeparators = sync.OnceValue(func() (out []byte) {
	for b := byte(4); b < 32; b++ {
		if b <= 8 || b == 11 || b >= 14 && b != 27 {
			out = append(out, b)
		}
	}
	for b := 128; b < 256; b++ {
		out = append(out, byte(b))
	}
	return out
})

// lazyLayout returns how LazySimpleSerDe reads the text.
func lazyLayout(said *metastore.Storage, table *metastore.Table, wrong bool) (*hivetext.Lazy, error) {
	param := func(name string) string {
		v, _ := parameter(said, table, name)
		return v
	}
	refuse := func(format string, args ...any) (*hivetext.Lazy, error) {
		return nil, errs.Errorf(errs.ErrUnsupported, format, args...)
	}
	for _, name := range []string{"timestamp.formats", "textinputformat.record.delimiter", "hive.lazysimple.extended_boolean_literal"} {
		if v := param(name); v != "" && !strings.EqualFold(v, "false") {
			return refuse("the text of this table is written with %s = %.40q, which cannot be read", name, v)
		}
	}
	if v := param("line.delim"); v != "" && v != "\n" && v != "10" {
		return refuse("the lines of this table end in %.40q (line.delim), which cannot be read", v)
	}
	if v := param("serialization.encoding"); v != "" && !strings.EqualFold(v, "utf-8") && !strings.EqualFold(v, "utf8") {
		return refuse("the text of this table is in %.40q (serialization.encoding), and only UTF-8 can be read", v)
	}
	l := &hivetext.Lazy{Null: `\N`, TakesRest: strings.EqualFold(param("serialization.last.column.takes.rest"), "true"), Wrong: wrong}
	if v, ok := parameter(said, table, "serialization.null.format"); ok {
		l.Null = v
	}
	first, err := byteOf("field.delim", param("field.delim"), 0)
	if err == nil && param("field.delim") == "" {
		first, err = byteOf("serialization.format", param("serialization.format"), 1)
	}
	if err != nil {
		return nil, err
	}
	collections := param("collection.delim")
	if collections == "" {
		collections = param("colelction.delim") // as Hive before 3 has it
	}
	second, err := byteOf("collection.delim", collections, 2)
	if err != nil {
		return nil, err
	}
	third, err := byteOf("mapkey.delim", param("mapkey.delim"), 3)
	if err != nil {
		return nil, err
	}
	l.Separators = append([]byte{first, second, third}, deepSeparators()...)
	if first == '\n' || first == '\r' {
		return refuse("the fields of this table are separated by ends of lines")
	}
	levels := 8
	switch {
	case strings.EqualFold(param("hive.serialization.extend.additional.nesting.levels"), "true"):
		levels = len(l.Separators)
	case strings.EqualFold(param("hive.serialization.extend.nesting.levels"), "true"):
		levels = 24
	}
	l.Separators = l.Separators[:levels]
	if v, ok := parameter(said, table, "escape.delim"); ok {
		escape, err := byteOf("escape.delim", v, '\\')
		if err != nil {
			return nil, err
		}
		l.Escape, l.Escaped = int(escape), true
	}
	return l, nil
}

// byteOf returns the byte that a property says: a number, as Hive takes it where it is one, or a character.
func byteOf(name, v string, none byte) (byte, error) {
	n, err := strconv.ParseInt(v, 10, 8)
	switch {
	case v == "":
		return none, nil
	case err == nil:
		return byte(n), nil
	case len(v) == 1:
		return v[0], nil
	}
	return 0, errs.Errorf(errs.ErrUnsupported, "%s is %.40q, of which Hive takes the first byte alone; it cannot be read", name, v)
}

// lines reads which lines are rows.
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
	return nil
}

// newCSVLayout returns how OpenCSVSerde reads CSV.
func newCSVLayout(said *metastore.Storage, table *metastore.Table) (*csvLayout, error) {
	l := &csvLayout{Delimiter: ',', Quote: '"', Escape: '\\'}
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
	if l.Delimiter == l.Quote || l.Delimiter == l.Escape || l.Quote == l.Escape {
		return nil, errs.Errorf(errs.ErrUnsupported, "one character is two of separatorChar, quoteChar and escapeChar (%q, %q, %q), which Hive refuses, too", l.Delimiter, l.Quote, l.Escape)
	}
	return l, nil
}

// newJSONLayout returns how JSON is read.
func newJSONLayout(said *metastore.Storage, table *metastore.Table) (*jsonLayout, error) {
	for _, name := range []string{"timestamp.formats", "json.binary.format"} {
		if v, _ := parameter(said, table, name); v != "" {
			return nil, errs.Errorf(errs.ErrUnsupported, "the JSON of this table is written with %s = %.40q, which cannot be read", name, v)
		}
	}
	v, _ := parameter(said, table, "text.null.empty.line")
	return &jsonLayout{EmptyLines: strings.EqualFold(v, "true")}, nil
}
