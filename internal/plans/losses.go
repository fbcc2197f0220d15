package plans

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Planned returns the entries of a plan for the metadata of a schema: those that back has are stored where the text says,
// the others are lost.
func Planned(md, back arrow.Metadata, stored, loss string) []arrowio.PlannedKey {
	lost := schemadiff.Keys(md, back)
	var out []arrowio.PlannedKey
	for _, k := range md.Keys() {
		if k == "" {
			k = `""`
		}
		if slices.Contains(lost, k) {
			out = append(out, arrowio.PlannedKey{Key: k, Loss: loss})
		} else {
			out = append(out, arrowio.PlannedKey{Key: k, Stored: stored})
		}
	}
	return out
}

// FieldsLost says which metadata of a field, and of those below it, is lost where none of it is stored; "" = there is
// none.
func FieldsLost(f arrow.Field) string {
	keys := appendKeys(nil, f)
	if len(keys) == 0 {
		return ""
	}
	return schemadiff.WithoutMetadata(keys)
}

func appendKeys(to []string, f arrow.Field) []string {
	for _, k := range f.Metadata.Keys() {
		if !slices.Contains(to, k) {
			to = append(to, k)
		}
	}
	t := f.Type
	for {
		switch x := t.(type) {
		case arrow.ExtensionType:
			t = x.StorageType()
			continue
		case *arrow.DictionaryType:
			t = x.ValueType
			continue
		case *arrow.MapType:
			return appendKeys(appendKeys(to, x.KeyField()), x.ItemField())
		case arrow.NestedType:
			for _, k := range x.Fields() {
				to = appendKeys(to, k)
			}
		}
		return to
	}
}

// Join puts the losses of a column together.
func Join(losses ...string) string {
	return strings.Join(slices.DeleteFunc(losses, func(s string) bool { return s == "" }), "; ")
}

// AddDifferences completes the losses of columns with what a comparison of schemas has found. Where a column says already
// how its type comes back, and with it all below, that is not said again. Fields without an entry get one.
func AddDifferences(columns []arrowio.PlannedColumn, found []schemadiff.Difference) []arrowio.PlannedColumn {
	told := map[string]bool{}
	at := map[string]int{}
	for i, c := range columns {
		if at[c.Path] = i; c.Loss != "" {
			told[c.Path] = true
		}
	}
	var more []arrowio.PlannedColumn
	extra := map[string]int{}
	for _, d := range found {
		if (d.Aspect == schemadiff.Type || d.Aspect == schemadiff.Name) && toldAbove(told, d.Path) {
			continue
		}
		if i, ok := at[d.Path]; ok {
			columns[i].Loss = Join(columns[i].Loss, d.Text)
			continue
		}
		i, ok := extra[d.Path]
		if !ok {
			i = len(more)
			extra[d.Path] = i
			more = append(more, arrowio.PlannedColumn{Path: d.Path, Type: d.Type.Name()})
		}
		more[i].Loss = Join(more[i].Loss, d.Text)
	}
	for _, c := range more { // in front of what is below it
		i := slices.IndexFunc(columns, func(o arrowio.PlannedColumn) bool { return strings.HasPrefix(o.Path, c.Path+".") })
		if i < 0 {
			i = len(columns)
		}
		columns = slices.Insert(columns, i, c)
	}
	return columns
}

// toldAbove reports whether something was told of a path or of one that it is below.
func toldAbove(told map[string]bool, path string) bool {
	for {
		if told[path] {
			return true
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}
