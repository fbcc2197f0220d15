package hivetable

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/readas"
	"github.com/arrowio/arrowio/internal/workers"
	"github.com/arrowio/arrowio/readers/orctable"
)

// described says what the files of a table are shown as. It is part of the JSON of a member.
type described struct {
	Columns  string `json:"columns"`            // that files have, in ORC's notation
	Keys     string `json:"keys,omitempty"`     // by which the table is partitioned, likewise
	Position bool   `json:"position,omitempty"` // columns of files are matched by position
}

// table is what all members share.
type table struct {
	*settings
	described
	files  *arrow.Schema // of the columns that files have
	keys   *arrow.Schema // of the partition columns; nil = there are none
	schema *arrow.Schema // both
}

func (s *settings) table(d described) (*table, error) {
	t := &table{settings: s, described: d}
	var err error
	if t.files, err = readas.Schema(d.Columns, readas.Options{Unit: s.timeUnit()}); err != nil {
		return nil, err
	}
	fields := slices.Clone(t.files.Fields())
	if d.Keys != "" {
		if t.keys, err = readas.Schema(d.Keys, readas.Options{Unit: s.timeUnit()}); err != nil {
			return nil, err
		}
		fields = append(fields, t.keys.Fields()...)
	}
	for i, f := range fields {
		if slices.ContainsFunc(fields[:i], func(x arrow.Field) bool { return x.Name == f.Name }) {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "the table has two columns of this name"), errs.At{Column: f.Name})
		}
	}
	t.schema = arrow.NewSchema(fields, nil)
	return t, nil
}

func (t *table) match() view.Match {
	if t.Position {
		return view.ByPosition
	}
	return view.ByNameOrFold
}

