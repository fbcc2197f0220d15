package dataset

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/inferred"
)

// Show returns f shown under o.Schema, or f itself if o.Schema is nil. Closing the result closes f. If Show fails, it closes f.
func Show(f arrowio.File, o Options) (arrowio.File, error) {
	if o.Schema == nil {
		return f, nil
	}
	shown, err := view.Show(o.readAs(f), o.Schema, o.adapt(arrowio.CalendarOf(f)))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return shown, nil
}

// ShowInput is Show for an input whose directories KEY=VALUE have some of the columns of o.Schema: the file is shown without them, and
// it is an error if what the directories say does not fit o.Schema.
func ShowInput(f arrowio.File, in Input, o Options) (arrowio.File, error) {
	if o.Schema != nil && len(in.keys) > 0 {
		p, err := newPartitions([]Input{in}, o.Partitions, o.Schema)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if p != nil {
			o.Schema = p.ofFiles(o.Schema)
		}
	}
	return Show(f, o)
}

// Explain returns how Show would show each field of a file, and whether Show accepts the file: see view.ExplainFile. If o.Schema
// is nil, fields is empty.
func Explain(f arrowio.File, o Options) (fields []view.Field, ok bool, err error) {
	if o.Schema == nil {
		return nil, true, nil
	}
	return view.ExplainFile(o.readAs(f), o.Schema, o.adapt(arrowio.CalendarOf(f)))
}

// readAs returns f with columns of the types of o.Schema, where f is text. Where o.Cast makes numbers of text, only types that
// hold the values seen are read so: the rest is cast.
func (o Options) readAs(f arrowio.File) arrowio.File {
	own := f.Schema()
	types := make([]arrow.DataType, own.NumFields())
	if o.Match == view.ByNameFold || o.Match == view.ByNameOrFold {
		for k, i := range view.MatchFields(own.Fields(), o.Schema.Fields(), o.Match) {
			if i >= 0 {
				types[i] = o.Schema.Field(k).Type
			}
		}
	} else {
		at, err := view.Place(o.Schema, own, o.Match)
		if err != nil {
			return f // view.Show says what is wrong
		}
		for i, k := range at {
			if k >= 0 {
				types[i] = o.Schema.Field(k).Type
			}
		}
	}
	if o.castsText(f) {
		return inferred.ReadAs(f, types)
	}
	return inferred.ReadUnder(f, types)
}

// cutsTimes reports whether o.Cast makes coarser timestamps of finer ones.
func (o Options) cutsTimes() bool {
	if o.Cast == nil {
		return false
	}
	cast := o.Cast(arrowio.ProlepticCalendar)
	from, to := arrow.Field{Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true}, arrow.Field{Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true}
	return cast != nil && cast(from, to) != nil
}

// castsText reports whether o.Cast makes numbers of text.
func (o Options) castsText(f arrowio.File) bool {
	if o.Cast == nil {
		return false
	}
	cast := o.Cast(arrowio.CalendarOf(f))
	from, to := arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	return cast != nil && cast(from, to) != nil
}

// adapt says how files of a calendar are shown under o.Schema.
func (o Options) adapt(c arrowio.Calendar) view.Options {
	a := view.Options{Match: o.Match}
	if o.Cast != nil {
		a.Cast = o.Cast(c)
	}
	return a
}

// showing returns open, extended to show each file under o.Schema. left is called with each file before.
func showing(open func(ctx context.Context, i int) (arrowio.File, error), o Options, left func(i int, f arrowio.File)) func(ctx context.Context, i int) (arrowio.File, error) {
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err != nil {
			return nil, err
		}
		left(i, f)
		return Show(f, o)
	}
}
