package view

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/workers"
)

// MetaDefault is the key in a field's metadata for its default: the value, as JSON, of rows from files that do not have the
// field. Without the key they are null. See Show.
const MetaDefault = "arrowio.default"

// rules are how fields of files become those of another schema.
type rules struct {
	cast Cast
	fold bool // names match to the letter, not to the case
	// exactFirst prefers a name that matches to the case where fold is set.
	exactFirst bool
}

// find returns the last field of a name; -1 = there is none.
func (c rules) find(fields []arrow.Field, name string) int {
	folded := -1
	for i := len(fields) - 1; i >= 0; i-- {
		switch n := fields[i].Name; {
		case n == name:
			return i
		case !c.fold || folded >= 0 || !strings.EqualFold(n, name):
		case !c.exactFirst:
			return i
		default:
			folded = i
		}
	}
	return folded
}

func defaultOf(f arrow.Field) (text string, ok bool) { return f.Metadata.GetValue(MetaDefault) }

// checkDefault tells whether a default is a value of the field.
func checkDefault(f arrow.Field, text, path string) error {
	a, err := defaultArray(f, text, memory.DefaultAllocator)
	if err != nil {
		return atColumn(path, "the default %s is no %s: %w", text, f.Type, err)
	}
	defer a.Release()
	if a.NullN() > 0 && !f.Nullable {
		return atColumn(path, "the default is null, and the schema asked for says that it never is")
	}
	return nil
}

// defaultArray is the default of a field, once.
func defaultArray(f arrow.Field, text string, mem memory.Allocator) (a arrow.Array, err error) {
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errs.Errorf(errs.ErrSchema, "more than one value")
	}
	if v != nil {
		if v, err = defaultValue(f.Type, v); err != nil {
			return nil, err
		}
	}
	exact, err := json.Marshal([]any{v})
	if err != nil {
		return nil, err
	}
	t := typeOfBits(f.Type)
	err = workers.Foreign(errs.ErrUnsupported, "Arrow's reader of JSON", func() (err error) { // it panics on types that it does not know
		a, _, err = array.FromJSON(mem, t, strings.NewReader(string(exact)), array.WithUseNumber())
		return err
	})
	if err != nil || arrow.TypeEqual(t, f.Type) {
		return a, err
	}
	defer a.Release()
	data := dataOfType(a.Data(), f.Type)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// missingData returns n rows of a field that a file does not have, for the caller to release.
func missingData(f arrow.Field, n int, mem memory.Allocator) (arrow.ArrayData, error) {
	text, ok := defaultOf(f)
	if !ok {
		return nullData(f.Type, n, mem)
	}
	one, err := defaultArray(f, text, mem)
	if err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "the default: %w", err)
	}
	defer one.Release()
	runs := make([][2]int64, n)
	for i := range runs {
		runs[i] = [2]int64{0, 1}
	}
	app := arrowbuf.NewAppender(f.Type, mem)
	defer app.Release()
	if err := app.AppendRuns(one, runs); err != nil {
		return nil, errs.Errorf(errs.ErrLimit, "%w; ask for smaller batches", err)
	}
	out := app.Take()
	defer out.Release()
	out.Data().Retain()
	return out.Data(), nil
}
