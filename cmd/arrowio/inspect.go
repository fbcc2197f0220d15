package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers"
)

// checksumBytes is the largest file whose checksums inspect reads without being asked.
const checksumBytes = 256 << 20

type inspectFlags struct {
	*readFlags
	where     filterValue
	blocks    bool
	checksums bool
	json      bool
	html      htmlFlags
}

func (a *app) inspectCommand() *cobra.Command {
	f := &inspectFlags{}
	cmd := &cobra.Command{
		Use:        "inspect [flags] INPUT...",
		SuggestFor: []string{"info", "meta", "stat", "stats", "describe"},
		Short:      "What a file holds: columns, blocks, codecs, bytes, statistics",
		Long: `Inspect prints what a file says about itself: writer, rows, and a line a column: type, codec, checksums, blocks,
bytes, statistics. --where tells how much of the file a filter would read. Of a directory that holds several tables it
prints which there are, and the options that open each. An Iceberg table is described before its data files.

--html writes a report instead, one file for a browser: how the bytes lie, the columns by size, whether they are sorted and what
a lookup would read, indexes, advice with reasons, the schema for Hive, Avro and SQL; of several files also sizes, skew and columns
that differ. It needs no network and no scripts, and has at most 1 MB. Inputs that cannot be read are in it, too.

With --schema it prints what becomes of each of a file's columns where the file is read as that schema, and why.

Checksums are checked in files of up to 256 MiB; in larger ones --checksums asks for it, as it reads every block.
--json prints one object, {"files": [...]} for more than one file. An INPUT that cannot be read is an error on standard error; the others
are printed, and the exit code is that of the first such error.`,
		Example: `  arrowio inspect events.trv
  arrowio inspect --blocks --json events.trv | jq '.columns[].block_list'
  arrowio inspect --html report.html events.orc
  arrowio inspect --html report.html --verify --sample 10000 events/
  arrowio inspect --where "id > 1000000" events.orc
  arrowio inspect --schema 'struct<id:bigint,name:string>' --cast java events.orc
  arrowio inspect --from kudu /var/lib/kudu/tserver
  arrowio inspect --from kudu --kudu-table metrics /var/lib/kudu/tserver`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.html.check(cmd, f.json); err != nil {
				return err
			}
			if f.html.out != "" {
				return a.report(cmd.Context(), f, args, cmd.Flags().Changed("checksums"))
			}
			return a.inspect(cmd.Context(), f, args, cmd.Flags().Changed("checksums"))
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.looks = true
	f.shown = addSchemaFlags(cmd)
	fs := cmd.Flags()
	addWhere(fs, &f.where, "tell which splits and rows this filter would read; see arrowio help where")
	fs.BoolVar(&f.blocks, "blocks", false, "list every block of every column")
	fs.BoolVar(&f.checksums, "checksums", false, "read every block and check its checksum (default: in files of up to 256 MiB)")
	fs.BoolVar(&f.json, "json", false, "as a JSON object")
	f.html.add(cmd)
	return cmd
}

// inspection is the JSON of an inspected file: its Info and what the command adds.
type inspection struct {
	File string
	*arrowio.Info
	ChecksumsChecked bool
	Pruning          *pruningInfo
	Shown            *shownInfo // with --schema

	Warnings []arrowio.Warning

	blocksOf int // of a report: blocks that are too many to be listed; 0 = they are
}

// MarshalJSON writes the fields of the Info and those of the command as one object.
func (d inspection) MarshalJSON() ([]byte, error) {
	own, err := json.Marshal(struct {
		File             string            `json:"file"`
		ChecksumsChecked bool              `json:"checksums_checked"`
		Pruning          *pruningInfo      `json:"pruning,omitempty"`
		Shown            *shownInfo        `json:"shown,omitempty"`
		Warnings         []arrowio.Warning `json:"warnings"`
	}{d.File, d.ChecksumsChecked, d.Pruning, d.Shown, d.Warnings})
	if err != nil {
		return nil, err
	}
	info, err := d.Info.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return append(append(own[:len(own)-1], ','), info[1:]...), nil
}

// pruningInfo says how much of a file a filter would read.
type pruningInfo struct {
	Filter    string `json:"filter"`
	Splits    int    `json:"splits"`
	Rows      *int64 `json:"rows"` // null = unknown
	Bytes     int64  `json:"bytes"`
	SplitsOf  int    `json:"splits_total"`
	RowsOf    *int64 `json:"rows_total"` // null = unknown
	BytesOf   int64  `json:"bytes_total"`
	unbounded bool
}

func (a *app) inspect(ctx context.Context, f *inspectFlags, in []string, askedChecksums bool) error {
	docs := []inspection{}
	first := true
	i := &inspector{app: a, f: f, askedChecksums: askedChecksums, use: func(_ *openFile, doc inspection) error {
		if f.json {
			docs = append(docs, doc)
			return nil
		}
		w := bufio.NewWriter(a.stdout)
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		if err := printInspection(a.onSheet(w), doc, f); err != nil {
			return err
		}
		return w.Flush()
	}}
	inputs, err := i.find(ctx, in)
	if err != nil {
		return err
	}
	var bad unread
	for _, x := range inputs {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := x.err
		if err == nil {
			i.withKeys = x.withKeys
			err = i.each(ctx, x.n, x.Input)
		}
		switch {
		case err == nil:
		case len(inputs) == 1 || !ofInput(ctx, err):
			return err
		default:
			bad.keep(ctx, a, inFile(displayName(x.Path), err))
		}
	}
	switch {
	case !f.json:
	case len(inputs) == 1:
		err = printJSON(a.stdout, docs[0])
	default:
		err = printJSON(a.stdout, map[string]any{"files": docs})
	}
	if err == nil {
		err = bad.first
	}
	return err
}

// inspector inspects the files of a command, one after the other.
type inspector struct {
	*app
	f              *inspectFlags
	askedChecksums bool
	use            func(*openFile, inspection) error // what becomes of each

	show     readers.Options
	withKeys func(int, arrowio.File) (arrowio.File, error)
}

// prepare finds the inputs.
func (i *inspector) prepare(ctx context.Context, in []string) ([]dataset.Input, error) {
	f := i.f
	var err error
	if i.show, err = f.shown.options(f.readFlags); err != nil {
		return nil, err
	}
	if f.where.x == nil && i.show.Schema == nil { // a filter is about columns
		f.purpose = arrowio.ForInfo
	}
	inputs, err := i.expand(ctx, in, f.readFlags)
	if err != nil {
		return nil, err
	}
	o, err := i.readOptions(ctx, f.readFlags)
	if err != nil {
		return nil, err
	}
	i.withKeys = func(_ int, file arrowio.File) (arrowio.File, error) { return file, nil }
	if f.where.x != nil {
		if i.withKeys, err = dataset.ShowKeys(inputs, o.Partitions); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// each inspects input n.
func (i *inspector) each(ctx context.Context, n int, in dataset.Input) error {
	again, restore := false, func() {}
	err := i.withFile(ctx, in, i.f.readFlags, func(file *openFile) error {
		if again, restore = i.coarsenFile(i.f.readFlags, in.Path, file); again {
			return nil
		}
		return i.look(ctx, n, file)
	})
	defer func() { restore() }()
	if err != nil || !again {
		return err
	}
	return i.withFile(ctx, in, i.f.readFlags, func(file *openFile) error { return i.look(ctx, n, file) })
}

func (i *inspector) look(ctx context.Context, n int, file *openFile) error {
	f := i.f
	doc := inspection{File: file.name, ChecksumsChecked: f.checksums || !i.askedChecksums && file.BytesStored() <= checksumBytes}
	o := arrowio.InfoOptions{Blocks: f.blocks, Groups: f.blocks, Checksums: doc.ChecksumsChecked}
	var err error
	if doc.Shown, err = shownAs(file, i.show); err != nil {
		return err
	}
	described := arrowio.File(file)
	if f.where.x != nil {
		shown, err := dataset.Show(view.WithClose(file, nil), i.show)
		if err != nil {
			return err
		}
		if shown, err = i.withKeys(n, shown); err != nil {
			return err
		}
		bound, err := expr.Bind(f.where.x, shown.Schema())
		if err != nil {
			return asUsage(err)
		}
		if doc.Pruning, err = prune(ctx, shown, bound); err != nil {
			return err
		}
		if i.show.Schema == nil { // otherwise it is about other columns
			described, o.Filter = shown, bound
		}
	}
	if _, ok := arrowio.As[view.Composed](file); ok && doc.Shown != nil && doc.Shown.Fits {
		if described, err = dataset.Show(view.WithClose(file, nil), i.show); err != nil {
			return err
		}
	}
	if f.html.out != "" {
		if doc.blocksOf, err = f.html.blocks(ctx, described, &o); err != nil {
			return err
		}
	}
	if doc.Info, err = described.Info(ctx, o); err != nil {
		return err
	}
	doc.Warnings = i.warnings.of(file.name)
	return i.use(file, doc)
}

// prune asks every split what is left of it under the filter.
func prune(ctx context.Context, f arrowio.File, bound *expr.Bound) (*pruningInfo, error) {
	p := &pruningInfo{Filter: bound.String()}
	left, all := int64(0), int64(0)
	for _, s := range f.Splits() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.SplitsOf++
		p.BytesOf += s.Bytes
		if !s.Known() {
			p.Splits, p.Bytes, p.unbounded = p.Splits+1, p.Bytes+s.Bytes, true
			continue
		}
		all += s.Rows.Len()
		rows, err := f.Prune(ctx, s, bound)
		if err != nil {
			return nil, err
		}
		if n := rows.Len(); n > 0 {
			p.Splits++
			left += n
			// What is left of a split is not all of its bytes; how much depends on the columns.
			p.Bytes += int64(float64(s.Bytes) * float64(n) / float64(s.Rows.Len()))
		}
	}
	if !p.unbounded {
		p.Rows, p.RowsOf = &left, &all
	}
	return p, nil
}

func printInspection(w sheet, d inspection, f *inspectFlags) error {
	head := d.Format
	if d.Version != "" {
		head += " version " + d.Version
	}
	if d.Writer != "" {
		head += ", written by " + d.Writer
	}
	w.line("", "  ", printable(d.File+": "+head))
	fact := func(name, format string, args ...any) {
		w.line(fmt.Sprintf("  %-9s ", name), "            ", printable(fmt.Sprintf(format, args...)))
	}
	switch {
	case d.Rows == arrowio.UnknownRows && len(d.Members) > 0:
	case d.Rows == arrowio.UnknownRows:
		fact("rows", "not told before the end is read")
	default:
		fact("rows", "%s", humanize.Comma(d.Rows))
	}
	fact("bytes", "%s (%s)", humanize.Comma(d.Bytes), humanize.IBytes(uint64(max(d.Bytes, 0))))
	if len(d.Splits) > 0 {
		fact("splits", "%d", len(d.Splits))
	}
	if p := d.Pruning; p != nil {
		fact("filter", "%s", p.Filter)
		if p.unbounded {
			fact("reads", "everything: a stream has no index")
		} else {
			fact("reads", "%d of %d splits, %s of %s rows, about %s of %s", p.Splits, p.SplitsOf, humanize.Comma(*p.Rows),
				humanize.Comma(*p.RowsOf), humanize.IBytes(uint64(p.Bytes)), humanize.IBytes(uint64(p.BytesOf)))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(d.Metadata)) {
		fact("metadata", "%s = %s", k, shorten(string(d.Metadata[k]), 200))
	}
	for _, x := range d.Facts {
		fact(x.Name, "%s", x.Value)
	}
	for _, n := range d.Notes {
		fact("note", "%s", n)
	}
	if !d.ChecksumsChecked && slices.ContainsFunc(d.Columns, func(c arrowio.ColumnInfo) bool { return c.Checksum != "" }) {
		fact("checksums", "not checked: --checksums reads every block")
	}
	fmt.Fprintln(w)
	if len(d.Members) > 0 {
		if err := printMembers(w, d.Members); err != nil || len(d.Columns) == 0 {
			return err
		}
		fmt.Fprintln(w)
	}
	if err := printColumns(w, d.Columns); err != nil {
		return err
	}
	if d.Shown != nil {
		if err := d.Shown.print(w); err != nil {
			return err
		}
	}
	if len(d.Plan) > 0 {
		if err := printUnits(w, d.Plan, f.blocks); err != nil {
			return err
		}
	}
	if !f.blocks {
		return nil
	}
	if err := printGroups(w, d.Groups); err != nil {
		return err
	}
	return printBlocks(w, d.Columns)
}

var numberColumns = map[string]bool{
	"blocks": true, "bytes": true, "ratio": true, "values": true, "nulls": true, "block": true, "rows": true, "offset": true, "raw": true,
	"group": true, "index bytes": true, "parts": true,
}

func printColumns(w sheet, columns []arrowio.ColumnInfo) error {
	header := []string{
		"column", "type", "stored", "inside", "encoding", "codec", "checksum", "verdict", "blocks", "bytes", "ratio", "values", "nulls", "min", "max", "sum",
		"doubt", "index", "encryption",
	}
	rows := make([][]string, len(columns))
	names := shownPaths(columns)
	for i, c := range columns {
		row := []string{
			names[i], c.Type, c.Stored, c.Parent, strings.Join(c.Encodings, " "), c.Codec, c.Checksum, c.Verdict,
			positive(int64(c.Blocks)), known(c.Bytes), ratio(c.Bytes, c.RawBytes), "", "", "", "", "",
			"", c.Index, c.Secret,
		}
		if s := c.Stats; s != nil {
			row[11], row[12] = known(s.Values), known(s.Nulls)
			row[13], row[14], row[15] = shorten(s.Min, 40), shorten(s.Max, 40), shorten(s.Sum, 40)
			row[16] = s.Doubt
		}
		rows[i] = row
	}
	return printTable(w, header, numberColumns, rows)
}

func positive(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func known(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func ratio(stored, raw int64) string {
	if raw <= 0 || stored <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(raw)/float64(stored))
}
