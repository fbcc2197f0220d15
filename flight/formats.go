package flight

import (
	"context"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers"
)

// lenient returns formats that pass over the options that are of others: the files of a dataset may be of several formats,
// and a client does not know of which.
func lenient(formats []arrowio.Format) []arrowio.Format {
	if formats == nil {
		formats = readers.All()
	}
	out := make([]arrowio.Format, len(formats))
	for i, f := range formats {
		out[i] = lenientFormat(f)
	}
	return out
}

func lenientFormat(f arrowio.Format) arrowio.Format {
	own := func(o arrowio.OpenOptions) arrowio.OpenOptions {
		mine := map[string]string{}
		for k, v := range o.Options {
			if slices.ContainsFunc(f.Options, func(x arrowio.Option) bool { return x.Name == k }) {
				mine[k] = v
			}
		}
		o.Options = mine
		return o
	}
	out := f
	if f.Open != nil {
		out.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			return f.Open(ctx, src, own(o))
		}
	}
	if f.OpenPath != nil {
		out.OpenPath = func(ctx context.Context, path string, o arrowio.OpenOptions) (arrowio.File, error) {
			return f.OpenPath(ctx, path, own(o))
		}
	}
	if f.OpenTree != nil {
		out.OpenTree = func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
			return f.OpenTree(ctx, t, own(o))
		}
	}
	return out
}
