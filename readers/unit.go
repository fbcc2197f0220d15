package readers

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

const optionUnit = "timestamp-unit"

var units = map[string]arrow.TimeUnit{"ns": arrow.Nanosecond, "us": arrow.Microsecond, "ms": arrow.Millisecond, "s": arrow.Second}

// inUnit gives a format the option timestamp-unit, which ORC has itself: timestamps are shown in that unit, and digits that are
// finer are cut off towards the past. far is the option of the format by which it reads times that nanoseconds cannot hold in
// microseconds; "" = it has none.
func inUnit(f arrowio.Format, far string) arrowio.Format {
	f.Options = append(slices.Clone(f.Options), arrowio.Option{
		Name: optionUnit, Usage: "unit of timestamps; finer digits are cut off", Default: "that of the file", Values: []string{"ns", "us", "ms", "s"}, Remote: true,
	})
	inner := func(o arrowio.OpenOptions) (arrowio.OpenOptions, string, error) {
		unit, ok := o.Options[optionUnit]
		if !ok {
			return o, "", nil
		}
		if _, known := units[unit]; !known && unit != "" {
			return o, "", errs.Locate(errs.Errorf(errs.ErrOption, "%s is %q; it takes ns, us, ms, s", optionUnit, unit), errs.At{Format: f.Name})
		}
		o.Options = maps.Clone(o.Options)
		delete(o.Options, optionUnit)
		if far != "" && o.Options[far] == "" && unit != "" && unit != "ns" {
			o.Options[far] = "us"
		}
		return o, unit, nil
	}
	if open := f.Open; open != nil {
		f.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			o, unit, err := inner(o)
			if err != nil {
				return nil, err
			}
			return shownIn(unit)(open(ctx, src, o))
		}
	}
	if open := f.OpenTree; open != nil {
		f.OpenTree = func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
			o, unit, err := inner(o)
			if err != nil {
				return nil, err
			}
			return shownIn(unit)(open(ctx, t, o))
		}
	}
	if open := f.OpenPath; open != nil {
		f.OpenPath = func(ctx context.Context, path string, o arrowio.OpenOptions) (arrowio.File, error) {
			o, unit, err := inner(o)
			if err != nil {
				return nil, err
			}
			return shownIn(unit)(open(ctx, path, o))
		}
	}
	return f
}

// shownIn shows a file with its timestamps in a unit; "" = as they are. After an error the file is closed.
func shownIn(unit string) func(arrowio.File, error) (arrowio.File, error) {
	return func(f arrowio.File, err error) (arrowio.File, error) {
		if err != nil || unit == "" {
			return f, err
		}
		shown, err := view.InUnit(f, units[unit])
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return shown, nil
	}
}
