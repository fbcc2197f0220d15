package icebergtable

import (
	"strings"

	"github.com/arrowio/arrowio/internal/iceberg"
)

// pathKey is the same for all ways to write the path of a file of a table: without the scheme and the host, which programs that
// reach a store in different ways write differently.
func pathKey(name string) string {
	name = iceberg.PlainPath(name)
	if _, rest, ok := strings.Cut(name, "://"); ok {
		_, rest, _ = strings.Cut(rest, "/") // a host alone has no path: "/"
		return "/" + rest
	}
	return name
}

// authority returns the scheme and the host of a path.
func authority(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		before, _, ok := strings.Cut(name, ":/")
		if ok {
			return before
		}
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}
