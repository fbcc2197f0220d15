package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

type kuduListFlags struct {
	data     []string
	metadata string
	key      string
	rebuild  string
	schemas  []string
	replica  string
	json     bool
}

// kuduListing is the JSON of a server's tables.
type kuduListing struct {
	File     string            `json:"file"`
	Tables   []kuduTable       `json:"tables"`
	Tablets  []kuduTablet      `json:"tablets_without_table"` // whose superblocks cannot be read
	Notes    []string          `json:"notes"`
	Warnings []arrowio.Warning `json:"warnings"`
}

// kuduTable is a table: the part of it that the server has.
type kuduTable struct {
	Name    string       `json:"name"`
	ID      string       `json:"id"`
	Rows    *int64       `json:"rows"`  // on disk; null = only reading tells
	Bytes   *int64       `json:"bytes"` // of the blocks of its rowsets; nil = not known
	Tablets []kuduTablet `json:"tablets"`
}

// kuduTablet is one of its tablets.
type kuduTablet struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	RowSets *int64 `json:"rowsets"` // null = the superblock cannot be read
	Rows    *int64 `json:"rows"`
	Bytes   *int64 `json:"bytes"` // likewise
	Detail  string `json:"detail"`
	// Replicas are those of several servers, the one that is read first: the fields above are about that.
	Replicas []kuduReplica `json:"replicas"`
	// Rebuilt is what a tablet without a superblock was put together from.
	Rebuilt []kuduPart `json:"rebuilt"`
}

// kuduPart is a rowset or a delta file of a rebuilt tablet.
type kuduPart struct {
	Kind      string `json:"kind"`      // "rowset" or "deltas"
	ID        string `json:"id"`        // of its first block
	Certainty string `json:"certainty"` // that its blocks belong together, or that the deltas are of the rowset before
	Rows      int64  `json:"rows"`      // stored, or changed
	Detail    string `json:"detail"`
}

func (a *app) kuduListCommand() *cobra.Command {
	f := &kuduListFlags{}
	cmd := &cobra.Command{
		Use:   "list [flags] DIR...",
		Short: "List the tables and tablets of stopped servers",
		Long: `List prints the tables and tablets of a tablet server, with the rows and the size of each tablet. DIR is the server's
directory of write-ahead logs (--fs_wal_dir).

With --rebuild, tablets whose superblocks are lost are put together from their blocks as far as that is sure, likely or even
doubtful, and the list says how sure it is of each part; --schema names superblocks of replicas, which tell the columns' names.

Rows are those that the tablets' superblocks count; write-ahead logs may have more, which arrowio count --from kudu counts,
too. The size is that of the blocks found in the data directories; it is not known without them.

Of several servers, the list has the replicas that each has of a tablet: the last operation in its log, the last of which it
knows that it is committed, and which replica is read and why. Data directories go to the servers by their instance files.`,
		Example: `  arrowio kudu list /kudu/wal
  arrowio kudu list --data-dir /disk1/kudu --data-dir /disk2/kudu --json /kudu/wal | jq -r '.tables[].name'
  arrowio kudu list --rebuild likely --data-dir /disk1/kudu /kudu/wal
  arrowio kudu list a/wal b/wal c/wal`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || slices.Contains(args, "") {
				return usagef("kudu list: name DIR, the server's directory of write-ahead logs (--fs_wal_dir), or that of each of several servers")
			}
			return nil
		},
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || f.replica != "" {
				return a.kuduListReplicas(cmd.Context(), f, args)
			}
			return a.kuduList(cmd.Context(), f, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data-dir", nil, "a data `DIR` of the server (--fs_data_dirs); repeat for each (default: DIR and the directory data beside it)")
	fs.StringVar(&f.metadata, "metadata-dir", "", "the server's metadata `DIR` (--fs_metadata_dir), if it has one (default: DIR, then the data directories)")
	fs.StringVar(&f.key, "key", "", "the key of encrypted files that a key service has unwrapped: a `FILE` of hexadecimal digits, or env:NAME (default: what Kudu's default key provider keeps with the files)")
	for _, name := range []string{"data-dir", "metadata-dir"} {
		_ = cmd.MarkFlagDirname(name) // it fails only for a flag that does not exist
	}
	fs.StringVar(&f.rebuild, "rebuild", "", "put tablets without superblocks together, as far as that is `sure|likely|doubtful`")
	fs.StringArrayVar(&f.schemas, "schema", nil, "a superblock `FILE` of a replica, or a directory of them, that names the columns of rebuilt tablets; repeat for each")
	fs.StringVar(&f.replica, "replica", "", "of several servers: read the replicas of this `SERVER`, a uuid or DIR")
	fs.BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *app) kuduList(ctx context.Context, f *kuduListFlags, dir string) error {
	v, err := readkudu.OpenOverview(ctx, dir, arrowio.Limits{}, readkudu.Options{Data: f.data, Metadata: f.metadata, Key: f.key, Rebuild: f.rebuild, Schemas: f.schemas, PassDenied: true})
	if err != nil {
		return inFile(dir, err)
	}
	defer func() { _ = v.Close() }() // it was only read
	info, err := v.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		return inFile(dir, err)
	}
	a.warn(dir, v, nil)
	l := listKudu(dir, info)
	l.spell(a)
	if f.json {
		l.Warnings = a.warnings.list()
		err = printJSON(a.stdout, l)
	} else {
		err = l.print(a.onSheet(a.stdout))
	}
	return errors.Join(err, inFile(dir, readkudu.Denied(v)))
}

