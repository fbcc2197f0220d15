package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/splitcopy"
)

// MergeInput is a file of which parts are copied. Open is called once to look at it and once to copy; Merge closes what it returns.
type MergeInput struct {
	Name string
	Open func(ctx context.Context) (*dataset.File, error)
}

// MergeOptions says how Merge divides what it copies into files. A limit of 0 is none; each file has at least one part.
type MergeOptions struct {
	MaxFileBytes int64 // stored bytes of the parts of a file
	MaxFileRows  int64
	MaxFileParts int // stripes or row groups
	// Extension ends the names of the files, part-00000 and so on.
	Extension string
	// BlockBytes says within what blocks stripes of ORC lie: 0 = those of the store, if it has any; -1 = of none; else of so many bytes.
	BlockBytes int64
	// Metadata sets keys of the files' metadata, and drops others; "*" drops all. A key that no file has is ignored.
	Metadata MetadataEdit
	// DryRun stops after all files have been looked at; the store is not used.
	DryRun bool
	// Progress is called with the bytes that have been copied, and those of all parts, by the goroutine that copies.
	Progress func(done, all int64)
}

// MergeReport says what Merge did, or would do.
type MergeReport struct {
	Format   string  `json:"format"`
	DryRun   bool    `json:"dry_run,omitempty"`
	Inputs   int     `json:"inputs"`
	Parts    int     `json:"parts"` // stripes or row groups that were copied
	Rows     int64   `json:"rows"`
	BytesIn  int64   `json:"bytes_in"` // of the inputs
	BytesOut int64   `json:"bytes_out"`
	Seconds  float64 `json:"seconds"`
	Files    []File  `json:"files"` // of a dry run their number is right, and their bytes are those of their parts
}

// Merge makes one file of several, or several of one, by copying stripes or row groups as they are stored, in the order of the inputs.
// Rows, encodings, compression, indexes and bloom filters stay as they are; statistics of a file are joined from those of its parts.
// Nothing is decoded.
//
// All inputs must be of one format that supports it, with the same types, codec and, as the format needs it, the same writer:
// anything else is ErrSchema or ErrUnsupported and names the file. All are looked at before anything is written. If Merge succeeds, it
// commits st; after an error or a dry run it aborts st, which may be nil for a dry run.
func Merge(ctx context.Context, in []MergeInput, st arrowio.Store, o MergeOptions) (_ *MergeReport, err error) {
	start := time.Now()
	if st != nil {
		defer func() {
			if err != nil || o.DryRun {
				err = errors.Join(err, st.Abort())
			}
		}()
	}
	m := &merge{o: o, in: in, st: st, report: &MergeReport{DryRun: o.DryRun, Inputs: len(in), Files: []File{}}}
	defer m.close()
	if err := m.look(ctx); err != nil {
		return nil, err
	}
	if !o.DryRun {
		if err := m.copy(ctx); err != nil {
			return nil, err
		}
		if err := st.Commit(); err != nil {
			return nil, err
		}
	}
	m.report.Seconds = time.Since(start).Seconds()
	return m.report, nil
}

// piece is some parts of an input that go to one file.
type piece struct{ input, first, end int }

// planned is a file of the output.
type planned struct {
	pieces []piece
	parts  int
	rows   int64
	bytes  int64
}

// full reports whether the file has no room for another part.
func (p *planned) full(next splitcopy.Part, o *MergeOptions) bool {
	return p.parts > 0 && (o.MaxFileParts > 0 && p.parts >= o.MaxFileParts ||
		o.MaxFileRows > 0 && p.rows+next.Rows > o.MaxFileRows ||
		o.MaxFileBytes > 0 && p.bytes+next.Bytes > o.MaxFileBytes)
}

type merge struct {
	o      MergeOptions
	in     []MergeInput
	st     arrowio.Store
	report *MergeReport
	first  *dataset.File // all others are compared with it
	files  []*planned
	all    int64 // bytes of all parts
	done   int64 // of these, copied
}

func (m *merge) close() {
	if m.first != nil {
		_ = m.first.Close() // it was only read
	}
}

// look opens all inputs, compares them and decides which parts go to which file.
func (m *merge) look(ctx context.Context) error {
	m.files = []*planned{{}}
	for i, in := range m.in {
		f, err := in.Open(ctx)
		if err != nil {
			return err
		}
		if i == 0 {
			m.first = f
		}
		err = errs.Locate(m.lookAt(ctx, f, i), errs.At{File: in.Name})
		if i > 0 {
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return err
		}
	}
	if m.report.DryRun {
		for i, p := range m.files {
			m.report.Files = append(m.report.Files, File{Name: m.name(i), Bytes: p.bytes})
		}
		m.report.BytesOut = m.all
	}
	return nil
}

func (m *merge) name(i int) string { return fmt.Sprintf("part-%05d%s", i, m.o.Extension) }

