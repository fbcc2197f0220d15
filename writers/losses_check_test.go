package writers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowjson"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/readers"
)

// lossCheck writes rows, reads them back with the usual options, and compares what differs with what the plan said.
type lossCheck struct {
	t      testing.TB
	mem    *memory.CheckedAllocator
	format arrowio.OutputFormat
	o      arrowio.WriteOptions
	name   string // of the case, for messages
	// retyped says that values come back as what they are stored as, times as numbers: those are not compared.
	retyped bool
}

// outcome is what became of a case.
type outcome int

const (
	refused  outcome = iota // the plan has said no
	unfit                   // a value does not fit
	compared                // rows came back
)

func (c *lossCheck) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s: %s: %s", c.format.Name, c.name, fmt.Sprintf(format, args...))
}

// run writes batches of schema s.
func (c *lossCheck) run(s *arrow.Schema, recs []arrow.Record) outcome {
	c.t.Helper()
	plan, err := c.format.Plan(s, c.o)
	if err != nil {
		if !errors.Is(err, errs.ErrSchema) && !errors.Is(err, errs.ErrLimit) && !errors.Is(err, errs.ErrOption) {
			c.errorf("the plan fails: %v", err)
		}
		return refused
	}
	path := filepath.Join(c.t.TempDir(), "out"+c.format.Extensions[0])
	if err := c.write(path, plan, recs); err != nil {
		if !errors.Is(err, errs.ErrSchema) || rowsOf(recs) == 0 {
			c.errorf("what the plan accepts is not written: %v", err)
		}
		return unfit
	}
	back, got, err := readAll(path, nil, c.mem)
	if err != nil {
		// Bytes that were strings are strings again, and those that are not UTF-8 have an option, which the plan names.
		told := slices.ContainsFunc(plan.Losses(), func(l arrowio.Loss) bool { return strings.Contains(l.String(), "strings=binary") })
		if told {
			_, got, err = readAll(path, map[string]string{"kudu-strings": "binary"}, c.mem)
			releaseAll(got)
		}
		if err != nil {
			c.errorf("what was written is not read: %v\n%s", err, s)
		}
		return compared
	}
	defer releaseAll(got)
	c.compare(plan, s, back, recs, got)
	return compared
}

func (c *lossCheck) write(path string, plan *arrowio.WritePlan, recs []arrow.Record) error {
	st, err := local.NewFileStore(path, local.FileStoreOptions{Directory: c.format.Directory})
	if err != nil {
		return err
	}
	w, err := arrowio.NewWriter(context.Background(), c.format, st, plan)
	if err != nil {
		c.errorf("what the plan accepts is not begun: %v", err)
		return err
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Close()
}

func readAll(path string, options map[string]string, mem memory.Allocator) (*arrow.Schema, []arrow.Record, error) {
	ctx := context.Background()
	f, err := readers.OpenFile(ctx, path, readers.Options{Options: options})
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	rows, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Allocator: mem, Parallelism: 1})
	if err != nil {
		return nil, nil, err
	}
	defer rows.Release()
	var recs []arrow.Record
	for rows.Next() {
		r := rows.Record()
		r.Retain()
		recs = append(recs, r)
	}
	if rows.Err() != nil {
		releaseAll(recs)
		return nil, nil, rows.Err()
	}
	return f.Schema(), recs, nil
}

