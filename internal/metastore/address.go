package metastore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Name is the name of a table. None of its parts has a dot, since the metastore takes letters, digits and _ alone.
type Name struct {
	Catalog         string // "" = the metastore's default, which is hive unless somebody has changed it
	Database, Table string
}

func (n Name) String() string {
	if n.Catalog == "" {
		return n.Database + "." + n.Table
	}
	return n.Catalog + "." + n.Database + "." + n.Table
}

// database returns what those calls take for the database that have no field for the catalog.
func (n Name) database() string {
	if n.Catalog == "" {
		return n.Database
	}
	return "@" + n.Catalog + "#" + n.Database
}

// IsDefault reports whether the table is in the catalog in which alone tables have transactions.
func (n Name) IsDefault() bool { return n.Catalog == "" || n.Catalog == "hive" }

// Address is what the URL of a table names.
type Address struct {
	Server string // HOST:PORT
	Name
}

// defaultPort is that of metastores.
const defaultPort = "9083"

// ParseURL parses hive://HOST:PORT/DATABASE.TABLE and hive://HOST:PORT/CATALOG.DATABASE.TABLE.
func ParseURL(url string) (a Address, err error) {
	_, rest, _ := strings.Cut(url, "://")
	server, name, _ := strings.Cut(rest, "/")
	parts := strings.Split(strings.ToLower(name), ".")
	if len(parts) == 2 {
		parts = slices.Insert(parts, 0, "")
	} else if len(parts) == 3 && parts[0] == "" {
		parts = nil
	}
	if server == "" || strings.ContainsAny(server, "@ ,") || len(parts) != 3 || parts[1] == "" || parts[2] == "" || strings.ContainsAny(name, "/?#@") {
		return a, errs.Errorf(errs.ErrOption, "%q is neither hive://HOST:PORT/DATABASE.TABLE nor hive://HOST:PORT/CATALOG.DATABASE.TABLE", url)
	}
	if i := strings.LastIndexByte(server, ':'); i < 0 || strings.HasSuffix(server, "]") {
		server += ":" + defaultPort
	} else if port, err := strconv.ParseUint(server[i+1:], 10, 16); err != nil || port == 0 {
		return a, errs.Errorf(errs.ErrOption, "%q is not hive://HOST:PORT/DATABASE.TABLE: the port is not a number from 1 to 65535", url)
	}
	return Address{server, Name{parts[0], parts[1], parts[2]}}, nil
}