func (m *merge) lookAt(ctx context.Context, f *dataset.File, i int) error {
	c, err := copierOf(f)
	if err != nil {
		return err
	}
	if m.report.BytesIn += f.BytesStored(); i == 0 {
		m.report.Format = f.Format()
	} else if err := m.like(f, c); err != nil {
		return err
	}
	parts, err := c.Parts(ctx)
	if err == nil && i > 0 {
		err = m.like(f, c) // of some formats Parts learns more
	}
	if err != nil {
		return err
	}
	last := m.files[len(m.files)-1]
	if len(parts) == 0 { // its metadata count
		last.pieces = append(last.pieces, piece{input: i})
	}
	for k, p := range parts {
		if last.full(p, &m.o) {
			last = &planned{}
			m.files = append(m.files, last)
		}
		if n := len(last.pieces); n > 0 && last.pieces[n-1].input == i && k > 0 {
			last.pieces[n-1].end++
		} else {
			last.pieces = append(last.pieces, piece{i, k, k + 1})
		}
		last.parts, last.rows, last.bytes = last.parts+1, last.rows+p.Rows, last.bytes+p.Bytes
		m.report.Parts, m.report.Rows, m.all = m.report.Parts+1, m.report.Rows+p.Rows, m.all+p.Bytes
	}
	return nil
}

// copierOf returns what copies parts of a file: the file of the format, with nothing around it that hides rows.
func copierOf(f *dataset.File) (splitcopy.Copier, error) {
	if c, ok := f.File.(splitcopy.Copier); ok {
		return c, nil
	}
	return nil, errs.Errorf(errs.ErrUnsupported, "parts of this file of the format %s cannot be copied as they are; use convert", f.Format())
}

// like compares an input with the first.
func (m *merge) like(f *dataset.File, c splitcopy.Copier) error {
	if f.Format() != m.first.Format() {
		return errs.Errorf(errs.ErrSchema, "the format is %s, but %s has %s; use convert", f.Format(), m.in[0].Name, m.first.Format())
	}
	first, err := copierOf(m.first)
	if err != nil {
		return err
	}
	var d *splitcopy.Difference
	if err = first.Like(c); errors.As(err, &d) {
		return errs.Errorf(errs.ErrSchema, "%s: %s, but %s has %s; use convert", d.What, d.This, m.in[0].Name, d.First)
	}
	return err
}

// copy writes the files.
func (m *merge) copy(ctx context.Context) error {
	open := &opened{m: m, at: -1}
	defer open.close()
	st := &countingStore{Store: m.st}
	for i, p := range m.files {
		sink, err := st.Create(ctx, m.name(i))
		if err != nil {
			return err
		}
		if err := errors.Join(m.copyFile(ctx, sink, p, open), sink.Close()); err != nil {
			return err
		}
	}
	m.report.BytesOut, m.report.Files = st.bytes.Load(), st.files()
	return nil
}

func (m *merge) copyFile(ctx context.Context, out io.Writer, p *planned, open *opened) error {
	var to splitcopy.Copy
	o := splitcopy.Options{Metadata: m.o.Metadata.Set, DropMetadata: m.o.Metadata.Drop, BlockBytes: m.o.BlockBytes, Progress: func(n int64) {
		if m.done += n; m.o.Progress != nil {
			m.o.Progress(m.done, m.all)
		}
	}}
	for _, x := range p.pieces {
		c, err := open.file(ctx, x.input)
		if err != nil {
			return err
		}
		if to == nil {
			to = c.NewCopy(out, o)
			open.hold = to.Holds()
		}
		if err := to.Add(ctx, c, x.first, x.end); err != nil {
			return errs.Locate(err, errs.At{File: m.in[x.input].Name})
		}
	}
	err := to.Close(ctx)
	open.release()
	return err
}

// opened keeps the input open that is being copied, or all inputs of the file that is being made.
type opened struct {
	m    *merge
	at   int
	last *dataset.File
	hold bool
	held []*dataset.File // beside last
}

func (o *opened) file(ctx context.Context, i int) (splitcopy.Copier, error) {
	if i != o.at {
		o.leave()
		f, err := o.m.in[i].Open(ctx)
		if err != nil {
			return nil, err
		}
		o.last, o.at = f, i
	}
	return copierOf(o.last)
}

// leave closes the last input, or holds it.
func (o *opened) leave() {
	switch {
	case o.last == nil:
	case o.hold:
		o.held = append(o.held, o.last)
	default:
		_ = o.last.Close() // it was only read
	}
	o.last, o.at = nil, -1
}

// release closes the inputs that were held for the file that is now made.
func (o *opened) release() {
	for _, f := range o.held {
		_ = f.Close() // it was only read
	}
	o.held = nil
}

func (o *opened) close() {
	o.hold = false
	o.leave()
	o.release()
}
