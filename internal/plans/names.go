package plans

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// CheckNames refuses fields whose names are not UTF-8, nested ones too: readers refuse whole files because of one.
func CheckNames(fields []arrow.Field) error {
	const most = 10
	bad := appendBadNames(nil, fields, nil)
	if len(bad) == 0 {
		return nil
	}
	more := ""
	if n := len(bad) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return errs.Errorf(errs.ErrSchema, "names must be UTF-8, and these are not: %s%s; rename the fields", strings.Join(bad[:min(len(bad), most)], ", "), more)
}

// appendBadNames adds the names, in Go's notation, and where they are. above are the names of the fields around fields.
func appendBadNames(to []string, fields []arrow.Field, above []string) []string {
	for _, f := range fields {
		if !utf8.ValidString(f.Name) {
			text := fmt.Sprintf("%.40q", f.Name)
			if len(above) > 0 {
				text += " in " + schemadiff.Path(above...)
			}
			to = append(to, text)
		}
		to = appendBadNames(to, arrowtype.Children(arrowtype.Value(f.Type)), append(slices.Clone(above), fieldname.Fit(f.Name)))
	}
	return to
}
