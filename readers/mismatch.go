package readers

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// explained is f, whose Open says so where a source that cannot be opened does not look like a file of f at all. given is
// whether somebody named the format; otherwise the extension of name told it.
func explained(f arrowio.Format, formats []arrowio.Format, given bool) arrowio.Format {
	if f.Match == nil || f.Open == nil {
		return f
	}
	open := f.Open
	f.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
		file, err := open(ctx, src, o)
		var e *errs.Error
		if err == nil || !errors.As(err, &e) || e.Kind != errs.ErrCorrupt && e.Kind != errs.ErrUnsupported {
			return file, err
		}
		head, tail, ends := readEnds(src)
		if ends != nil || matchesBytes(f, head, tail) {
			return nil, err
		}
		return nil, mismatch(e.Kind, err, f, looksLike(formats, head, tail), path.Ext(o.Name), given)
	}
	return f
}

// looksLike returns the names of the formats that the ends of a file are of.
func looksLike(formats []arrowio.Format, head, tail []byte) string {
	var found []string
	for _, f := range formats {
		if matchesBytes(f, head, tail) {
			found = append(found, f.Name)
		}
	}
	return strings.Join(found, " or ")
}

func mismatch(kind errs.Kind, err error, f arrowio.Format, like, extension string, given bool) error {
	switch {
	case given && like != "":
		return errs.Errorf(kind, "the content is not %s but %s; leave out --from %s (%w)", f.Name, like, f.Name, err)
	case given:
		return errs.Errorf(kind, "the content is not %s (%w)", f.Name, err)
	}
	return errs.Errorf(kind, "the extension is %s, but the content is not %s; name the format with --from (%w)", extension, f.Name, err)
}