// listKudu groups tablets by table.
func listKudu(dir string, info *arrowio.Info) *kuduListing {
	l := &kuduListing{File: dir, Tables: []kuduTable{}, Tablets: []kuduTablet{}, Notes: []string{}}
	for _, m := range info.Members {
		switch m.Kind {
		case "table":
			l.Tables = append(l.Tables, kuduTable{Name: m.Name, ID: m.ID, Rows: knownNumber(m.Rows), Bytes: knownNumber(m.Bytes), Tablets: []kuduTablet{}})
		case "tablet":
			t := kuduTablet{ID: m.ID, State: m.State, RowSets: &m.Parts, Rows: knownNumber(m.Rows), Bytes: knownNumber(m.Bytes), Detail: m.Detail, Replicas: []kuduReplica{}, Rebuilt: []kuduPart{}}
			if n := len(l.Tables); n > 0 && l.Tables[n-1].Name == m.Name {
				l.Tables[n-1].Tablets = append(l.Tables[n-1].Tablets, t)
			} else {
				t.RowSets, t.Bytes = nil, nil
				l.Tablets = append(l.Tablets, t)
			}
		case "rowset", "deltas": // of the tablet before
			tablets := l.Tables[len(l.Tables)-1].Tablets
			t := &tablets[len(tablets)-1]
			t.Rebuilt = append(t.Rebuilt, kuduPart{Kind: m.Kind, ID: m.ID, Certainty: m.State, Rows: m.Rows, Detail: m.Detail})
		}
	}
	l.Notes = append(l.Notes, info.Notes...)
	return l
}

// spell makes the notes name the flags of the command.
func (l *kuduListing) spell(a *app) {
	for i, n := range l.Notes {
		l.Notes[i] = a.spelled(n)
	}
}

func knownNumber(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func (l *kuduListing) print(w sheet) error {
	text := func(n *int64) string {
		if n == nil {
			return ""
		}
		return humanize.Comma(*n)
	}
	var rows [][]string
	tablets, total, bytes, unknown, some := 0, int64(0), int64(0), false, false
	add := func(table string, t kuduTablet) {
		tablets++
		size := ""
		if t.Bytes != nil {
			size = humanize.IBytes(uint64(*t.Bytes))
			bytes += *t.Bytes
		} else if t.RowSets != nil {
			unknown = true
		}
		rows = append(rows, []string{table, t.ID, t.State, text(t.RowSets), text(t.Rows), size, t.Detail})
		if t.Rows != nil {
			some = true
			total += *t.Rows
		}
	}
	for _, table := range l.Tables {
		for _, t := range table.Tablets {
			add(table.Name, t)
			for _, p := range t.Rebuilt {
				rows = append(rows, []string{"", p.Kind + " " + p.ID, p.Certainty, "", humanize.Comma(p.Rows), "", p.Detail})
			}
		}
	}
	for _, t := range l.Tablets {
		add("", t)
	}
	right := map[string]bool{"rowsets": true, "rows": true, "size": true}
	if err := printTable(w, []string{"table", "tablet", "state", "rowsets", "rows", "size", "detail"}, right, rows); err != nil {
		return err
	}
	size := humanize.IBytes(uint64(bytes))
	if unknown {
		size = "size not known"
	}
	count := counted(total, "row")
	if tablets > 0 && !some {
		count = "rows not known"
	}
	w.line("", "", fmt.Sprintf("%s, %s, %s, %s", counted(int64(len(l.Tables)), "table"), counted(int64(tablets), "tablet"), count, size))
	for _, n := range l.Notes {
		if !strings.Contains(n, "--kudu-table") { // of inspect
			w.line("note: ", "  ", printable(n))
		}
	}
	return nil
}
