package convert

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/plans"
)

// Options says what is read, how it is written, and which functions are called meanwhile. The zero value converts everything.
type Options struct {
	Scan  arrowio.ScanOptions
	Write arrowio.WriteOptions
	// Sort names the columns by which rows are sorted before they are written; nil = rows keep their order. Rows with equal
	// values keep their order; NaN is the greatest number. A column that does not exist, or whose type has no order (list, map,
	// struct, union), is ErrSchema.
	//
	// Sorting uses half of Write.Memory, and the writer the other half. Rows that do not fit go to scratch files of the store.
	// All rows are read before the first is written.
	Sort []SortColumn
	// SortByKey sorts by the output's key, WritePlan.Key. It is ErrOption if the output has no key, or if Sort is set as well.
	SortByKey bool
	// Limit is the maximal number of rows to write: the first ones, after sorting; 0 = all.
	Limit int64
	// PartitionBy names columns that become directories NAME=VALUE below the output, outermost first, as in Hive. Each row is
	// written, without these columns, to a file below the directory of its values. Null is written as __HIVE_DEFAULT_PARTITION__;
	// a text that would be read back as null is ErrSchema. Rows are sorted by these columns before those of Sort, so that the
	// directories are written one after the other. If there are no rows, the output is an empty directory. Formats whose output
	// is a directory are ErrOption. A column that does not exist, or whose values cannot be directory names, is ErrSchema.
	PartitionBy []string
	// Metadata changes the metadata that is written. It is ErrOption to drop a key that does not exist.
	Metadata MetadataEdit
	// DryRun stops after the plan: no rows are read, and the store is not used.
	DryRun bool
	// Planned is called with the plan before anything is written. If it returns an error, for example because of a loss, the
	// conversion ends. nil = every plan is accepted.
	Planned func(*arrowio.WritePlan) error
	// Complete is called with the number of rows when all rows are written, but before the output becomes visible. If it returns
	// an error, for example because rows are missing, the output is discarded. nil = any number is accepted.
	Complete func(rows int64) error
	// Progress is called after every batch by the goroutine that writes. It must not block.
	Progress func(Progress)
	// BytesIn returns how many bytes of input have been read so far, for the report; nil = not known.
	BytesIn func() int64
}

// Progress says how far a conversion has come.
type Progress struct {
	Rows     int64 // written
	Batches  int64
	BytesOut int64 // stored bytes that the writer has handed to its store
	// Sorted is the number of rows read for sorting; 0 = rows are not sorted. All rows are read before the first is written.
	Sorted int64
	// Merged of MergeRows rows have been merged from scratch files into fewer, because there were too many of them. Both are 0 if
	// that is not needed.
	Merged, MergeRows int64
}

// Report says what a conversion did.
type Report struct {
	Plan     *arrowio.WritePlan `json:"plan"`
	DryRun   bool               `json:"dry_run,omitempty"`
	Rows     int64              `json:"rows"`
	Batches  int64              `json:"batches"`
	BytesIn  int64              `json:"bytes_in"`
	BytesOut int64              `json:"bytes_out"`
	Seconds  float64            `json:"seconds"` // duration of the conversion
	// SortedBy names the columns by which rows were sorted, as SortColumn.String writes them; empty = not sorted. If the rows did
	// not fit into memory, SpilledRuns is the number of sorted runs that were written to scratch files, and SpilledBytes their
	// size.
	SortedBy     []string `json:"sorted_by,omitempty"`
	SpilledRuns  int64    `json:"spilled_runs,omitempty"`
	SpilledBytes int64    `json:"spilled_bytes,omitempty"`
	Files        []File   `json:"files"` // in the order in which the writer made them; none for a dry run
}

// File is one object of the output.
type File struct {
	Name  string `json:"name"` // relative to the output if that is a directory
	Bytes int64  `json:"bytes"`
}

// Losses returns everything that reading the output back does not show; see arrowio.WritePlan.Losses.
func (r *Report) Losses() []arrowio.Loss { return r.Plan.Losses() }

// Convert reads ds and writes it with f into st. If it succeeds, it commits st; after an error or a dry run it aborts st, which
// may be nil for a dry run. A dry run returns an error if a column cannot be read; see dataset.Dataset.Check. If ctx is
// cancelled, Convert returns an error.
//
// With an error, too, Convert returns the report of what was done; it is nil only if there is no plan.
func Convert(ctx context.Context, ds *dataset.Dataset, f arrowio.OutputFormat, st arrowio.Store, o Options) (*Report, error) {
	o.limitScan()
	return convert(ctx, ofDataset(wideIndices(ds, f)), f, st, o)
}

// Write is Convert of rows that are in no dataset. It reads rows to their end, or until o.Limit; the caller releases them. It is
// ErrOption if o.Scan says what to read of them; the other fields of o.Scan are about sorting.
func Write(ctx context.Context, rows array.RecordReader, f arrowio.OutputFormat, st arrowio.Store, o Options) (*Report, error) {
	if o.Scan.Columns != nil || o.Scan.Filter != nil || o.Scan.Rows != (arrowio.RowRange{}) {
		var err error = errs.Errorf(errs.ErrOption, "columns, filters and ranges are for datasets: these rows are written as they come")
		if st != nil {
			err = errors.Join(err, st.Abort())
		}
		return nil, err
	}
	return convert(ctx, ofReader(rows), f, st, o)
}