func releaseAll(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

func rowsOf(recs []arrow.Record) (n int64) {
	for _, r := range recs {
		n += r.NumRows()
	}
	return n
}

// compare demands that every difference is a loss of the plan and, where types are not told by the text of the values,
// that every loss is a difference.
func (c *lossCheck) compare(plan *arrowio.WritePlan, s, back *arrow.Schema, recs, got []arrow.Record) {
	c.t.Helper()
	losses := plan.Losses()
	place, fields := inPlace(s, back)
	diffs := schemadiff.Fields(s.Fields(), fields)
	for i, p := range place {
		if p != i {
			diffs = append(diffs, schemadiff.Difference{Column: i, Path: s.Field(i).Name, Aspect: "order", Text: "comes back elsewhere"})
		}
	}
	whole := slices.ContainsFunc(losses, func(l arrowio.Loss) bool { return l.Of == arrowio.LossOfFile })
	stated := map[string]bool{}
	for _, d := range diffs {
		inferred := d.Aspect == schemadiff.Type && untyped(c.format.Name)
		found := d.Aspect == schemadiff.Nullable && whole || inferred && whole && (fromText(s.Field(d.Column), recs, d.Column) || d.Text == "comes back as null")
		for _, l := range losses {
			if l.Of == arrowio.LossOfColumn && covers(l.Path, d.Path) && (found || !inferred || saysType(l.Text, back.Field(place[d.Column]).Type)) {
				found, stated[l.Path] = true, true
			}
			above := d.Path // what is below it is another type's, or has other names
			if i := strings.LastIndexByte(above, '.'); i > 0 && d.Aspect == schemadiff.Name {
				above = above[:i]
			}
			if l.Of == arrowio.LossOfColumn && covers(above, l.Path) && (d.Aspect == schemadiff.Type || d.Aspect == schemadiff.Name) {
				stated[l.Path] = true
			}
		}
		if !found {
			c.errorf("%s (%s) %s: the plan does not say so: %v\nwritten %v\nread %v", d.Path, d.Aspect, d.Text, losses, s.Field(d.Column), fieldAt(fields, d.Column))
		}
	}
	for i, f := range back.Fields() {
		if n := len(back.FieldIndices(f.Name)); n > 1 {
			said := fmt.Sprintf("%d columns have this name: it cannot be chosen by name", n)
			path := schemadiff.Path(f.Name)
			if !slices.ContainsFunc(losses, func(l arrowio.Loss) bool { return l.Path == path && strings.HasSuffix(l.Text, said) }) {
				c.errorf("column %d has a name that %d columns have, and the plan does not say so: %v", i, n, losses)
			}
			stated[path] = stated[path] || slices.ContainsFunc(losses, func(l arrowio.Loss) bool { return l.Path == path && l.Text == said })
		}
	}
	lost := schemadiff.Keys(s.Metadata(), back.Metadata())
	for _, k := range lost {
		if !slices.ContainsFunc(losses, func(l arrowio.Loss) bool { return l.Of == arrowio.LossOfMetadata && l.Key == k }) {
			c.errorf("metadata %q is lost, and the plan does not say so: %v", k, losses)
		}
	}
	for _, l := range losses {
		switch {
		case l.Of == arrowio.LossOfMetadata && !slices.Contains(lost, l.Key):
			c.errorf("the plan says that metadata is lost which is not: %s", l)
		case l.Of == arrowio.LossOfColumn && !stated[l.Path] && !untyped(c.format.Name):
			c.errorf("the plan says what is not so: %s\n%v\n%v", l, s, back)
		}
	}
	if keys := plan.Metadata; len(keys) < s.Metadata().Len() {
		c.errorf("the plan has %d entries for %d keys of metadata", len(keys), s.Metadata().Len())
	}
	for i, p := range place {
		if p < back.NumFields() {
			c.extensions(s.Field(i).Name, s.Field(i), back.Field(p))
		}
	}
	c.values(s, place, diffs, recs, got)
}

// extensions demands that the name of an extension type comes back only at the type that it was at: readers that know the name
// refuse a file where it stands at another. Text may come back as other text, and bytes as other bytes.
func (c *lossCheck) extensions(path string, w, b arrow.Field) {
	c.t.Helper()
	plain := func(t arrow.DataType) arrow.Type {
		switch id := arrowtype.Storage(t).ID(); id {
		case arrow.LARGE_STRING, arrow.STRING_VIEW:
			return arrow.STRING
		case arrow.LARGE_BINARY, arrow.BINARY_VIEW:
			return arrow.BINARY
		default:
			return id
		}
	}
	if name, ok := b.Metadata.GetValue(schemadiff.ExtensionName); ok && name != "geoarrow.wkb" && plain(w.Type) != plain(b.Type) {
		c.errorf("%s: extension type %s at %s comes back at %s", path, name, w.Type, b.Type)
	}
	if r, ok := w.Type.(*arrow.RunEndEncodedType); ok && b.Type.ID() != arrow.RUN_END_ENCODED { // the values come back without their runs
		w.Type = r.Encoded()
	}
	from, ok := w.Type.(arrow.NestedType)
	to, both := b.Type.(arrow.NestedType)
	if !ok || !both || len(from.Fields()) != len(to.Fields()) {
		return
	}
	for i, k := range from.Fields() {
		c.extensions(path+"."+k.Name, k, to.Fields()[i])
	}
}

// untyped tells formats whose files do not say of what type a column is.
func untyped(format string) bool { return format == "csv" || format == "jsonl" }

// fromText tells whether the plan of the file as a whole says that the type of a column is inferred anew: of text, and of columns
// without values. (What is inside of a column and without values comes back as null; values that are lost so are found when values
// are compared.)
func fromText(f arrow.Field, recs []arrow.Record, column int) bool {
	switch f.Type.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	for _, r := range recs {
		for i := range int(r.NumRows()) {
			if !arrowjson.IsNull(r.Column(column), i) {
				return false
			}
		}
	}
	return true
}

// saysType tells whether a loss says that values come back as a type.
func saysType(loss string, t arrow.DataType) bool {
	if strings.Contains(loss, "without its ") || strings.HasPrefix(loss, "in ") { // of the values, of a child
		return true
	}
	name := t.String()
	switch t := t.(type) {
	case *arrow.TimestampType:
		name = map[arrow.TimeUnit]string{arrow.Microsecond: "microseconds", arrow.Nanosecond: "nanoseconds"}[t.Unit]
		if strings.Contains(loss, "as a timestamp") || strings.Contains(loss, "in zone UTC") && t.TimeZone == "UTC" {
			return true
		}
	case *arrow.ListType:
		name = "a list"
	case *arrow.StructType:
		name = "a struct"
	}
	return strings.Contains(loss, name)
}

// covers tells whether what is said of one path is said of another.
func covers(said, path string) bool {
	plain := func(s string) string { return strings.ReplaceAll(s, `"`, "") }
	said, path = plain(said), plain(path)
	return said == path || strings.HasPrefix(path, said+".")
}

func fieldAt(fields []arrow.Field, i int) any {
	if i < len(fields) {
		return fields[i]
	}
	return "nothing"
}

// inPlace returns where each column of s comes back, and those fields.
func inPlace(s, back *arrow.Schema) (place []int, fields []arrow.Field) {
	for i, f := range s.Fields() {
		p := i
		if i >= back.NumFields() || back.Field(i).Name != f.Name {
			if at := back.FieldIndices(f.Name); len(at) == 1 && len(s.FieldIndices(f.Name)) == 1 {
				p = at[0]
			}
		}
		place = append(place, p)
		if p < back.NumFields() {
			fields = append(fields, back.Field(p))
		}
	}
	return place, fields
}

// values compares rows: of columns of the same type value by value, of others what JSON makes of them.
func (c *lossCheck) values(s *arrow.Schema, place []int, diffs []schemadiff.Difference, recs, got []arrow.Record) {
	c.t.Helper()
	if rowsOf(recs) != rowsOf(got) {
		c.errorf("%d rows come back as %d", rowsOf(recs), rowsOf(got))
		return
	}
	if rowsOf(recs) == 0 {
		return
	}
	for i, f := range s.Fields() {
		if place[i] >= len(got[0].Columns()) {
			continue
		}
		pairs(recs, got, func(a, b arrow.Record) bool {
			want, have := a.Column(i), b.Column(place[i])
			if c.retyped && !arrow.TypeEqual(want.DataType(), have.DataType()) {
				return false
			}
			err := sameValues(c.format.Name, f, want, have, diffs, i)
			if err != nil {
				c.errorf("column %s (%s as %s): %v", f.Name, f.Type, have.DataType(), err)
			}
			return err == nil
		})
	}
}

// pairs cuts two lists of batches into pieces of the same rows, until f returns false.
func pairs(recs, got []arrow.Record, f func(a, b arrow.Record) bool) {
	var i, j, x, y int64
	for goOn := true; goOn && i < int64(len(recs)) && j < int64(len(got)); {
		n := min(recs[i].NumRows()-x, got[j].NumRows()-y)
		if n > 0 {
			a, b := recs[i].NewSlice(x, x+n), got[j].NewSlice(y, y+n)
			goOn = f(a, b)
			a.Release()
			b.Release()
		}
		if x += n; x == recs[i].NumRows() {
			i, x = i+1, 0
		}
		if y += n; y == got[j].NumRows() {
			j, y = j+1, 0
		}
	}
}

func sameValues(format string, f arrow.Field, want, have arrow.Array, diffs []schemadiff.Difference, column int) error {
	typeDiffers := slices.ContainsFunc(diffs, func(d schemadiff.Difference) bool {
		return d.Column == column && (d.Aspect == schemadiff.Type || d.Aspect == schemadiff.Name)
	})
	if !typeDiffers && !(untyped(format) && nested(f.Type)) && !(untyped(format) && arrow.IsFloating(f.Type.ID())) { // text has one NaN
		have = as(want.DataType(), have)
		defer have.Release()
		return conformance.EqualArrays(want, have)
	}
	if !sameText(format, f.Type) || isBytes(f.Type) != isBytes(have.DataType()) { // bytes have another text
		return nil
	}
	var a, b arrowjson.Encoder
	x, y := a.JSON(want), b.JSON(have)
	if format == "csv" || format == "jsonl" {
		x, y = a.Text(want), b.Text(have)
	}
	for i := range want.Len() {
		if wn, hn := arrowjson.IsNull(want, i), arrowjson.IsNull(have, i); wn || hn {
			if wn != hn {
				return fmt.Errorf("row %d: null %v against %v", i, wn, hn)
			}
			continue
		}
		// Wall clocks come back in UTC from formats that know nothing else, and times in other units, and the plan says so.
		if w, h := timeTail.ReplaceAll(x(nil, i), []byte(`$1$2"`)), timeTail.ReplaceAll(y(nil, i), []byte(`$1$2"`)); !bytes.Equal(w, h) {
			return fmt.Errorf("row %d: %s against %s", i, w, h)
		}
	}
	return nil
}

func isBytes(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return true
	}
	return false
}

