package metastore

import (
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Address is what the URL of a table names.
type Address struct{ Server, Database, Table string }

// defaultPort is that of metastores.
const defaultPort = "9083"

// ParseURL parses hive://HOST:PORT/DATABASE.TABLE.
func ParseURL(url string) (a Address, err error) {
	_, rest, _ := strings.Cut(url, "://")
	var name string
	a.Server, name, _ = strings.Cut(rest, "/")
	a.Database, a.Table, _ = strings.Cut(name, ".")
	if a.Server == "" || strings.ContainsAny(a.Server, "@ ,") || a.Database == "" || a.Table == "" || strings.ContainsAny(name, "/?#@") || strings.Contains(a.Table, ".") {
		return a, errs.Errorf(errs.ErrOption, "%q is not hive://HOST:PORT/DATABASE.TABLE", url)
	}
	if i := strings.LastIndexByte(a.Server, ':'); i < 0 || strings.HasSuffix(a.Server, "]") {
		a.Server += ":" + defaultPort
	} else if port, err := strconv.ParseUint(a.Server[i+1:], 10, 16); err != nil || port == 0 {
		return a, errs.Errorf(errs.ErrOption, "%q is not hive://HOST:PORT/DATABASE.TABLE: the port is not a number from 1 to 65535", url)
	}
	a.Database, a.Table = strings.ToLower(a.Database), strings.ToLower(a.Table)
	return a, nil
}
