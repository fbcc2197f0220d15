package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

// kuduExportFlags are the flags of `arrowio kudu export`. Each table is a conversion.
type kuduExportFlags struct {
	*convertFlags
	all    bool
	tables []string
	denied error // of tablets whose superblocks may not be read
	places exportPlaces
}

// exportedTable is the report of a table.
type exportedTable struct {
	Name    string  `json:"name"`
	ID      string  `json:"id"`
	Output  string  `json:"output"` // "" = nothing was written
	Rows    int64   `json:"rows"`
	Bytes   int64   `json:"bytes"`
	Tablets int64   `json:"tablets"` // of the table that the server has
	Seconds float64 `json:"seconds"`
	// Create are files with what makes the table anew.
	Create   []string          `json:"create"`
	Notes    []string          `json:"notes"` // about these
	Error    *failure          `json:"error"` // null = the table was written
	Warnings []arrowio.Warning `json:"warnings"`
}

// kuduExport is the JSON of an export.
type kuduExport struct {
	Output   string            `json:"output"`
	Tables   []exportedTable   `json:"tables"`
	Failed   int               `json:"failed"`
	Warnings []arrowio.Warning `json:"warnings"` // about the server
}

// kuduFlagNames are the options of reading Kudu that export has, by their names there.
var kuduFlagNames = map[string]string{
	"kudu-data-dir": "data-dir", "kudu-metadata-dir": "metadata-dir", "kudu-encryption-key": "key", "kudu-snapshot": "snapshot", "kudu-wal": "wal", "kudu-uncommitted": "uncommitted",
	"kudu-wal-memory": "wal-memory", "kudu-salvage": "salvage", "kudu-rebuild": "rebuild", "kudu-schema": "schema", "kudu-strings": "strings",
	"kudu-replica": "replica", "kudu-merge": "merge",
}

func (a *app) kuduExportCommand() *cobra.Command {
	inner, c := a.convertCommandAndFlags()
	f := &kuduExportFlags{convertFlags: c}
	cmd := &cobra.Command{
		Use:   "export [flags] DIR... OUTDIR",
		Short: "Write the tables of a stopped server to files",
		Long: `Export writes each table of a tablet server to a file OUTDIR/TABLE.parquet, or to a directory for formats that need one. DIR is the
server's directory of write-ahead logs (--fs_wal_dir). OUTDIR is a local directory outside those of servers. --all exports all tables, and --table the ones that it names.

Each file appears only when it is complete. If a table fails, export goes on with the others; the report names it, and the exit
code is that of the first error. If losses were reported, the exit code is 4. Tablets whose superblocks may not be read are named,
and the exit code is 3.

Several DIRs are servers with replicas of the same tablets. Of each tablet the newest replica that is whole is read, or with
--merge the rows of all; arrowio kudu list says what each server has.

Beside each table export writes what makes it anew: TABLE.create.json for "kudu table create", and TABLE.create.sql for
Impala, with columns, key, defaults, encodings, and the hashes and ranges of the tablets that are here.`,
		Example: `  arrowio kudu export --all /kudu/wal rescued/
  arrowio kudu export --all --to orc --salvage --json --data-dir /disk1/kudu --data-dir /disk2/kudu /kudu/wal rescued/ > report.json
  arrowio kudu export --table metrics --table hosts /kudu/wal rescued/
  arrowio kudu export --all --salvage a/wal b/wal c/wal rescued/
  kudu table create MASTERS "$(cat rescued/metrics.create.json)"`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) < 2 || slices.Contains(args, ""):
				return usagef("kudu export: name DIR and OUTDIR: the server's directory of write-ahead logs, and a directory for the files")
			case f.all == (len(f.tables) > 0):
				return usagef("kudu export: say --all, or name tables with --table")
			}
			return nil
		},
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs := args[:len(args)-1]
			if err := f.readFlags.setKuduServers(dirs[1:]); err != nil {
				return err
			}
			return a.kuduExport(cmd.Context(), f, dirs, args[len(args)-1])
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&f.all, "all", false, "export all tables")
	fs.StringArrayVar(&f.tables, "table", nil, "export the table with this `NAME` or id; repeat for each")
	inner.Flags().VisitAll(func(x *pflag.Flag) {
		name, kudu := kuduFlagNames[x.Name]
		switch {
		case kudu:
			y := fs.VarPF(x.Value, name, "", x.Usage)
			y.NoOptDefVal = x.NoOptDefVal
		case x.Name == "to":
			fs.Var(x.Value, x.Name, "format of the files (default parquet)")
		case slices.Contains([]string{"compression", "row-group-bytes", "max-file-bytes", "force", "jobs", "memory", "json", "progress"}, x.Name):
			fs.AddFlag(x)
		case x.Annotations[groupAnnotation] != nil && len(f.writeFlags.options.formats[x.Name]) > 0 && !strings.HasPrefix(x.Name, "kudu-"):
			fs.AddFlag(x)
		}
	})
	for _, name := range []string{"data-dir", "metadata-dir"} {
		_ = cmd.MarkFlagDirname(name) // it fails only for a flag that does not exist
	}
	return cmd
}

