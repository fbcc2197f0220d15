package dataset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// noDeletes returns open, extended to refuse delete files among others: their rows say which rows of other files are deleted. One
// by itself is read, with a warning unless its format was named.
func noDeletes(open func(ctx context.Context, i int) (arrowio.File, error), inputs []Input, o Options) func(ctx context.Context, i int) (arrowio.File, error) {
	var once sync.Once
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err != nil {
			return nil, err
		}
		kind := iceberg.Deletes(f.Schema())
		switch text := "this file lists deleted rows of an Iceberg table, by " + kind + "; its own rows are not rows of the table"; {
		case kind == "":
		case len(inputs) > 1:
			return nil, errors.Join(errs.Errorf(errs.ErrUnsupported, "%s: leave it out%s, by naming the other files; or name the table itself", text, applied(f, o.Formats)), f.Close())
		case o.Format == "" && o.Warn != nil:
			w := arrowio.Warnf(arrowio.WarnDoubt, text)
			w.File = inputs[i].name()
			once.Do(func() { o.Warn(w) })
		}
		return f, nil
	}
}

// applied says how the format of a delete file leaves out the rows that it lists; "" = it does not.
func applied(f arrowio.File, known []arrowio.Format) string {
	d, ok := arrowio.As[*File](f)
	if !ok {
		return ""
	}
	for _, x := range known {
		i := slices.IndexFunc(x.Options, func(o arrowio.Option) bool { return strings.HasSuffix(o.Name, "-deletes") })
		if x.Name == d.Format() && i >= 0 {
			return ", and name it with --" + x.Options[i].Name + " to leave out the rows that it lists"
		}
	}
	return ""
}
