package dataset

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// Partitions says how directories named KEY=VALUE become columns. Each such directory below the directory or pattern that was
// listed adds a column KEY after the columns of the files, with that value in every row of the files below it. Percent escapes in
// keys and values are decoded; __HIVE_DEFAULT_PARTITION__ is null. All files must lie below the same keys in the same order.
//
// A partition column is int64 if all values are whole numbers without leading zeros, date32 if all are dates YYYY-MM-DD, and utf8
// otherwise; nulls do not count. Where Options.Schema has the column, it has the type and the place that the schema says. A column of
// the same name in a file is left out, with a warning.
type Partitions struct {
	Off   bool                      // such directories add no columns
	Types map[string]arrow.DataType // types by key, of those that PartitionTypes knows; nil = inferred from the values
}

// partitionTypes are the types that columns of directories can have.
var partitionTypes = map[string]arrow.DataType{
	"utf8":   arrow.BinaryTypes.String,
	"string": arrow.BinaryTypes.String,
	"int32":  arrow.PrimitiveTypes.Int32,
	"int64":  arrow.PrimitiveTypes.Int64,
	"date32": arrow.FixedWidthTypes.Date32,
	"date":   arrow.FixedWidthTypes.Date32,
}

// PartitionTypes parses "KEY=TYPE,…". The types are utf8 (or string), int32, int64 and date32 (or date).
func PartitionTypes(s string) (map[string]arrow.DataType, error) {
	out := map[string]arrow.DataType{}
	for _, part := range strings.Split(s, ",") {
		i := strings.LastIndexByte(part, '=')
		if i <= 0 {
			return nil, errs.Errorf(errs.ErrOption, "%q is not KEY=TYPE", part)
		}
		t, ok := partitionTypes[part[i+1:]]
		if !ok {
			return nil, errs.Errorf(errs.ErrOption, "%s cannot be of type %q, only utf8, int32, int64 or date32", part[:i], part[i+1:])
		}
		out[part[:i]] = t
	}
	return out, nil
}

// nullPartition is Hive's value for null.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// keyValue is a directory KEY=VALUE.
type keyValue struct{ key, value string }

// keysOf returns the directories among names that are of that form.
func keysOf(names []string) []keyValue {
	var out []keyValue
	for _, n := range names {
		if i := strings.IndexByte(n, '='); i > 0 {
			out = append(out, keyValue{unescape(n[:i]), unescape(n[i+1:])})
		}
	}
	return out
}

// unescape decodes the percent escapes that Hive writes for characters that are not allowed in paths. A percent sign without two
// hexadecimal digits after it remains.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// partitions are the columns that directories add to a dataset.
type partitions struct {
	schema *arrow.Schema  // of these columns alone
	rows   []*partition   // by input; inputs of one directory share one
	values view.KnownRows // of each partition that differs a row
	asked  *arrow.Schema  // the schema asked for, with the columns of the files; nil = there is none

	told   sync.Mutex
	warned map[string]bool // columns of files that were said to be left out
}

// partition is one row of these columns: its values.
type partition struct {
	keys []keyValue
	at   int          // its row of values
	row  arrow.Record // that row
}

// newPartitions returns the partition columns of the inputs; nil = there are none. asked is the schema that was asked for; nil = none
// was.
func newPartitions(inputs []Input, o Partitions, asked *arrow.Schema) (*partitions, error) {
	if o.Off || !slices.ContainsFunc(inputs, func(in Input) bool { return len(in.keys) > 0 }) {
		if len(o.Types) > 0 && !o.Off {
			return nil, errs.Errorf(errs.ErrOption, "types of partitions are given, but no file lies below a directory KEY=VALUE")
		}
		return nil, nil
	}
	if err := sameKeys(inputs); err != nil {
		return nil, err
	}
	p := &partitions{rows: make([]*partition, len(inputs)), warned: map[string]bool{}, asked: asked}
	var distinct []*partition
	byText := map[string]*partition{}
	for i, in := range inputs {
		id := fmt.Sprintf("%q", in.keys)
		if byText[id] == nil {
			byText[id] = &partition{keys: in.keys, at: len(distinct)}
			distinct = append(distinct, byText[id])
		}
		p.rows[i] = byText[id]
	}
	fields := make([]arrow.Field, len(inputs[0].keys))
	columns := make([]arrow.Array, len(fields))
	for k, kv := range inputs[0].keys {
		f, told, err := p.fieldOf(kv.key, o)
		if err != nil {
			return nil, err
		}
		if f.Type == nil {
			f.Type = typeOfValues(distinct, k)
		}
		b := array.NewBuilder(memory.DefaultAllocator, f.Type) // Go memory: it need not be released
		add := appendValue
		if told {
			add = appendTold
		}
		for _, d := range distinct {
			if err := add(b, d.keys[k].value); err != nil {
				return nil, errs.Locate(errs.Errorf(errs.ErrSchema, "the directory %s=%s: %w", kv.key, d.keys[k].value, err), errs.At{File: pathOf(inputs, p, d)})
			}
		}
		columns[k], fields[k] = b.NewArray(), f
		if !f.Nullable && columns[k].NullN() > 0 {
			return nil, errs.Locate(errs.Errorf(errs.ErrSchema, "a directory says that it is null (%s), and the schema asked for that it is never null", nullPartition), errs.At{Column: kv.key})
		}
	}
	for key := range o.Types {
		if !slices.ContainsFunc(fields, func(f arrow.Field) bool { return f.Name == key }) {
			return nil, errs.Errorf(errs.ErrOption, "there is no partition key %q to give a type, only %s", key, keyNames(inputs[0].keys))
		}
	}
	p.schema = arrow.NewSchema(fields, nil)
	p.values.Record = array.NewRecord(p.schema, columns, int64(len(distinct)))
	for i, d := range distinct {
		d.row = p.values.Record.NewSlice(int64(i), int64(i)+1)
	}
	return p, nil
}