func (a *app) kuduExport(ctx context.Context, f *kuduExportFlags, dirs []string, out string) error {
	dir := dirs[0]
	if f.to.word == "" {
		f.to.word = "parquet"
	}
	format, err := a.outputFormat(f.to.word, out)
	if err != nil {
		return err
	}
	f.sort.byKey = format.Name == readkudu.Name // rows come in the order of rowsets, and a set has them in that of the key
	if out, err = kuduOutdir("kudu export", out); err != nil {
		return err
	}
	if err := checkOverlap(dirs, out); err != nil {
		return err
	}
	f.from.word = readkudu.Name
	f.places = exportPlaces{tables: map[string]string{}, names: map[string]string{}, later: map[string][]arrowio.Warning{}, told: map[string]bool{}}
	options := f.readFlags.options.forFormat(readkudu.Name)
	listed, err := a.exported(ctx, f, dir, options)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	report := kuduExport{Output: out, Tables: []exportedTable{}, Warnings: a.warnings.list()}
	names := fileNames(listed)
	var first error
	a.warnings.pass = f.places.pass
	for i := range listed {
		t := exportedTable{Name: listed[i].Name, ID: listed[i].ID, Tablets: listed[i].Parts, Create: []string{}, Notes: []string{}}
		before := len(a.warnings.list())
		f.places.table = t.ID
		for _, w := range f.places.later[t.ID] {
			a.tell(w)
		}
		err := a.exportTable(ctx, f, format, dir, filepath.Join(out, names[i]), &listed[i], &t)
		t.Warnings = a.warnings.list()[before:]
		if ctx.Err() != nil && err != nil {
			first = err
			report.interrupted(t, describe(ctx, err), listed[i+1:])
			break
		}
		if err != nil {
			x := describe(ctx, err)
			x.Message = fmt.Sprintf("table %s: %s", listed[i].Name, a.spelled(x.Message))
			x.print(a.onErrors(), a.jsonErrors)
			t.Error = &x
			if report.Failed++; first == nil {
				first = &printedError{err}
			}
		}
		report.Tables = append(report.Tables, t)
	}
	if f.json {
		err = printJSON(a.stdout, report)
	} else {
		err = report.print(a.onSheet(a.stdout))
	}
	if first == nil {
		first = f.denied
	}
	return errors.Join(first, err)
}

// interrupted adds the table that was being written when the export was interrupted, and those that it had not come to.
func (r *kuduExport) interrupted(t exportedTable, why failure, rest []arrowio.MemberInfo) {
	t.Error = &why
	r.Tables = append(r.Tables, t)
	for _, m := range rest {
		r.Tables = append(r.Tables, exportedTable{
			Name: m.Name, ID: m.ID, Tablets: m.Parts, Create: []string{}, Notes: []string{}, Error: &why, Warnings: []arrowio.Warning{},
		})
	}
	r.Failed += 1 + len(rest)
}

