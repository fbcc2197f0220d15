package convert

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// Options says what is read, how it is written, and who is told. The zero value converts everything.
type Options struct {
	Scan  arrowio.ScanOptions
	Write arrowio.WriteOptions
	// DryRun stops after the plan: no data is read, the store is not touched.
	DryRun bool
	// Planned is called with the plan before anything is written; an error from it (a loss that the caller does not
	// want) ends the conversion. nil = every plan will do.
	Planned func(*arrowio.WritePlan) error
	// Progress is called after every batch, by the goroutine that writes: it must not block.
	Progress func(Progress)
	// BytesIn tells how many bytes of input were read so far, for the report; nil = not known.
	BytesIn func() int64
}

// Progress is how far a conversion is.
type Progress struct {
	Rows     int64 // written
	Batches  int64
	BytesOut int64 // stored bytes that the writer has handed to its store
}

// Report says what a conversion did.
type Report struct {
	Plan     *arrowio.WritePlan `json:"plan"`
	DryRun   bool               `json:"dry_run,omitempty"`
	Rows     int64              `json:"rows"`
	Batches  int64              `json:"batches"`
	BytesIn  int64              `json:"bytes_in"`
	BytesOut int64              `json:"bytes_out"`
	Files    []File             `json:"files"` // in the order in which the writer made them; none for a dry run
}

// File is one object of the output.
type File struct {
	Name  string `json:"name"` // as the writer called it, below the output where that is a directory
	Bytes int64  `json:"bytes"`
}

// Losses returns the columns of which something will be lost.
func (r *Report) Losses() []arrowio.PlannedColumn {
	var out []arrowio.PlannedColumn
	for _, c := range r.Plan.Columns {
		if c.Loss != "" {
			out = append(out, c)
		}
	}
	return out
}

// Convert reads ds and writes it with f into st. It ends the store in any case: committed when the error is nil,
// aborted otherwise and after a dry run (which takes a nil store, too). A cancelled ctx is an error like any other.
//
// The report is returned with an error as well, as far as it got; it is nil only if there is no plan.
func Convert(ctx context.Context, ds *arrowio.Dataset, f arrowio.OutputFormat, st arrowio.Store, o Options) (*Report, error) {
	plan, err := planFor(ds.Schema, f, o)
	if err == nil && o.Planned != nil {
		err = o.Planned(plan)
	}
	if err != nil || o.DryRun {
		if st != nil {
			err = errors.Join(err, st.Abort())
		}
		if plan == nil {
			return nil, err
		}
		return &Report{Plan: plan, DryRun: o.DryRun, Files: []File{}}, err
	}
	counted := &countingStore{Store: st}
	r := &Report{Plan: plan}
	err = r.copy(ctx, ds, f, counted, o)
	r.Files, r.BytesOut = counted.files(), counted.bytes.Load()
	if o.BytesIn != nil {
		r.BytesIn = o.BytesIn()
	}
	return r, err
}

// planFor asks f what it makes of the columns that o selects.
func planFor(s *arrow.Schema, f arrowio.OutputFormat, o Options) (*arrowio.WritePlan, error) {
	p, err := arrowio.Project(s, o.Scan.Columns)
	if err != nil {
		return nil, err
	}
	return f.Plan(p.Schema, o.Write)
}

// copy streams the batches. Back-pressure is Scan's: it decodes no further ahead than its memory budget while Write is
// busy.
func (r *Report) copy(ctx context.Context, ds *arrowio.Dataset, f arrowio.OutputFormat, st *countingStore, o Options) error {
	// What the scan still does when the writer has failed is of no use to anyone.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := arrowio.NewWriter(ctx, f, st, r.Plan)
	if err != nil {
		return err
	}
	if err := r.writeAll(ctx, ds, w, st, o); err != nil {
		// The error of Abort tells of leftovers; the reason stays in front. If w failed, it is aborted already.
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

func (r *Report) writeAll(ctx context.Context, ds *arrowio.Dataset, w arrowio.Writer, st *countingStore, o Options) error {
	rr, err := ds.Scan(ctx, o.Scan)
	if err != nil {
		return err
	}
	defer rr.Release()
	for rr.Next() {
		rec := rr.Record()
		rows := rec.NumRows()
		if err := w.Write(rec); err != nil {
			return err
		}
		r.Rows += rows
		r.Batches++
		if o.Progress != nil {
			o.Progress(Progress{Rows: r.Rows, Batches: r.Batches, BytesOut: st.bytes.Load()})
		}
	}
	return rr.Err()
}
