package icebergtable

import (
	"context"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergmeta"
	"github.com/arrowio/arrowio/internal/options"
)

// Name is the name of the format.
const Name = "iceberg"

// Options of the format.
const (
	optionSnapshot = "iceberg-snapshot"
	optionTime     = "iceberg-as-of"
	optionRef      = "iceberg-ref"
	optionRelocate = "iceberg-relocate"
	optionOutside  = "iceberg-outside"
	optionDeletes  = "iceberg-delete-rows"
	optionCatalog  = "iceberg-catalog"
	optionLineage  = "iceberg-row-lineage"
)

// defaultDeletes is the default of iceberg-delete-rows.
const defaultDeletes = 32 << 20

var formatOptions = []arrowio.Option{
	{Name: optionSnapshot, Usage: "read the snapshot with this id", Default: "the current one"},
	{Name: optionTime, Usage: "read the snapshot that was current at a time: 2006-01-02T15:04:05Z, a date, or milliseconds since 1970", Default: "now"},
	{Name: optionRef, Usage: "read the snapshot of a branch or a tag", Default: "main"},
	{Name: optionRelocate, Usage: "FROM=TO: files whose paths in the metadata begin with FROM are read from TO", Default: "none", Repeated: true},
	{Name: optionOutside, Usage: "files outside of the table's directory are an error, or are read", Default: "error", Values: []string{"error", "read"}},
	{Name: optionCatalog, Usage: "PROPERTY=VALUE of the catalog that iceberg://CATALOG/NAMESPACE.TABLE names, in place of what is configured: type, uri, warehouse, token, ...", Default: "what is configured", Repeated: true},
	{Name: optionLineage, Usage: "add the columns _row_id and _last_updated_sequence_number of tables of format version 3", Default: "false", Values: []string{"true", "false"}},
	{Name: optionDeletes, Usage: "rows of delete files that are held at once, of 8 to 24 bytes each", Default: strconv.Itoa(defaultDeletes)},
}

// Format returns the format "iceberg". files are the formats of data files and delete files, by their names: see
// icebergfile.Renamer for what they need.
func Format(files ...arrowio.Format) arrowio.Format {
	r := reader{files: map[string]arrowio.Format{}}
	for _, f := range files {
		r.files[f.Name] = f
	}
	return arrowio.Format{
		Name:    Name,
		Options: formatOptions,
		Open: func(context.Context, arrowio.Source, arrowio.OpenOptions) (arrowio.File, error) {
			return nil, errs.Errorf(errs.ErrOption, "iceberg is the format of a table: name its directory, or its file *.metadata.json")
		},
		Schemes: []string{Name}, OpenNamed: openNamed,
		MatchTable: match, MatchTableFile: matchFile, OpenTable: r.openTable, ParseFragment: r.parse,
	}
}

// reader opens tables.
type reader struct{ files map[string]arrowio.Format }

// match reports whether a directory has metadata of a table.
func match(ctx context.Context, t arrowio.Tree) (bool, error) {
	top, err := t.List(ctx, "")
	if err != nil {
		return false, ctx.Err() // whatever it is, opening it tells
	}
	for _, e := range top {
		if !e.Dir || e.Name != icebergmeta.Dir {
			continue
		}
		entries, err := t.List(ctx, icebergmeta.Dir)
		if err != nil {
			return false, ctx.Err()
		}
		for _, e := range entries {
			if !e.Dir && isMetadata(e.Name) {
				return true, nil
			}
		}
	}
	return false, nil
}

// isMetadata reports whether a file of this name holds the metadata of a table.
func isMetadata(name string) bool {
	return strings.HasSuffix(name, ".metadata.json") || strings.HasSuffix(name, ".metadata.json.gz")
}

// matchFile returns the directory of the table whose metadata a file holds.
func matchFile(name string) (dir string, ok bool) {
	if !isMetadata(path.Base(name)) {
		return "", false
	}
	if !isURL(name) { // its directory may not be in the name
		name = absolute(name)
	}
	parent := path.Dir(name)
	if i := strings.Index(name, "://"); i >= 0 { // Dir would join the slashes
		parent = name[:max(i+3, strings.LastIndexByte(name, '/'))]
	}
	if path.Base(parent) != icebergmeta.Dir {
		return parent, true
	}
	return parent[:max(strings.LastIndexByte(parent, '/'), 1)], true
}

// tableOptions are the options of this package.
type tableOptions struct {
	at      iceberg.At
	moves   []move
	outside bool
	deletes int
	lineage bool
}

func parseOptions(given map[string]string) (o tableOptions, err error) {
	if _, err := options.Check(formatOptions, given); err != nil {
		return o, err
	}
	set := given // without the defaults, which are words for people
	o.at = iceberg.At{Snapshot: set[optionSnapshot], Time: set[optionTime], Ref: set[optionRef]}
	o.lineage = set[optionLineage] == "true"
	o.outside = set[optionOutside] == "read"
	for _, text := range options.Values(set[optionRelocate]) {
		from, to, ok := cutMove(text)
		if !ok || from == "" || to == "" {
			return o, errs.Errorf(errs.ErrOption, "%s is %q, which is not FROM=TO", optionRelocate, text)
		}
		o.moves = append(o.moves, move{from, to})
	}
	o.deletes = defaultDeletes
	if text := set[optionDeletes]; text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n > math.MaxInt/24 {
			return o, errs.Errorf(errs.ErrOption, "%s is %q, which is no number of rows", optionDeletes, text)
		}
		o.deletes = int(n)
	}
	return o, nil
}

// cutMove cuts FROM=TO. Directories KEY=VALUE may be in both: TO begins behind the first = that a path from the root or a URL follows, or
// else behind the first.
func cutMove(text string) (from, to string, ok bool) {
	for i := range len(text) {
		if text[i] != '=' || i == 0 {
			continue
		}
		rest := text[i+1:]
		scheme, _, url := strings.Cut(rest, "://")
		if filepath.IsAbs(rest) || strings.HasPrefix(rest, "file:/") || url && !strings.ContainsAny(scheme, "/=") {
			return text[:i], rest, true
		}
	}
	return strings.Cut(text, "=")
}

func openLocal(_ context.Context, name string) (arrowio.OpenSource, error) {
	src, err := local.OpenFile(name)
	if err != nil {
		return nil, err // not a nil *FileSource
	}
	return src, nil
}
