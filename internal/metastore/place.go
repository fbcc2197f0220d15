package metastore

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/options"
)

// Move says that paths that begin with From are below To.
type Move struct{ From, To string }

// ParseMoves reads the values FROM=TO of an option.
func ParseMoves(option, text string) (moves []Move, err error) {
	for _, text := range options.Values(text) {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return nil, errs.Errorf(errs.ErrOption, "%s is %q, which is not FROM=TO", option, text)
		}
		moves = append(moves, Move{from, to})
	}
	return moves, nil
}

// Place returns where a path of the metastore is.
func Place(said string, moves []Move) (string, error) {
	if said == "" || strings.ContainsRune(said, 0) {
		return "", errs.Errorf(errs.ErrCorrupt, "the metastore says that files are in %q, which is no path", said)
	}
	for _, m := range moves {
		for _, form := range []func(string) string{func(s string) string { return s }, plain} {
			rest, ok := strings.CutPrefix(form(said), strings.TrimRight(form(m.From), "/"))
			if !ok || rest != "" && rest[0] != '/' {
				continue
			}
			for _, name := range strings.Split(rest, "/") {
				if name == ".." {
					return "", errs.Errorf(errs.ErrUnsupported, "path %q in the metastore leads out of %s", said, m.To)
				}
			}
			return strings.TrimRight(m.To, "/") + rest, nil
		}
	}
	return plain(said), nil
}

// plain returns a path without the scheme of local files, and with one scheme for S3.
func plain(name string) string {
	switch {
	case strings.HasPrefix(name, "file:///"):
		return name[len("file://"):]
	case strings.HasPrefix(name, "file:/") && !strings.HasPrefix(name, "file://"):
		return name[len("file:"):]
	case strings.HasPrefix(name, "s3a://"), strings.HasPrefix(name, "s3n://"):
		return "s3" + name[len("s3a"):]
	}
	return name
}