// exported lists the tables to export.
func (a *app) exported(ctx context.Context, f *kuduExportFlags, dir string, options map[string]string) ([]arrowio.MemberInfo, error) {
	if options["kudu-server"] != "" || options["kudu-replica"] != "" || options["kudu-merge"] == "true" {
		return a.exportedOfSeveral(ctx, f, dir, options)
	}
	v, err := readkudu.OpenOverview(ctx, dir, arrowio.Limits{}, readkudu.Options{
		Data: optionLines(options["kudu-data-dir"]), Metadata: options["kudu-metadata-dir"], Key: options["kudu-encryption-key"], Rebuild: options["kudu-rebuild"], Schemas: optionLines(options["kudu-schema"]),
		Salvage: options["kudu-salvage"] == "true", PassDenied: true,
	})
	if err != nil {
		return nil, inFile(dir, err)
	}
	defer func() { _ = v.Close() }() // it was only read
	f.denied = inFile(dir, readkudu.Denied(v))
	info, err := v.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		return nil, inFile(dir, err)
	}
	var out []arrowio.MemberInfo
	var there []string
	found := map[string]bool{}
	rows := map[string]bool{} // tables of which there may be rows here, by id
	read := map[string]bool{} // tablets whose losses are told when their tables are read
	for _, m := range info.Members {
		switch m.Kind {
		case "table":
			named := slices.Contains(f.tables, m.Name) || slices.Contains(f.tables, m.ID)
			if f.all || named {
				out = append(out, m)
			}
			found[m.Name], found[m.ID] = named, named
			there = append(there, m.Name)
		case "tablet":
			if n := len(out); n > 0 && out[n-1].Name == m.Name && m.State != "tombstoned" && m.State != "deleted" {
				rows[out[n-1].ID] = true
				read[m.ID] = m.State == "ready"
				f.places.tables[m.ID] = out[n-1].ID
			}
		}
	}
	members := map[string]bool{}
	for _, m := range info.Members {
		members[m.ID] = members[m.ID] || m.Kind == "tablet" && m.Name != ""
	}
	if f.all { // tables that the server has given up have no rows here, which is no failure
		out = slices.DeleteFunc(out, func(m arrowio.MemberInfo) bool { return !rows[m.ID] })
	}
	for _, m := range out {
		f.places.name(m.Name, m.ID)
	}
	tableless := "" // a tablet that may be of any table
	for _, w := range arrowio.WarningsOf(v) {
		if id := tabletOf(w.Place); w.Kind == arrowio.WarnLost && id != "" && !members[id] && tableless == "" {
			tableless = id
		}
		w.File = dir
		if tablet := tabletOf(w.Place); w.Kind != arrowio.WarnLost || !read[tablet] || w.Place != "tablet "+tablet {
			f.places.list(w, a.tell)
		}
	}
	for _, name := range f.tables {
		err := noTable(dir, name, there)
		switch {
		case found[name]:
		case f.denied != nil: // the table may be that of a superblock that may not be read
			return nil, fmt.Errorf("%s; it may be of the superblock that may not be read: %w", err.Error(), f.denied)
		case tableless != "":
			return nil, errs.Errorf(errs.ErrCorrupt, "%v; tablet %s, whose table is not known, may be of it", err, tableless)
		default:
			return nil, err
		}
	}
	return out, nil
}

// maxListed is how many tables the error of a missing one lists.
const maxListed = 50