// openNamed implements arrowio.Format.OpenNamed.
func (r *reader) openNamed(ctx context.Context, url string, oo arrowio.OpenOptions) (fragments []arrowio.Fragment, metadata string, options map[string]string, err error) {
	a, err := metastore.ParseURL(url)
	if err != nil {
		return nil, "", nil, err
	}
	s, err := r.settings(oo)
	if err != nil {
		return nil, "", nil, err
	}
	c, err := metastore.Dial(ctx, a.Server, s.metastore)
	if err != nil {
		return nil, "", nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	m, err := c.Table(ctx, a.Name)
	if err != nil {
		return nil, "", nil, err
	}
	if strings.EqualFold(m.Parameters["table_type"], "iceberg") {
		metadata, options, err = s.iceberg(m)
		return nil, metadata, options, err
	}
	l := listing{settings: s, client: c, address: a, said: m, schemas: avroSchemas{byURL: map[string]string{}}}
	if l.acid, err = kindOf(m); err != nil {
		return nil, "", nil, err
	}
	if l.table, err = s.table(shownAs(m)); err != nil {
		return nil, "", nil, err
	}
	fragments, err = l.fragments(ctx, oo)
	return fragments, "", nil, err
}

// iceberg returns where the metadata of a table of Iceberg are, and the options with which it is read.
func (s *settings) iceberg(m *metastore.Table) (metadata string, options map[string]string, err error) {
	said := m.Parameters["metadata_location"]
	if said == "" {
		return "", nil, errs.Errorf(errs.ErrUnsupported, "the metastore says that the table is one of Iceberg, and not where its metadata are (metadata_location)")
	}
	if metadata, err = metastore.Place(said, s.moves); err != nil {
		return "", nil, err
	}
	var moves []string
	for _, m := range s.moves {
		moves = append(moves, m.From+"="+m.To)
	}
	if moves != nil {
		options = map[string]string{"iceberg-relocate": strings.Join(moves, "\n")}
	}
	return metadata, options, nil
}

// transactional says how rows of a table come and go.
type transactional uint8

const (
	plainFiles transactional = iota
	insertOnly               // files in directories of write ids
	fullACID                 // the same, with deletes
)

// kindOf refuses tables that are not the rows of files.
func kindOf(m *metastore.Table) (transactional, error) {
	refuse := func(format string, args ...any) (transactional, error) {
		return 0, errs.Errorf(errs.ErrUnsupported, format, args...)
	}
	switch m.Kind {
	case "VIRTUAL_VIEW", "MATERIALIZED_VIEW":
		return refuse("this is a view (%s), and only tables can be read: read the tables that it is about", m.Kind)
	case "MANAGED_TABLE", "EXTERNAL_TABLE":
	default:
		return refuse("this is a %.40q, and only tables can be read", m.Kind)
	}
	if h := m.Parameters["storage_handler"]; h != "" {
		return refuse("the rows of this table are not in files, but in another system, which the storage handler %.200q reads", h)
	}
	if p := m.Parameters["spark.sql.sources.provider"]; strings.EqualFold(p, "delta") || strings.EqualFold(p, "hudi") {
		return refuse("this is a table of %s, whose own metadata say which files count; it cannot be read", p)
	}
	if !strings.EqualFold(m.Parameters["transactional"], "true") {
		return plainFiles, nil
	}
	switch p := m.Parameters["transactional_properties"]; {
	case !m.Named().IsDefault():
		return refuse("this is a table with transactions (ACID) in the catalog %s, and Hive keeps transactions of tables in the catalog hive alone", m.Catalog)
	case strings.EqualFold(p, "insert_only"):
		return insertOnly, nil
	case p == "", strings.EqualFold(p, "default"), strings.EqualFold(p, "legacy"):
		return fullACID, nil
	default:
		return refuse("the table has the unknown transactional_properties %.40q", p)
	}
}

// formats are the names of file formats, by Hive's input format.
var formats = map[string]string{
	"org.apache.hadoop.hive.ql.io.orc.OrcInputFormat":                  "orc",
	"org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat":    "parquet",
	"parquet.hive.DeprecatedParquetInputFormat":                        "parquet",
	"org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat":       "avro",
	"org.apache.hadoop.mapred.TextInputFormat":                         "text",
	"org.apache.hadoop.mapred.SequenceFileInputFormat":                 "sequencefile",
	"org.apache.hadoop.hive.ql.io.RCFileInputFormat":                   "rcfile",
	"org.apache.hudi.hadoop.HoodieParquetInputFormat":                  "hudi",
	"org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat":              "symlinks",
	"org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat": "hudi",
}

// formatOf returns the format of the files of a table or a partition, and how text is read.
func (l *listing) formatOf(said *metastore.Storage) (arrowio.Format, *layout, error) {
	name := formats[said.InputFormat]
	if said.InputFormat == textInput && l.acid == plainFiles {
		text, err := l.layoutOf(said)
		if text != nil || err != nil {
			return arrowio.Format{Name: textFormat}, text, err
		}
	}
	if f, ok := l.files[name]; ok {
		return f, nil, nil
	}
	what := "the input format " + quoted(said.InputFormat)
	if name != "" {
		what += " (" + name + ")"
	}
	return arrowio.Format{}, nil, errs.Errorf(errs.ErrUnsupported, "the files in %s are stored with %s and the SerDe %s, which cannot be read; ORC, Parquet, Avro, and text of LazySimpleSerDe, OpenCSVSerde and JsonSerDe can: write the rows to such a table (CREATE TABLE … STORED AS ORC AS SELECT …)", said.Location, what, quoted(said.SerDe))
}

func quoted(class string) string {
	if class == "" {
		return "(none)"
	}
	return class[:min(len(class), 200)]
}

// shownAs returns the columns of a table.
func shownAs(m *metastore.Table) described {
	d := described{Columns: columnsOf(&m.Storage), Position: strings.EqualFold(m.Parameters["orc.force.positional.evolution"], "true")}
	if len(m.Keys) > 0 {
		d.Keys = metastore.Notation(m.Keys)
	}
	return d
}

// listing finds the members of a table.
type listing struct {
	*settings
	client  *metastore.Client
	address metastore.Address
	said    *metastore.Table
	acid    transactional
	table   *table
	writes  *metastore.IDs // of tables with transactions
	schemas avroSchemas
}

// where is a location with files of the table.
type where struct {
	*metastore.Storage
	at int // its row of the values of partitions
}

func (l *listing) fragments(ctx context.Context, oo arrowio.OpenOptions) ([]arrowio.Fragment, error) {
	if l.acid != plainFiles { // before anything is listed
		txns, err := l.client.Transactions(ctx)
		if err != nil {
			return nil, err
		}
		if l.writes, err = l.client.WriteIDs(ctx, l.said.Database, l.said.Name, txns); err != nil {
			return nil, err
		}
	}
	all := []where{{Storage: &l.said.Storage}}
	var values *values
	if l.table.keys != nil {
		var err error
		if all, values, err = l.partitions(ctx, oo); err != nil {
			return nil, err
		}
	}
	found := make([][]*member, len(all))
	err := workers.Each(max(4, runtime.GOMAXPROCS(0)), len(all), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		found[i], err = l.members(ctx, &all[i])
		return errs.Locate(err, errs.At{File: all[i].Location})
	})
	if err != nil {
		return nil, err
	}
	var out []arrowio.Fragment
	for i, some := range found {
		for _, m := range some {
			if len(out) >= l.limits.Splits {
				return nil, errs.Errorf(errs.ErrLimit, "the table has more than %d files (Limits.Splits)", l.limits.Splits)
			}
			m.values, m.at = values, all[i].at
			out = append(out, m.fragment())
		}
	}
	if l.purpose == arrowio.ForInfo {
		return append([]arrowio.Fragment{l.whole(len(all))}, out...), nil
	}
	if len(out) == 0 {
		m := &member{table: l.table, memberText: memberText{described: l.table.described, Path: l.said.Storage.Location, Format: emptyFormat}}
		out = append(out, m.fragment())
	}
	return out, nil
}

