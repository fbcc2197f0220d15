package iceberg

import (
	"path"
	"strings"
)

// PlainPath returns a path without the scheme of local files, with one scheme for S3, and without the elements "." and "..".
func PlainPath(name string) string {
	switch {
	case strings.HasPrefix(name, "file:///"):
		name = name[len("file://"):]
	case strings.HasPrefix(name, "file:/"):
		name = name[len("file:"):]
	case strings.HasPrefix(name, "s3a://"), strings.HasPrefix(name, "s3n://"):
		name = "s3" + name[len("s3a"):]
	}
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		return path.Clean(name)
	}
	host, rest, _ := strings.Cut(rest, "/")
	return scheme + "://" + host + path.Clean("/"+rest)
}
