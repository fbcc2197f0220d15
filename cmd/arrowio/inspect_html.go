package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/report"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

// htmlFlags say what goes into a report.
type htmlFlags struct {
	out    string
	force  bool
	verify bool
	sample numberValue
}

const (
	maxReportBlocks = 6_000_000 // whose places are looked up for a picture
	maxReportTables = 12        // of a directory that are looked into
	maxReportFaults = 50
	maxSample       = 100_000
)

func (h *htmlFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&h.out, "html", "", "write a report for a browser to `FILE`, - for standard output")
	fs.BoolVar(&h.force, "force", false, "with --html, replace FILE if it is a page")
	fs.BoolVar(&h.verify, "verify", false, "with --html, verify every file and report the verdict; reads all of each")
	h.sample.min = 1
	fs.Var(&h.sample, "sample", "with --html, show histograms of `N` rows of each file, chosen at random")
}

// check reports options that do not go together.
func (h *htmlFlags) check(cmd *cobra.Command, asJSON bool) error {
	fs := cmd.Flags()
	if fs.Changed("html") {
		switch {
		case h.out == "":
			return usagef("--html: the name of FILE is empty")
		case asJSON:
			return usagef("--html and --json exclude each other")
		case h.sample.n > maxSample:
			return usagef("--sample: want at most %s", humanize.Comma(maxSample))
		}
		return nil
	}
	for _, name := range []string{"force", "verify", "sample"} {
		if fs.Changed(name) {
			return usagef("--%s is only for --html", name)
		}
	}
	return nil
}

// blocks asks for the blocks and the statistics of groups, unless there are too many: then it returns how many.
func (h *htmlFlags) blocks(ctx context.Context, f arrowio.File, o *arrowio.InfoOptions) (int, error) {
	few, err := f.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range few.Columns {
		n += max(0, few.Columns[i].Blocks)
	}
	o.Groups = true
	if n > maxReportBlocks {
		return n, nil
	}
	o.Blocks = true
	return 0, nil
}

// reporter makes a report of inputs.
type reporter struct {
	*inspector
	made  *report.Report
	at    dataset.Input // that is being looked at
	table string        // of a directory that holds several; "" = all of it
	found []arrowio.MemberInfo
	unread
}

// report writes a report of all inputs. An input that cannot be read is in it with the reason, which is printed, too; the first such
// error is returned when the report is written.
func (a *app) report(ctx context.Context, f *inspectFlags, in []string, askedChecksums bool) error {
	if f.html.verify && slices.Contains(in, "-") {
		return usagef("--verify reads an INPUT twice, and standard input can be read only once")
	}
	st, err := a.openPage(ctx, in, f.html.out, f.html.force)
	if err != nil {
		return err
	}
	r := &reporter{made: report.New(report.Options{Title: reportTitle(in), Version: buildVersion().Version})}
	r.inspector = &inspector{app: a, f: f, askedChecksums: askedChecksums, use: func(file *openFile, doc inspection) error { return r.add(ctx, file, doc) }}
	if err := r.all(ctx, in); err != nil {
		return errors.Join(err, st.Abort())
	}
	if err := writePage(ctx, st, r.made.Write); err != nil {
		return errors.Join(err, st.Abort())
	}
	return r.first
}

// writePage writes a page, which is there when all of it is.
func writePage(ctx context.Context, st arrowio.Store, write func(w io.Writer) error) error {
	k, err := st.Create(ctx, "page.html")
	if err != nil {
		return err
	}
	if err := write(k); err != nil {
		return errors.Join(err, k.Close())
	}
	if err := k.Close(); err != nil {
		return err
	}
	return st.Commit()
}

// all inspects every input.
func (r *reporter) all(ctx context.Context, in []string) error {
	found, err := r.find(ctx, in)
	if err != nil {
		return err
	}
	for _, x := range found {
		err := x.err
		if r.at, r.found = x.Input, nil; err == nil {
			r.withKeys = x.withKeys
			err = r.each(ctx, x.n, x.Input)
		}
		if err := r.pass(ctx, displayName(x.Path), err); err != nil {
			return err
		}
		if err := r.tables(ctx, x.n); err != nil {
			return err
		}
	}
	return nil
}

// pass adds an input that cannot be read to the report. Errors of the command line, and interruptions, are returned.
func (r *reporter) pass(ctx context.Context, name string, err error) error {
	if err == nil || !ofInput(ctx, err) {
		return err
	}
	r.keep(ctx, r.app, inFile(name, err))
	r.made.Add(report.File{Name: name, Error: describe(ctx, err).Message, Part: r.table != ""})
	return nil
}

// tables looks into the first tables of a directory that holds several.
func (r *reporter) tables(ctx context.Context, n int) error {
	left := maxReportTables
	for _, m := range r.found {
		if !hasReport(&m) || left == 0 {
			continue
		}
		v := r.f.options.values[m.Open[0].Option]
		if v == nil {
			continue
		}
		left--
		old := *v
		v.text, v.set = m.Open[0].Value, true
		r.table = m.Name
		err := r.pass(ctx, displayName(r.at.Path)+": table "+m.Name, r.each(ctx, n, r.at))
		r.table, *v = "", old
		if err != nil {
			return err
		}
	}
	return nil
}

// hasReport reports whether a member of a directory is a table to look into: those that were given up, and empty ones, have nothing to show.
func hasReport(m *arrowio.MemberInfo) bool {
	return m.Kind == "table" && len(m.Open) == 1 && m.Bytes != 0
}