// timeTail is the end of a time: its zone, and zeros of its fraction.
var timeTail = regexp.MustCompile(`(T\d\d:\d\d:\d\d)(\.\d*[1-9])?\.?0*Z?"`)

func nested(t arrow.DataType) bool {
	_, ok := t.(arrow.NestedType)
	return ok
}

// as returns a under a type that differs in nullability and metadata only.
func as(t arrow.DataType, a arrow.Array) arrow.Array {
	d := a.Data()
	data := array.NewData(t, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
	if dict, ok := a.(*array.Dictionary); ok {
		data.SetDictionary(dict.Dictionary().Data())
	}
	defer data.Release()
	return array.MakeFromData(data)
}

// sameText tells whether values of a type have the same text when they come back as another: not where units get lost or
// children other names.
func sameText(format string, t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.Time32Type, *arrow.Time64Type, arrow.UnionType, *arrow.NullType:
		return false
	case *arrow.FixedSizeBinaryType:
		return format != "cfile" && format != "kudu"
	case *arrow.TimestampType:
		return !untyped(format)
	case *arrow.Float16Type, *arrow.Float32Type, arrow.DecimalType:
		return !untyped(format)
	case *arrow.MapType:
		return !untyped(format) && sameText(format, t.KeyType()) && sameText(format, t.ItemType())
	case *arrow.DictionaryType:
		return sameText(format, t.ValueType)
	case *arrow.RunEndEncodedType:
		return sameText(format, t.Encoded())
	case arrow.ExtensionType:
		return sameText(format, t.StorageType())
	case arrow.NestedType:
		if untyped(format) {
			return false
		}
		for _, f := range t.Fields() {
			if !sameText(format, f.Type) {
				return false
			}
		}
	}
	return true
}