func convert(ctx context.Context, in source, f arrowio.OutputFormat, st arrowio.Store, o Options) (*Report, error) {
	start := time.Now()
	o.shareMemory()
	plan, parts, err := planFor(in, f, o)
	var by []SortColumn
	if err == nil {
		by, err = o.sortColumns(in.schema, plan)
		for _, c := range by {
			plan.Sorted = append(plan.Sorted, arrowio.SortedColumn(c))
		}
		plans.AddOrder(plan)
	}
	if plan != nil {
		by = parts.order(by)
		if parts != nil {
			all := *plan
			all.Columns = append(slices.Clone(plan.Columns), parts.columns()...)
			plan = &all
		}
	}
	if err == nil && o.Planned != nil {
		err = o.Planned(plan)
	}
	if err == nil && o.DryRun {
		err = in.check(ctx, o.Scan)
	}
	if err != nil || o.DryRun {
		if st != nil {
			err = errors.Join(err, st.Abort())
		}
		if plan == nil {
			return nil, err
		}
		return &Report{Plan: plan, DryRun: o.DryRun, SortedBy: sortNames(by), Files: []File{}}, err
	}
	counted := &countingStore{Store: st}
	r := &Report{Plan: plan, SortedBy: sortNames(by)}
	o.Sort = by
	err = r.copy(ctx, in, f, counted, parts, o)
	r.Seconds = time.Since(start).Seconds()
	r.Files, r.BytesOut = counted.files(), counted.bytes.Load()
	if o.BytesIn != nil {
		r.BytesIn = o.BytesIn()
	}
	return r, err
}

// planFor asks f what it makes of the columns that o selects, but for those that become directories.
func planFor(in source, f arrowio.OutputFormat, o Options) (*arrowio.WritePlan, *partitioning, error) {
	p, err := arrowio.Project(in.schema, o.Scan.Columns)
	if err != nil {
		return nil, nil, err
	}
	lost := slices.Concat(in.lost, notProjected(in.schema, p.Schema))
	edited, err := o.Metadata.apply(p.Schema, lost)
	if err != nil {
		return nil, nil, err
	}
	parts, err := o.newPartitioning(edited)
	switch {
	case err != nil:
		return nil, nil, err
	case parts != nil && f.Directory:
		return nil, nil, errs.Errorf(errs.ErrOption, "%s is a directory of files already: its rows cannot be partitioned", f.Name)
	case parts != nil:
		edited = parts.rest
	}
	plan, err := planOf(f, edited, o.Write)
	if err == nil {
		err = o.Metadata.written(plan)
	}
	if err != nil {
		return nil, nil, err
	}
	addLost(plan, o.Metadata.Remaining(lost), o.Scan.Columns)
	return plan, parts, nil
}

// planOf is f.Plan with a list of columns even where there are none, for reports in JSON.
func planOf(f arrowio.OutputFormat, s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	plan, err := f.Plan(s, o)
	if err == nil && plan.Columns == nil {
		plan.Columns = []arrowio.PlannedColumn{}
	}
	return plan, err
}

// copy streams the batches. Back-pressure is Scan's: it decodes no further ahead than its memory budget while Write is
// busy.
func (r *Report) copy(ctx context.Context, in source, f arrowio.OutputFormat, st *countingStore, parts *partitioning, o Options) error {
	// What the scan still does when the writer has failed is of no use to anyone.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var w arrowio.Writer = &partitioned{partitioning: parts, ctx: ctx, f: f, o: o.Write, st: st}
	var err error
	if parts == nil {
		if w, err = arrowio.NewWriter(ctx, f, st, r.Plan); err != nil {
			return err
		}
	}
	err = r.writeAll(ctx, in, w, st, o)
	if err == nil && o.Complete != nil {
		err = o.Complete(r.Rows)
	}
	if err != nil {
		// The error of Abort tells of leftovers; the reason stays in front. If w failed, it is aborted already.
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

func (r *Report) writeAll(ctx context.Context, from source, w arrowio.Writer, st *countingStore, o Options) (err error) {
	rr, err := from.scan(ctx, o.Scan)
	if err != nil {
		return err
	}
	done := Progress{}
	if len(o.Sort) > 0 {
		in := &sorting{o: &o, schema: rr.Schema(), st: st, done: &done}
		defer func() {
			stats := in.stats()
			r.SpilledRuns, r.SpilledBytes = stats.Runs, stats.SpilledBytes
			err = errors.Join(err, in.close())
		}()
		if rr, err = in.sorted(ctx, rr); err != nil {
			return err
		}
	}
	defer rr.Release()
	for (o.Limit == 0 || r.Rows < o.Limit) && rr.Next() {
		rows, err := o.write(w, rr.Record(), r.Rows)
		if err != nil {
			return err
		}
		r.Rows += rows
		r.Batches++
		if o.Progress != nil {
			done.Rows, done.Batches, done.BytesOut = r.Rows, r.Batches, st.bytes.Load()
			o.Progress(done)
		}
	}
	if o.Limit > 0 && r.Rows == o.Limit {
		return nil // whatever is wrong further on
	}
	return rr.Err()
}

// write hands rec to w, up to the limit, and returns how many rows that were; before is how many were written before it.
func (o *Options) write(w arrowio.Writer, rec arrow.Record, before int64) (int64, error) {
	rows := rec.NumRows()
	if o.Limit == 0 || rows <= o.Limit-before {
		return rows, w.Write(rec)
	}
	rows = o.Limit - before
	part := rec.NewSlice(0, rows)
	defer part.Release()
	return rows, w.Write(part)
}

// limitScan keeps the scan from reading what is beyond the limit, where that is known beforehand.
func (o *Options) limitScan() {
	if o.Limit <= 0 || o.Scan.Filter != nil || o.sorts() {
		return
	}
	rows := &o.Scan.Rows
	if end := rows.Start + o.Limit; end > 0 && (rows.End == 0 || end < rows.End) {
		rows.End = end
	}
}