// members returns what is read of a location: its files, or for an ACID table the directory as a whole.
func (l *listing) members(ctx context.Context, w *where) ([]*member, error) {
	format, text, err := l.formatOf(w.Storage)
	if err != nil {
		return nil, err
	}
	var defaults []string
	if format.Name == "avro" {
		if defaults, err = l.avroDefaults(ctx, w.Storage); err != nil {
			return nil, err
		}
	}
	dir, err := metastore.Place(w.Location, l.moves)
	if err != nil {
		return nil, err
	}
	of := func(path string) *member {
		return &member{table: l.table, memberText: memberText{described: l.table.described, Path: path, Format: format.Name, Text: text, Defaults: defaults}}
	}
	tree, err := l.tree(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	switch l.acid {
	case fullACID:
		if format.OpenTree == nil {
			return nil, errs.Errorf(errs.ErrUnsupported, "an ACID table in %s cannot be read", format.Name)
		}
		m := of(dir)
		m.ACID = &acid{Server: l.address.Server, Database: l.said.Database, Table: l.said.Name, Writes: l.writes.Text()}
		return []*member{m}, nil
	case insertOnly:
		w := watched{client: l.client, tree: tree, database: l.said.Database, table: l.said.Name, writes: l.writes}
		err = w.settled(ctx, func(txns string, empty bool) (err error) {
			if names = nil; empty {
				return nil
			}
			names, err = orctable.Files(ctx, tree, l.limits, orctable.Options{WriteIDs: l.writes.Text(), Transactions: txns})
			return err
		})
	default:
		names, err = l.below(ctx, tree, "", nil, 0)
	}
	if err != nil {
		return nil, err
	}
	out := make([]*member, len(names))
	for i, name := range names {
		out[i] = of(tree.Path(name))
	}
	return out, nil
}

// isS3 reports whether a tree is in a store that copies what is renamed, and has no empty directories.
func isS3(tree arrowio.Tree) bool { return strings.HasPrefix(tree.Path(""), "s3://") }

// listTop lists the directory of a table or a partition. It has nothing where it does not exist, in a store without empty directories.
func listTop(ctx context.Context, tree arrowio.Tree) ([]arrowio.TreeEntry, error) {
	entries, err := tree.List(ctx, "")
	if errors.Is(err, fs.ErrNotExist) && isS3(tree) {
		err = nil
	}
	return entries, err
}

// below adds the names of the files in a directory, and in those below it, as Hive reads them: without those that are hidden, or empty.
func (l *listing) below(ctx context.Context, tree arrowio.Tree, dir string, names []string, depth int) ([]string, error) {
	if depth > l.limits.Depth {
		return nil, errs.Errorf(errs.ErrLimit, "%s: directories are nested deeper than the limit Depth = %d", dir, l.limits.Depth)
	}
	var entries []arrowio.TreeEntry
	var err error
	if depth == 0 {
		entries, err = listTop(ctx, tree)
	} else {
		entries, err = tree.List(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case e.Name == "" || e.Name[0] == '_' || e.Name[0] == '.':
		case e.Dir:
			if names, err = l.below(ctx, tree, name, names, depth+1); err != nil {
				return nil, err
			}
		case e.Size > 0:
			if names = append(names, name); len(names) > l.limits.Splits {
				return nil, errs.Errorf(errs.ErrLimit, "a directory has more than %d files (Limits.Splits)", l.limits.Splits)
			}
		}
	}
	return names, nil
}
