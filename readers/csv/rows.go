package csv

import (
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/recordsplit"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// rows parses rows.
type rows struct {
	f    *file
	s    *scanner
	cols []column
}

// column builds one projected column.
type column struct {
	index   int
	text    bool
	empty   bool // an empty field is a value
	told    teller
	builder array.Builder
	// add appends a value that is not null, or reports that it does not fit.
	add textvalues.Appender
}

// build makes the columns that p asks for, and returns their builders.
func (r *rows) build(p arrowio.Projection, mem memory.Allocator) (builders []array.Builder) {
	mem = arrowbuf.Clean(mem)
	for _, i := range p.Columns() {
		t := r.f.Fields.Field(i).Type
		c := column{index: i, text: t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING, builder: array.NewBuilder(mem, t)}
		c.empty = c.text || t.ID() == arrow.BINARY || t.ID() == arrow.LARGE_BINARY
		if r.f.told != nil {
			c.told = r.f.told[i]
		}
		if c.told == schema {
			c.add = textvalues.For(t)(c.builder)
		} else {
			c.add = adder(r.f.kinds[i], c.builder)
		}
		r.cols = append(r.cols, c)
		builders = append(builders, c.builder)
	}
	return builders
}

// adder is the one place that joins a kind with its builder.
func adder(k kind, b array.Builder) textvalues.Appender {
	switch b := b.(type) {
	case *array.Int64Builder:
		return adding(parseInt, b.Append)
	case *array.Float64Builder:
		return adding(parseFloat, b.Append)
	case *array.BooleanBuilder:
		return adding(parseBool, b.Append)
	case *array.Date32Builder:
		return adding(textvalues.Date, b.Append)
	case *array.TimestampBuilder:
		digits := 6
		if k == kindTimestampNano || k == kindTimestampNanoUTC {
			digits = 9
		}
		zone := k == kindTimestampUTC || k == kindTimestampNanoUTC
		return adding(func(v []byte) (arrow.Timestamp, bool) { return textvalues.Timestamp(v, digits, zone) }, b.Append)
	case *array.StringBuilder:
		return func(v []byte) bool {
			if !bitpack.UTF8(v) {
				return false
			}
			b.BinaryBuilder.Append(v)
			return true
		}
	}
	return func([]byte) bool { return false } // nothing is null but what is null already
}

func adding[T any](parse func([]byte) (T, bool), add func(T)) textvalues.Appender {
	return func(v []byte) bool {
		x, ok := parse(v)
		if ok {
			add(x)
		}
		return ok
	}
}

// parse appends the rows of one batch to the builders.
func (r *rows) parse() (n int64, err error) {
	want := len(r.f.kinds)
	for size := 0; n < recordsplit.BatchRows && size < recordsplit.BatchBytes; {
		if err := r.s.next(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return 0, err
		}
		if r.s.numFields() != want {
			if r.s.blank() {
				continue
			}
			return 0, miscounted(r.s, want)
		}
		for i := range r.cols {
			c := &r.cols[i]
			v, quoted := r.s.field(c.index)
			switch {
			case r.f.set.isNull(c.empty, v, quoted):
				c.builder.AppendNull()
			case !c.add(v):
				return 0, r.misfit(c, v)
			}
		}
		n++
		size += len(r.s.text)
	}
	return n, nil
}

// misfit explains a value that its column cannot take, and what to do about it.
func (r *rows) misfit(c *column, v []byte) error {
	f := r.f.Fields.Field(c.index)
	at := errs.At{Op: lineName(r.s.start), Column: f.Name}
	if c.text {
		return errs.Locate(errs.Errorf(errs.ErrCorrupt, "%.40q is not UTF-8", v), at)
	}
	switch c.told {
	case schema:
		return errs.Locate(errs.Errorf(errs.ErrSchema, "%w", textvalues.Misfit(f.Type, v)), at)
	case allFiles:
		return errs.Locate(errs.Errorf(errs.ErrSchema,
			"%.40q is not %s, as which the column is read in all files; %w reads the columns as text", v, f.Type, errs.Opt("csv-types", "utf8")), at)
	}
	return errs.Locate(errs.Errorf(errs.ErrSchema,
		"%.40q is not %s, as which the column was inferred from the first %d rows; read all of it for that with %w, or columns as text with %w", v, f.Type, r.f.sampled, errs.Opt("csv-sample", "all"), errs.Opt("csv-types", "utf8")), at)
}
