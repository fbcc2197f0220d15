package plans

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// AddRefused says in the entries of columns which values are refused. refused is asked about every field that has values of its
// own: of a dictionary as a field of its values, of nested types about what they are made of. "" = none is.
func AddRefused(columns []arrowio.PlannedColumn, fields []arrow.Field, refused func(arrow.Field) string) {
	for _, f := range fields {
		path := schemadiff.Path(f.Name)
		all := appendRefused(nil, f, refused)
		if len(all) == 0 {
			continue
		}
		i := slices.IndexFunc(columns, func(c arrowio.PlannedColumn) bool { return c.Path == path })
		if i < 0 {
			i = slices.IndexFunc(columns, func(c arrowio.PlannedColumn) bool { return strings.HasPrefix(c.Path, path+".") })
		}
		if i >= 0 {
			columns[i].Refused = Join(append([]string{columns[i].Refused}, all...)...)
		}
	}
}

// NoDate32 is said of a date64 that becomes days of 32 bits.
const NoDate32 = "values that are not midnight, or beyond date32"

// OutsideOfDay is said of types that hold times of day where values outside of a day are refused.
const OutsideOfDay = "times outside of a day"

// TimesOutsideOfDay says of fields of times of day that values outside of a day are refused.
func TimesOutsideOfDay(f arrow.Field) string {
	switch f.Type.(type) {
	case *arrow.Time32Type, *arrow.Time64Type:
		return OutsideOfDay
	}
	return ""
}

func appendRefused(to []string, f arrow.Field, refused func(arrow.Field) string) []string {
	for {
		switch t := f.Type.(type) {
		case arrow.ExtensionType:
			f.Type = t.StorageType()
			continue
		case *arrow.DictionaryType:
			f.Type = t.ValueType
			continue
		case *arrow.RunEndEncodedType:
			f.Type = t.Encoded()
			continue
		case *arrow.MapType:
			return appendRefused(appendRefused(to, t.KeyField(), refused), t.ItemField(), refused)
		case arrow.NestedType:
			for _, k := range t.Fields() {
				to = appendRefused(to, k, refused)
			}
			return to
		}
		if why := refused(f); why != "" && !slices.Contains(to, why) {
			to = append(to, why)
		}
		return to
	}
}
