package hdfsstore

import (
	"path"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// location is a URL of the scheme hdfs: hdfs://HOST[:PORT]/PATH, or hdfs:///PATH for the file system that the
// configuration names. The path is as it is, without escapes.
type location struct {
	authority string // "" = what the configuration says
	path      string // clean, absolute
}

func parse(url string) (location, error) {
	_, rest, ok := strings.Cut(url, "://")
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		i = len(rest)
	}
	if !ok || strings.ContainsAny(rest[:i], "@?#") {
		return location{}, errs.Errorf(errs.ErrOption, "%s is not hdfs://HOST:PORT/PATH or hdfs:///PATH", url)
	}
	for _, part := range strings.Split(rest[i:], "/") {
		if part == "." || part == ".." {
			return location{}, errs.Errorf(errs.ErrOption, "%s: a path in HDFS has no %q", url, part)
		}
	}
	return location{rest[:i], path.Clean("/" + rest[i:])}, nil
}

func (l location) String() string { return l.with(l.path) }

// with returns the URL of another path of the same file system.
func (l location) with(path string) string { return "hdfs://" + l.authority + path }

func (l location) join(name string) string { return path.Join(l.path, name) }
