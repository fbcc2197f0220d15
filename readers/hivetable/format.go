package hivetable

import (
	"context"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/options"
)

// Name is the name of the format.
const Name = "hive"

// Options of the format.
const (
	optionTLS      = "hive-tls"
	optionRelocate = "hive-relocate"
	optionUnit     = "timestamp-unit"
)

var formatOptions = []arrowio.Option{
	{Name: optionTLS, Usage: "connect to the metastore with TLS: true, or the path of a PEM file with the certificates to check the server against", Default: "false"},
	{Name: optionRelocate, Usage: "FROM=TO: directories whose paths in the metastore begin with FROM are read from TO", Default: "none", Repeated: true},
	{Name: optionUnit, Usage: "unit of timestamps; finer digits are cut off", Default: "that of the file", Values: []string{"ns", "us", "ms", "s"}, Remote: true},
}

// Format returns the format "hive". files are the formats of data files, by their names: orc, which also opens directories of ACID
// tables, and parquet. cast is how values of older files become the types of the table: see view.Options.
func Format(cast view.Cast, files ...arrowio.Format) arrowio.Format {
	r := &reader{cast: cast, files: map[string]arrowio.Format{}}
	for _, f := range files {
		r.files[f.Name] = f
	}
	return arrowio.Format{
		Name:    Name,
		Options: formatOptions,
		Open: func(context.Context, arrowio.Source, arrowio.OpenOptions) (arrowio.File, error) {
			return nil, errs.Errorf(errs.ErrOption, "hive is the format of tables that a metastore knows: name one as hive://HOST:PORT/DATABASE.TABLE")
		},
		Schemes: []string{Name}, OpenNamed: r.openNamed, ParseFragment: r.parse,
	}
}

// reader opens tables.
type reader struct {
	files map[string]arrowio.Format
	cast  view.Cast
}

// settings are what the caller has given.
type settings struct {
	*reader
	limits    arrowio.Limits
	metastore metastore.Options
	moves     []move
	unit      string
	purpose   arrowio.Purpose
	open      func(ctx context.Context, name string) (arrowio.OpenSource, error)
	tree      func(name string) (arrowio.Tree, error)
}

func (r *reader) settings(oo arrowio.OpenOptions) (*settings, error) {
	if _, err := options.Check(formatOptions, oo.Options); err != nil {
		return nil, err
	}
	s := &settings{reader: r, limits: oo.Limits.WithDefaults(), purpose: oo.For, open: oo.OpenSource, tree: oo.OpenTree, unit: oo.Options[optionUnit]}
	s.metastore.Bytes = s.limits.MetadataBytes
	switch v := oo.Options[optionTLS]; v {
	case "", "false":
	case "true":
		s.metastore.TLS = true
	default:
		s.metastore.TLS, s.metastore.Certificates = true, v
	}
	for _, text := range options.Values(oo.Options[optionRelocate]) {
		from, to, ok := strings.Cut(text, "=")
		if !ok || from == "" || to == "" {
			return nil, errs.Errorf(errs.ErrOption, "%s is %q, which is not FROM=TO", optionRelocate, text)
		}
		s.moves = append(s.moves, move{from, to})
	}
	if s.open == nil {
		s.open = func(_ context.Context, name string) (arrowio.OpenSource, error) {
			src, err := local.OpenFile(name)
			if err != nil {
				return nil, err // not a nil *FileSource
			}
			return src, nil
		}
	}
	if s.tree == nil {
		s.tree = func(name string) (arrowio.Tree, error) { return local.DirTree(name), nil }
	}
	return s, nil
}

// timeUnit returns the unit of timestamps.
func (s *settings) timeUnit() arrow.TimeUnit {
	switch s.unit {
	case "us":
		return arrow.Microsecond
	case "ms":
		return arrow.Millisecond
	case "s":
		return arrow.Second
	}
	return arrow.Nanosecond
}

// move says that paths that begin with From are now below To.
type move struct{ From, To string }

// place returns where a path of the metastore is.
func (s *settings) place(said string) (string, error) {
	if said == "" || strings.ContainsRune(said, 0) {
		return "", errs.Errorf(errs.ErrCorrupt, "the metastore says that files are in %q, which is no path", said)
	}
	for _, m := range s.moves {
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

// address is what a URL names.
type address struct{ server, database, table string }

// defaultPort is that of metastores.
const defaultPort = "9083"

// parseURL parses hive://HOST:PORT/DATABASE.TABLE.
func parseURL(url string) (a address, err error) {
	_, rest, _ := strings.Cut(url, "://")
	var name string
	a.server, name, _ = strings.Cut(rest, "/")
	a.database, a.table, _ = strings.Cut(name, ".")
	if a.server == "" || strings.ContainsAny(a.server, "@ ,") || a.database == "" || a.table == "" || strings.ContainsAny(name, "/?#@") || strings.Contains(a.table, ".") {
		return a, errs.Errorf(errs.ErrOption, "%q is not hive://HOST:PORT/DATABASE.TABLE", url)
	}
	if i := strings.LastIndexByte(a.server, ':'); i < 0 || strings.HasSuffix(a.server, "]") {
		a.server += ":" + defaultPort
	} else if port, err := strconv.ParseUint(a.server[i+1:], 10, 16); err != nil || port == 0 {
		return a, errs.Errorf(errs.ErrOption, "%q is not hive://HOST:PORT/DATABASE.TABLE: the port is not a number from 1 to 65535", url)
	}
	a.database, a.table = strings.ToLower(a.database), strings.ToLower(a.table)
	return a, nil
}
