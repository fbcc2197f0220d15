package parquet

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/plans"
)

// planMetadata says what becomes of a schema's metadata: all of it goes to the footer's key-value pairs, which are text, but for the key
// under which a file has its own Arrow schema.
func planMetadata(md arrow.Metadata) ([]arrowio.PlannedKey, error) {
	var bad []string
	for i, k := range md.Keys() {
		if !utf8.ValidString(k) || !utf8.ValidString(md.Values()[i]) {
			bad = append(bad, fmt.Sprintf("%q", k))
		}
	}
	if len(bad) > 0 {
		return nil, errs.Errorf(errs.ErrSchema, "the value of %s is not UTF-8, as metadata of Parquet files must be: leave it out with %w, or write a format that keeps it (orc, trevni, cfile, ipc)", strings.Join(bad, ", "), errs.Opt("drop-metadata", ""))
	}
	back := md.ToMap()
	delete(back, schemaKey)
	return plans.Planned(md, arrow.MetadataFrom(back), "key-value metadata", "the file's own Arrow schema has this key"), nil
}
