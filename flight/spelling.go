package flight

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// members are the members of commands that stand for flags of the command line.
var members = map[string]string{
	"columns": "columns", "exclude": "columns", "where": "where", "rows": "rows", "batch-rows": "batch_rows", "dictionary": "dictionary",
	"compression": "compression", "sort": "sort", "row-group-bytes": "row_group_bytes", "max-file-bytes": "max_file_bytes", "to": "format",
}

// clientsMay are the names of all format options that clients may set.
var clientsMay = sync.OnceValue(func() []string { return slices.Concat(ClientOptions(), PutOptions()) })

// spelled writes an option as a client sets it: as a member of its command, or of the member options. Others are flags that only who
// starts the server can set.
func spelled(o errs.Option) string {
	switch name, ok := members[o.Name]; {
	case ok:
		return strconv.Quote(name)
	case !slices.Contains(clientsMay(), o.Name):
		return o.Error() + " of the server"
	case o.Value == "":
		return `"` + o.Name + `" in "options"`
	}
	return `"options": {` + strconv.Quote(o.Name) + ": " + strconv.Quote(strings.ToValidUTF8(o.Value, "\uFFFD")) + "}"
}
