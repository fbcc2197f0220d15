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
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON bool
	var read *readFlags
	var bar *wordValue
	cmd := &cobra.Command{
		Use:   "verify [flags] INPUT...",
		Short: "Check every checksum, count, offset and statistic against the data",
		Long: `Verify reads all of every file and prints a line for each fault, or "ok" if there is none. If a file cannot be read at
all, verify goes on with the others. The exit code is 0 only if every file is ok, 1 if any has faults, and 3 if files
could not be read and no other has faults.

What is checked depends on the format. All of every file is decoded. CFiles, Kudu tables, Parquet, ORC and Trevni are compared
with the counts, offsets, indexes and statistics that they hold. Checksums: CFiles (Kudu's blocks, too) and Trevni may have
them, Parquet may have them for each page, ORC has none; IPC, CSV and JSON lines hold nothing to compare with. Where checksums
are missing, a changed value may go unnoticed, and verify says so: "ok (9 of 10 columns have no checksum; all 1,000 rows
decode)". The headers of Trevni, and the footers of ORC and Parquet, never have checksums: changed metadata, such as names of columns,
may go unnoticed. Columns that cannot be decoded, such as encrypted ones, are named, and are not checked; of encrypted columns of ORC
whose keys are missing the masked values are. Warnings that rows may be missing, such as of a log of Kudu that was not closed, are no
faults, and are counted behind "ok".

Of an Iceberg table the metadata, the delete files and the data files are checked, a line each.

Of the directories of a Kudu server all tables are checked, unless --kudu-table or --kudu-tablet names what to check.

With --schema a file must also be one that can be read as that schema: all its rows are, and what does not fit is a fault.

--json prints {"ok", "files": [{"file", "format", "ok", "method", "rows", "checksums", "undecoded",
"faults", "error", "warnings"}]}; docs/json.md has the schema.`,
		Example: `  arrowio verify events.orc
  arrowio verify --from kudu /kudu/wal
  arrowio verify --json archive/*.trv | jq '.files[] | select(.ok | not)'`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.verify(cmd.Context(), read, args, asJSON, bar.word)
		},
	}
	read = a.addReadFlags(cmd)
	read.purpose = arrowio.ForVerify
	read.shown = addSchemaFlags(cmd)
	bar = addProgressFlag(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON object")
	return cmd
}

// verdict is what verify found out about a file.
type verdict struct {
	File   string `json:"file"`
	Format string `json:"format"`
	OK     bool   `json:"ok"`
	Method string `json:"method"` // "checks", the format's own, or "scan"
	Rows   *int64 `json:"rows"`   // decoded; null = not counted
	// Checksums says what has checksums; null = the format has none, or there are faults.
	Checksums *arrowio.Checksums `json:"checksums"`
	Undecoded []string           `json:"undecoded"` // columns

	Faults []failure `json:"faults"`
	Error  *failure  `json:"error"` // why the file could not be read; null = it could

	Warnings []arrowio.Warning `json:"warnings"`

	empty bool // it is a file of no bytes
}

// maxFaults bounds what verify remembers of one file; all are printed.
const maxFaults = 10_000

// verifyReport is the JSON of a verify.
type verifyReport struct {
	OK    bool      `json:"ok"`
	Files []verdict `json:"files"`
}

func (a *app) verify(ctx context.Context, read *readFlags, in []string, asJSON bool, progressMode string) error {
	all := verifyReport{OK: true, Files: []verdict{}}
	bad, faults := 0, 0
	show, err := read.shown.options(read)
	if err != nil {
		return err
	}
	if show.Partitions, err = read.partitions.options(); err != nil {
		return err
	}
	var unread error // of files that could not be read
	add := func(v verdict) {
		v.Warnings = a.warnings.of(v.File)
		all.OK = all.OK && v.OK
		all.Files = append(all.Files, v)
	}
	check := func(in dataset.Input) error {
		v, err := a.verifyFile(ctx, read, show, in, asJSON, progressMode, &faults)
		if err == nil && !v.OK {
			bad++
		}
		if err == nil {
			add(v)
		}
		return err
	}
	for _, arg := range in {
		err := a.eachInput(ctx, []string{arg}, read, func(in dataset.Input) error {
			err := check(in)
			if !passable(ctx, err) {
				return err
			}
			unread = a.passOver(in.Path, err, add)
			return nil
		})
		if passable(ctx, err) {
			unread = a.passOver(arg, err, add)
		} else if err != nil {
			return err
		}
	}
	if asJSON {
		if err := printJSON(a.stdout, all); err != nil {
			return err
		}
	}
	switch {
	case bad > 0 && len(all.Files) == 1:
		return inFile(all.Files[0].File, errs.Errorf(errs.ErrCorrupt, "%s found", plural(faults, "fault")))
	case bad > 0:
		return errs.Errorf(errs.ErrCorrupt, "%s found in %d of %d files", plural(faults, "fault"), bad, len(all.Files))
	}
	return unread
}

