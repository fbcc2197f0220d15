package stores

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Scheme returns the scheme of a URL in lower case; "" = path is not a URL, but a local path.
func Scheme(path string) string {
	scheme, _, ok := strings.Cut(path, "://")
	if !ok || scheme == "" {
		return ""
	}
	for i, c := range []byte(scheme) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return ""
		}
	}
	return strings.ToLower(scheme)
}

// Far reports whether a path is the URL of a store that is not this machine.
func Far(path string) bool {
	_, local := Local(path)
	return !local
}

// Local returns the path of a local file as the operating system expects it; ok is false if path is the URL of another store.
func Local(path string) (local string, ok bool) {
	switch Scheme(path) {
	case "":
		return path, true
	case "file":
		local, err := filePath(path)
		return local, err == nil
	}
	return "", false
}

// filePath returns the path of a file URL.
func filePath(path string) (string, error) {
	u, err := url.Parse(path)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errs.Errorf(errs.ErrOption, "%s is not file:///PATH", path)
	}
	return filepath.FromSlash(u.Path), nil
}