// fieldOf returns the column of a key, without a type where neither option nor schema say one; told = the schema does.
func (p *partitions) fieldOf(key string, o Partitions) (f arrow.Field, told bool, err error) {
	t := o.Types[key]
	if p.asked == nil || len(p.asked.FieldIndices(key)) == 0 {
		return arrow.Field{Name: key, Type: t, Nullable: true}, false, nil
	}
	f = p.asked.Field(p.asked.FieldIndices(key)[0])
	switch {
	case t != nil && !arrow.TypeEqual(t, f.Type):
		err = errs.Errorf(errs.ErrOption, "the partition key %s cannot be %s and also, as the schema says, %s", key, t, f.Type)
	case textvalues.For(f.Type) == nil:
		err = errs.Locate(errs.Errorf(errs.ErrSchema, "it is the name of a directory, which is not read as %s", f.Type), errs.At{Column: key})
	}
	return f, true, err
}

// pathOf returns the path of one input of a partition.
func pathOf(inputs []Input, p *partitions, d *partition) string {
	return inputs[slices.Index(p.rows, d)].name()
}

func keyNames(keys []keyValue) string {
	if len(keys) == 0 {
		return "none"
	}
	names := make([]string, len(keys))
	for i, kv := range keys {
		names[i] = kv.key
	}
	return strings.Join(names, ", ")
}

// sameKeys refuses inputs that do not lie below the same keys.
func sameKeys(inputs []Input) error {
	first := inputs[0]
	for _, in := range inputs {
		if !slices.EqualFunc(in.keys, first.keys, func(a, b keyValue) bool { return a.key == b.key }) {
			return errs.Errorf(errs.ErrSchema,
				"%s lies below the partition keys %s, but %s below %s: they are no one table; read them apart, or with %w as files without these columns", in.name(), keyNames(in.keys), first.name(), keyNames(first.keys), errs.Opt("partitions", "none"))
		}
	}
	for i, kv := range first.keys {
		if slices.ContainsFunc(first.keys[:i], func(o keyValue) bool { return o.key == kv.key }) {
			return errs.Errorf(errs.ErrSchema, "%s: two directories that lead there are of the partition key %q; %w reads it without", first.name(), kv.key, errs.Opt("partitions", "none"))
		}
	}
	return nil
}

// typeOfValues returns the type of column k, inferred from all its values.
func typeOfValues(rows []*partition, k int) arrow.DataType {
	numbers, dates, some := true, true, false
	for _, r := range rows {
		s := r.keys[k].value
		if s == nullPartition {
			continue
		}
		some = true
		if numbers {
			_, numbers = wholeNumber(s, 64)
		}
		if dates {
			_, dates = day(s)
		}
	}
	switch {
	case some && numbers:
		return arrow.PrimitiveTypes.Int64
	case some && dates:
		return arrow.FixedWidthTypes.Date32
	}
	return arrow.BinaryTypes.String
}

// wholeNumber parses a whole number in its canonical form.
func wholeNumber(s string, bits int) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, bits)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

func day(s string) (int64, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t.Unix() / 86400, err == nil && len(s) == len(time.DateOnly)
}

// appendValue appends the value of a directory's name.
func appendValue(b array.Builder, s string) error {
	ok := true
	switch b := b.(type) {
	case *array.StringBuilder:
		if !utf8.ValidString(s) {
			return errors.New("the value is not UTF-8")
		}
		ok = appendOrNull(b, s, s, true)
	case *array.Int32Builder:
		n, err := strconv.ParseInt(s, 10, 32) // a type that was asked for takes leading zeros
		ok = appendOrNull(b, s, int32(n), err == nil)
	case *array.Int64Builder:
		n, err := strconv.ParseInt(s, 10, 64)
		ok = appendOrNull(b, s, n, err == nil)
	case *array.Date32Builder:
		n, is := day(s)
		ok = appendOrNull(b, s, arrow.Date32(n), is)
	}
	if !ok {
		return fmt.Errorf("the value is no %s", b.Type())
	}
	return nil
}

// appendTold appends the value of a directory's name as a type that a schema says.
func appendTold(b array.Builder, s string) error {
	if s == nullPartition {
		b.AppendNull()
	} else if !textvalues.For(b.Type())(b)([]byte(s)) {
		return fmt.Errorf("the value is no %s", b.Type())
	}
	return nil
}

// valueBuilder is an Arrow builder of values of a type.
type valueBuilder[T any] interface {
	Append(v T)
	AppendNull()
}

func appendOrNull[T any](b valueBuilder[T], text string, v T, ok bool) bool {
	if text == nullPartition {
		b.AppendNull()
		return true
	}
	b.Append(v)
	return ok
}

// without returns columns without the partition columns. It is for files that have columns of the same names.
func (p *partitions) without(columns []string) []string {
	if p == nil || columns == nil {
		return columns
	}
	out := []string{}
	for _, c := range columns {
		if _, err := expr.ResolveExact(p.schema, c); err != nil {
			out = append(out, c)
		}
	}
	return out
}