// noTable is the error of a table that is not among those that are there.
func noTable(dir, name string, there []string) error {
	slices.Sort(there)
	if there = slices.Compact(there); len(there) == 0 {
		return errs.Errorf(errs.ErrOption, "%s: kudu: there is no table %q, and no other", dir, name)
	}
	more := ""
	if n := len(there) - maxListed; n > 0 {
		there, more = there[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	return errs.Errorf(errs.ErrOption, "%s: kudu: there is no table %q, only %s%s", dir, name, strings.Join(there, ", "), more)
}

// optionLines takes the values of an option that may be given several times apart.
func optionLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// fileNames returns the names of the tables' files, without endings: what is not safe in names of files is written %XX, and
// tables of one name have their ids behind it.
func fileNames(tables []arrowio.MemberInfo) []string {
	count := map[string]int{}
	for _, t := range tables {
		count[strings.ToLower(t.Name)]++
	}
	out := make([]string, len(tables))
	for i, t := range tables {
		name := strings.ReplaceAll(url.PathEscape(t.Name), ":", "%3A")
		if name == "" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "_") || count[strings.ToLower(t.Name)] > 1 {
			name = "table-" + name
			if count[strings.ToLower(t.Name)] > 1 || t.Name == "" {
				name += "." + t.ID
			}
		}
		out[i] = name
	}
	return out
}

// exportTable writes one table, and what makes it anew.
func (a *app) exportTable(ctx context.Context, f *kuduExportFlags, format arrowio.OutputFormat, dir, out string, m *arrowio.MemberInfo, t *exportedTable) error {
	if err := f.readFlags.options.values["kudu-table"].Set(m.Open[0].Value); err != nil {
		return err
	}
	f.coarse, f.nanos = nil, nil
	name := out + format.Extensions[0]
	f.done = func(r *convert.Report) error {
		t.Output, t.Rows, t.Bytes, t.Seconds = name, r.Rows, r.BytesOut, r.Seconds
		return nil
	}
	files, err := a.defineTable(ctx, f, dir, out, t)
	defer files.abort()
	if err != nil {
		return err
	}
	if err := f.readFlags.untilSound(func() error {
		return a.untilRead(func() (bool, error) { return a.convertTo(ctx, f.convertFlags, format, []string{dir}, name) })
	}); err != nil {
		return err
	}
	for _, x := range files {
		if err := inFile(x.name, explainExists(x.store.Commit())); err != nil {
			return err
		}
		t.Create = append(t.Create, x.name)
	}
	return nil
}

// textFile is a small file that appears when it is committed.
type textFile struct {
	name  string
	store arrowio.Store
}

type textFiles []textFile

// abort removes those that are not committed.
func (t textFiles) abort() {
	for _, x := range t {
		_ = x.store.Abort() // does nothing once it is committed
	}
}

// defineTable prepares the files that make a table anew.
func (a *app) defineTable(ctx context.Context, f *kuduExportFlags, dir, out string, t *exportedTable) (files textFiles, err error) {
	o := f.readFlags.options.forFormat(readkudu.Name)
	d, err := readkudu.Define(ctx, dir, arrowio.Limits{}, readkudu.Options{
		Data: optionLines(o["kudu-data-dir"]), Metadata: o["kudu-metadata-dir"], Key: o["kudu-encryption-key"], Table: o["kudu-table"], Salvage: o["kudu-salvage"] == "true",
		Rebuild: o["kudu-rebuild"], Schemas: optionLines(o["kudu-schema"]),
		Servers: optionLines(o["kudu-server"]), Replica: o["kudu-replica"], Merge: o["kudu-merge"] == "true",
	})
	if err != nil {
		return nil, inFile(dir, err)
	}
	t.Notes = append(t.Notes, d.Notes...)
	sql := d.Impala
	for _, n := range d.Notes {
		sql = "-- " + strings.ReplaceAll(n, "\n", " ") + "\n" + sql
	}
	for _, x := range []struct{ name, text string }{
		{out + ".create.json", string(d.Tool)}, {out + ".create.sql", sql}, {out + ".create.sh", strings.Join(d.Ranges, "\n") + "\n"},
	} {
		if strings.TrimSpace(x.text) == "" {
			continue
		}
		st, err := local.NewFileStore(x.name, local.FileStoreOptions{Force: f.force})
		if err != nil {
			return files, inFile(x.name, explainExists(err))
		}
		files = append(files, textFile{x.name, st})
		if err := fill(ctx, st, filepath.Base(x.name), x.text); err != nil {
			return files, err
		}
	}
	return files, nil
}

// fill writes the one file of a store.
func fill(ctx context.Context, st arrowio.Store, name, text string) error {
	k, err := st.Create(ctx, name)
	if err != nil {
		return err
	}
	_, err = k.Write([]byte(text))
	return errors.Join(err, k.Close())
}

func (r *kuduExport) print(w sheet) error {
	var rows [][]string
	total, bytes := int64(0), int64(0)
	for _, t := range r.Tables {
		state, file := "written", filepath.Base(t.Output)
		if t.Error != nil {
			if state, file = "failed", ""; t.Error.code == exitInterrupted {
				state = "interrupted"
			}
		}
		lost := 0
		for _, x := range t.Warnings {
			if x.Kind == arrowio.WarnLost {
				lost++
			}
		}
		warned := ""
		if n := len(t.Warnings); n > 0 {
			warned = counted(int64(n), "warning")
			if lost > 0 {
				warned += fmt.Sprintf(", %d of losses", lost)
			}
		}
		rows = append(rows, []string{t.Name, state, humanize.Comma(t.Rows), fmt.Sprint(t.Tablets), humanize.IBytes(uint64(t.Bytes)), file, warned})
		total += t.Rows
		bytes += t.Bytes
	}
	right := map[string]bool{"rows": true, "tablets": true, "size": true}
	if err := printTable(w, []string{"table", "state", "rows", "tablets", "size", "file", "told"}, right, rows); err != nil {
		return err
	}
	text := fmt.Sprintf("%s, %s, %s in %s", counted(int64(len(r.Tables)), "table"), counted(total, "row"), humanize.IBytes(uint64(bytes)), printable(r.Output))
	if r.Failed > 0 {
		text += fmt.Sprintf("; %d failed", r.Failed)
	}
	w.line("", "", text)
	if r.Failed > 0 && r.Failed < len(r.Tables) {
		w.line("note: ", "  ", "to export again what failed, name it with --table; with --all, --force replaces what is written already")
	}
	for _, t := range r.Tables {
		for _, n := range t.Notes {
			w.line("note: ", "  ", printable(fmt.Sprintf("table %s: %s", t.Name, n)))
		}
	}
	return nil
}
