package salvage

import (
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/readall"

	"github.com/apache/arrow/go/v15/arrow"
)

// siftRows is how many rows are decoded at once.
const siftRows = 1 << 13

// Unit is a part of a file that is intact or damaged as a whole, such as a row group.
type Unit struct {
	Rows  arrowio.RowRange
	Place string
	Bytes func(column int) arrowio.ByteRange // where a column of it is stored
}

// Sift reads what damage leaves over of a column of f, and returns the damage of that column with what cannot be read. units are all of
// the file's rows, in order. An error that says nothing about the bytes of the file, such as one of the source, ends it; what Arrow
// cannot hold is left to those who read it.
func Sift(ctx context.Context, f arrowio.File, column int, units []Unit, damage []Damage, limits errs.Limits) ([]Damage, error) {
	p := arrowio.Projection{Schema: arrow.NewSchema([]arrow.Field{f.Schema().Field(column)}, nil), Fields: []arrowio.ProjectedField{{Index: column}}}
	left, err := New(f, Rows, damage, limits)
	if err != nil {
		return nil, err
	}
	for i, s := range left.splits {
		err := readall.Split(ctx, left, s, p, siftRows)
		if !unreadable(err) {
			if err != nil && !unfit(err) {
				return nil, err
			}
			continue
		}
		found, err := left.siftUnits(ctx, i, column, p, units)
		if err != nil {
			return nil, err
		}
		damage = append(damage, found...)
	}
	return damage, nil
}

// siftUnits reads a split unit by unit.
func (f *File) siftUnits(ctx context.Context, split, column int, p arrowio.Projection, units []Unit) (found []Damage, err error) {
	at := f.parts[split]
	for _, u := range units {
		rows := u.Rows.Intersect(at.rows)
		if rows.Len() == 0 {
			continue
		}
		one := &File{File: f.File, schema: f.schema, below: f.below, parts: []part{{at.split, rows, nil}}}
		err := readall.Split(ctx, one, arrowio.Split{Rows: arrowio.RowRange{End: rows.Len()}}, p, siftRows)
		switch {
		case unreadable(err):
			found = append(found, Damage{Rows: rows, Column: column, Place: u.Place, Bytes: u.Bytes(column), Reason: err})
		case err != nil && !unfit(err):
			return nil, err
		}
	}
	return found, nil
}

// unreadable reports whether err is about bytes of the file. A value that does not fit its type is damage, too, unless another unit of
// timestamps, or another option, can hold it.
func unreadable(err error) bool {
	return errors.Is(err, errs.ErrCorrupt) || errors.Is(err, errs.ErrLimit) || errors.Is(err, errs.ErrUnsupported) || errors.Is(err, errs.ErrSchema) && !unfit(err)
}

// Sound is the option that an error names where a value is sound, and Arrow has no place for it without the option. Such an error is not
// about damage.
type Sound struct{ errs.Option }

// Unwrap returns the option: see errs.OptionsOf.
func (s Sound) Unwrap() error { return s.Option }

// unfit reports whether err says that a value may be sound and cannot be shown.
func unfit(err error) bool {
	return errors.Is(err, errs.ErrBeyondNanoseconds) || errors.As(err, new(Sound))
}
