package readers

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orccast"
	"github.com/arrowio/arrowio/internal/readas"
)

// Casts are the words for Options.Cast.
var Casts = []string{"none", "java"}

// ParseSchema reads the schema that files are to be shown under, for Options.Schema: the JSON of `arrowio schema --json`,
// in which a field may have a "default" for files without it, or ORC's own notation as in "struct<a:int,b:array<string>>".
// options are those that files are opened with, which say how some of ORC's types are shown.
func ParseSchema(text string, options map[string]string) (*arrow.Schema, error) {
	o := readas.Options{
		Unit:            arrow.Nanosecond,
		StringsAsBinary: options["orc-strings"] == "binary",
		NullKeysAsList:  options["orc-null-keys"] == "list",
	}
	switch options["timestamp-unit"] {
	case "us":
		o.Unit = arrow.Microsecond
	case "ms":
		o.Unit = arrow.Millisecond
	case "s":
		o.Unit = arrow.Second
	}
	return readas.Schema(text, o)
}

// Show shows a file under o.Schema; without one it is returned as it is. The result closes f, and so does an error.
func Show(f arrowio.File, o Options) (arrowio.File, error) {
	if o.Schema == nil {
		return f, nil
	}
	as, err := o.adapt(arrowio.CalendarOf(f))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	shown, err := arrowio.AdaptWith(f, o.Schema, as)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return shown, nil
}

// Explain tells what Show makes of each field of a file of a schema, and whether it takes the file: see
// arrowio.ExplainAdapt. Without o.Schema there is nothing to tell.
func Explain(file *arrow.Schema, o Options) (fields []arrowio.ShownField, ok bool, err error) {
	if o.Schema == nil {
		return nil, true, nil
	}
	as, err := o.adapt(arrowio.ProlepticCalendar) // what is cast does not depend on it
	if err != nil {
		return nil, false, err
	}
	return arrowio.ExplainAdapt(file, o.Schema, as)
}

// adapt says how files of a calendar are shown under o.Schema.
func (o Options) adapt(c arrowio.Calendar) (arrowio.AdaptOptions, error) {
	a := arrowio.AdaptOptions{Match: o.Match}
	switch o.Cast {
	case "", "none":
		a.Cast = orccast.Exact
	case "java":
		a.Cast = orccast.JavaOf(c)
	default:
		return a, errs.Errorf(errs.ErrOption, "values are cast as one of %q, not %q", Casts, o.Cast)
	}
	return a, nil
}

// showing is open with what Show makes of its files.
func showing(open func(ctx context.Context, i int) (arrowio.File, error), o Options) func(ctx context.Context, i int) (arrowio.File, error) {
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err != nil {
			return nil, err
		}
		return Show(f, o)
	}
}