// passable reports whether an error keeps only one file from being verified.
func passable(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return false
	}
	f := describe(ctx, err)
	return f.code == exitSystem && !f.silent
}

// passOver prints why a file could not be read, and returns that as an error that was printed.
func (a *app) passOver(path string, err error, add func(verdict)) error {
	err = inFile(displayName(path), err)
	f := describe(context.Background(), err)
	f.print(a.onErrors(), a.jsonErrors)
	add(verdict{File: displayName(path), Faults: []failure{}, Undecoded: []string{}, Method: "none", Error: &f})
	return &printedError{err}
}

// verifyFile checks one file. Trouble with the data is a fault of the file; an error is trouble of any other kind.
func (a *app) verifyFile(ctx context.Context, read *readFlags, show readers.Options, in dataset.Input, asJSON bool, progressMode string, faults *int) (verdict, error) {
	shown := displayName(in.Path)
	v := verdict{File: shown, Method: "checks", Faults: []failure{}, Undecoded: []string{}}
	var printErr error
	bar := (*progress)(nil)
	report := func(err error) {
		f := describe(ctx, inFile(shown, err))
		*faults++
		v.Format = orElse(v.Format, f.Format)
		if len(v.Faults) < maxFaults {
			v.Faults = append(v.Faults, f)
		}
		if !asJSON && printErr == nil {
			bar.aside(func() { printErr = a.onSheet(a.stdout).printLine(orElse(f.File, shown) + ": " + f.Message) })
		}
	}
	err := a.withFile(ctx, in, read, func(file *openFile) (err error) {
		v.Format, v.empty = file.Format(), file.BytesStored() == 0 && !file.IsDirectory()
		bar = a.startProgress(progressMode, shown, work{rows: -1, bytes: file.BytesStored(), read: file.BytesRead})
		defer bar.stop()
		if readkudu.IsOverview(file) && show.Schema != nil {
			return errs.Errorf(errs.ErrOption, "kudu: there are several tables, and --schema is for one; say which with --kudu-table")
		}
		warn := func() {
			bar.aside(func() { a.warn(file.name, &doubtless{read.shown.warned(read, file)}, nil) })
		}
		if checker, ok := arrowio.As[arrowio.Verifier](file); ok {
			err = checker.Verify(ctx, report)
			warn()
			if err == nil && len(v.Faults) == 0 {
				err = countChecksums(ctx, file, &v)
			}
			if err != nil || show.Schema == nil {
				return err
			}
		} else {
			v.Method = "scan"
		}
		under, err := dataset.ShowInput(view.WithClose(file, nil), in, show)
		if err != nil {
			return err
		}
		if len(v.Faults) == 0 { // otherwise they would be told again
			var rows int64
			var columns []string
			if r, ok := arrowio.As[interface{ RefusedColumns() []string }](file); ok && len(r.RefusedColumns()) > 0 && show.Schema == nil {
				v.Undecoded = append(v.Undecoded, r.RefusedColumns()...)
				columns = []string{}
				for _, f := range under.Schema().Fields() {
					if !slices.Contains(v.Undecoded, f.Name) {
						columns = append(columns, expr.Quote(f.Name))
					}
				}
			}
			if rows, err = scanAll(ctx, under, read, columns, bar); err == nil {
				v.Rows = &rows
			}
			if d, ok := arrowio.As[interface{ Doubts() []error }](file); ok && v.Method == "scan" {
				for _, fault := range d.Doubts() {
					report(fault)
				}
			}
			warn()
		}
		return err
	})
	var ae *errs.Error
	if errors.As(err, &ae) && ae.Kind != errs.ErrOption && ctx.Err() == nil {
		report(err)
		err = nil
	}
	if err != nil || printErr != nil {
		return v, errors.Join(err, printErr)
	}
	v.OK = len(v.Faults) == 0
	if v.OK && !asJSON {
		v.Warnings = a.warnings.of(shown)
		return v, a.printOK(v)
	}
	return v, nil
}