// notLookedInto says that some tables are too many; "" = none are.
func notLookedInto(members []arrowio.MemberInfo) string {
	n, option := 0, ""
	for i := range members {
		if hasReport(&members[i]) {
			n, option = n+1, members[i].Open[0].Option
		}
	}
	if n <= maxReportTables {
		return ""
	}
	return fmt.Sprintf("the first %d of %s tables are looked into: --%s looks into another", maxReportTables, humanize.Comma(int64(n)), option)
}

// add adds a file that was inspected.
func (r *reporter) add(ctx context.Context, file *openFile, doc inspection) error {
	x := report.File{Name: doc.File, Info: doc.Info, Schema: doc.Schema, Warnings: doc.Warnings, Blocks: doc.blocksOf}
	overview := readkudu.IsOverview(file)
	switch {
	case overview:
		x.Schema, r.found, x.Unread = nil, doc.Members, notLookedInto(doc.Members)
	case x.Schema == nil:
		x.Schema = file.Schema()
	}
	if r.table != "" {
		x.Name, x.Part = x.Name+": table "+r.table, true
	}
	if !doc.ChecksumsChecked && slices.ContainsFunc(doc.Columns, func(c arrowio.ColumnInfo) bool { return c.Checksum != "" }) {
		x.Unread = "checksums were not checked: --checksums reads every block"
	}
	x.Filter = filterOf(&doc, r.f)
	var err error
	if r.f.html.sample.n > 0 && x.Schema != nil && x.Schema.NumFields() > 0 {
		if x.Sample, err = r.sampleRows(ctx, file); err != nil {
			return err
		}
	}
	if r.f.html.verify && r.table == "" { // what verifies a directory verifies its tables
		if x.Verdict, err = r.verdict(ctx); err != nil {
			return err
		}
		if !x.Verdict.OK {
			r.keep(ctx, r.app, inFile(doc.File, errs.Errorf(errs.ErrCorrupt, "%s found", plural(x.Verdict.FaultsOf, "fault"))))
		}
	}
	r.made.Add(x)
	return nil
}

// filterOf says what a filter leaves; nil = there is none.
func filterOf(doc *inspection, f *inspectFlags) *report.Filter {
	p := doc.Pruning
	if p == nil {
		return nil
	}
	out := &report.Filter{Text: p.Filter, Units: doc.Plan, Names: expr.Columns(f.where.x)}
	if p.unbounded {
		out.Reads = "everything: a stream has no index"
		return out
	}
	out.Reads = fmt.Sprintf("%d of %d splits, %s of %s rows, about %s of %s", p.Splits, p.SplitsOf, humanize.Comma(*p.Rows), humanize.Comma(*p.RowsOf),
		humanize.IBytes(uint64(p.Bytes)), humanize.IBytes(uint64(p.BytesOf)))
	return out
}

// verdict verifies the input.
func (r *reporter) verdict(ctx context.Context) (*report.Verdict, error) {
	read := *r.f.readFlags
	read.purpose = arrowio.ForVerify
	faults := 0
	v, err := r.verifyFile(ctx, &read, r.show, r.at, true, "never", &faults)
	if err != nil {
		return nil, err
	}
	out := &report.Verdict{OK: v.OK, Said: strings.Join(v.reserves(), "; "), FaultsOf: faults}
	for _, f := range v.Faults[:min(len(v.Faults), maxReportFaults)] {
		out.Faults = append(out.Faults, f.Message)
	}
	return out, nil
}

// sampleRows reads random rows of a file; the first ones, where how many there are is not known before all are read.
func (r *reporter) sampleRows(ctx context.Context, file *openFile) (*report.Sample, error) {
	shown, err := dataset.Show(view.WithClose(file, nil), r.show)
	if err != nil {
		return nil, err
	}
	c := report.NewCollector(shown.Schema())
	o := scanOptions(r.f.readFlags, nil)
	total := int64(0)
	for _, s := range shown.Splits() {
		if !s.Known() {
			total = arrowio.UnknownRows
			break
		}
		total += s.Rows.Len()
	}
	if total == arrowio.UnknownRows {
		if err := firstRows(ctx, shown, r.f.html.sample.n, o, c); err != nil {
			return nil, err
		}
		return c.Sample(total, true), nil
	}
	chosen := choose(rand.New(rand.NewPCG(1, 0)), r.f.html.sample.n, total) // the same report of the same file
	var first int64
	for _, s := range shown.Splits() {
		n, _ := slices.BinarySearch(chosen, first+s.Rows.Len())
		if n > 0 {
			if err := take(ctx, shown, piece{rows: s.Rows, matches: s.Rows.Len()}, first, chosen[:n], o, c); err != nil {
				return nil, err
			}
		}
		first += s.Rows.Len()
		chosen = chosen[n:]
	}
	return c.Sample(total, false), nil
}

// firstRows sends the first n rows of a file to out.
func firstRows(ctx context.Context, f arrowio.File, n int64, o arrowio.ScanOptions, out rowPrinter) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what was read ahead is of no use
	rr, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return err
	}
	defer rr.Release()
	for n > 0 && rr.Next() {
		k := min(n, rr.Record().NumRows())
		if err := writeRows(out, rr.Record(), 0, k); err != nil {
			return err
		}
		n -= k
	}
	if n <= 0 {
		return nil
	}
	return rr.Err()
}

// reportTitle names the inputs.
func reportTitle(in []string) string {
	const most = 3
	var names []string
	for _, p := range in[:min(len(in), most)] {
		names = append(names, displayName(p))
	}
	title := strings.Join(names, ", ")
	if n := len(in) - most; n > 0 {
		title += " and " + humanize.Comma(int64(n)) + " more"
	}
	return title
}