// doubtless is a file without the warnings that are faults to verify.
type doubtless struct{ arrowio.File }

// Warnings implements arrowio.Warner.
func (f *doubtless) Warnings() []arrowio.Warning {
	told := map[string]bool{}
	if d, ok := arrowio.As[interface{ Doubts() []error }](f.File); ok {
		for _, fault := range d.Doubts() {
			told[fault.Error()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(arrowio.WarningsOf(f.File)), func(w arrowio.Warning) bool {
		return w.Kind == arrowio.WarnDoubt && told[w.Text]
	})
}

// countChecksums adds to v, of a file without faults, what has checksums, which columns were not decoded, and how many rows were.
func countChecksums(ctx context.Context, file *openFile, v *verdict) error {
	counter, ok := arrowio.As[arrowio.ChecksumCounter](file)
	if !ok {
		return nil
	}
	sums, err := counter.CountChecksums(ctx)
	if err != nil {
		return err
	}
	v.Checksums, v.Undecoded = &sums, append(v.Undecoded, sums.Undecoded...)
	if readkudu.IsOverview(file) {
		return nil
	}
	var rows int64
	for _, s := range file.Splits() {
		if !s.Known() {
			return nil
		}
		rows += s.Rows.Len()
	}
	v.Rows = &rows
	return nil
}

func (a *app) printOK(v verdict) error {
	if said := v.reserves(); len(said) > 0 {
		return a.onSheet(a.stdout).printLine(fmt.Sprintf("%s: ok (%s)", v.File, strings.Join(said, "; ")))
	}
	return a.printf("%s: ok\n", printable(v.File))
}

// reserves says what of a file without faults was not checked, and what was done instead; nil = all of it was checked.
func (v verdict) reserves() (said []string) {
	if v.empty {
		return []string{"the file has no bytes, and nothing was checked"}
	}
	said = v.unchecked()
	for _, w := range v.Warnings {
		if w.Kind == arrowio.WarnMasked {
			said = append(said, "the encrypted values of "+brief(w.Columns)+" were not checked, only the masked ones")
		}
	}
	doubts := 0
	for _, w := range v.Warnings {
		if w.Kind == arrowio.WarnDoubt {
			doubts++
		}
	}
	if doubts > 0 {
		said = append(said, counted(int64(doubts), "warning")+" of what may be missing or wrong")
	}
	return said
}

// unchecked says what has no checksum and what could not be decoded, and what was done instead; nil = there is no such part.
func (v verdict) unchecked() (said []string) {
	if v.Method == "scan" {
		said = append(said, v.Format+" keeps no checks of its own")
	} else if lack := lacking(v.Checksums); lack != "" {
		said = append(said, lack)
	}
	rows := "all rows"
	if v.Rows != nil {
		rows = fmt.Sprintf("all %s rows", humanize.Comma(*v.Rows))
	}
	switch n := len(v.Undecoded); {
	case n == 1:
		said = append(said, "column "+v.Undecoded[0]+" cannot be decoded and was not checked")
	case n > 1:
		said = append(said, fmt.Sprintf("%d columns cannot be decoded and were not checked: %s", n, brief(v.Undecoded)))
	case len(said) > 0:
		return append(said, rows+" decode")
	}
	if len(said) > 0 {
		said = append(said, rows+" of the other columns decode")
	}
	return said
}

// brief lists names, the first of them where there are many.
func brief(names []string) string {
	const most = 8
	if n := len(names); n > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	}
	return strings.Join(names, ", ")
}

// lacking says which parts of a file have no checksum, "" if all have one or nothing is known.
func lacking(c *arrowio.Checksums) string {
	switch {
	case c == nil || c.With == c.Parts:
		return ""
	case c.With > 0:
		return fmt.Sprintf("%s of %s %ss have no checksum", humanize.Comma(int64(c.Parts-c.With)), humanize.Comma(int64(c.Parts)), c.Unit)
	case c.Unit == "file":
		return "the file has no checksums"
	}
	return fmt.Sprintf("no %s has a checksum", c.Unit)
}

// scanAll decodes columns, nil = all, and counts the rows.
func scanAll(ctx context.Context, f arrowio.File, read *readFlags, columns []string, bar *progress) (int64, error) {
	o := scanOptions(read, nil)
	o.Columns = columns
	rr, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return 0, err
	}
	defer rr.Release()
	var rows int64
	for rr.Next() {
		rows += rr.Record().NumRows()
		bar.set(rows)
	}
	return rows, rr.Err()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
