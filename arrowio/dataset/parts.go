package dataset

import (
	"context"
	"errors"
	"math"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/workers"
)

// Part is a part of a scan: splits of one or several files, in order. Different processes can read different parts.
type Part struct {
	Files []FilePart
	Range *arrowio.RowRange // the rows that a scan of Files must ask for, counted over all of them; nil = all rows
	Rows  int64             // number of rows; arrowio.UnknownRows = only reading tells
	Bytes int64             // about how many stored bytes
}

// Limits of parts.
const (
	// DefaultPartBytes is about how many stored bytes a part has if PartOptions.Bytes is 0.
	DefaultPartBytes = 128 << 20
	// MaxPartFiles is the most files that a part may have if its rows can be counted only in one scan.
	MaxPartFiles = 4096

	partFiles = 256    // files of any other part, at most
	mostParts = 10_000 // about, where no number is asked for
)

// PartOptions says what Parts divides, and how.
type PartOptions struct {
	Filter *expr.Bound       // on the dataset's schema; nil = all rows
	Rows   *arrowio.RowRange // counted over the dataset before the filter; nil = all
	After  *arrowio.Place    // only rows after this place, which Scanner.Place returned; nil = all

	Parts int   // about how many parts; 0 = Bytes decides
	Bytes int64 // about how many stored bytes a part has; 0 = DefaultPartBytes. It is more if there would be over 10,000 parts

	Extents []Extent // extents of the fragments; nil = Parts opens the files to measure them
	// Open opens fragment i; nil = Fragment.Open does.
	Open func(ctx context.Context, i int) (arrowio.File, error)
}

// Parts divides a scan of d into parts. Every row of the scan is in exactly one part, and parts are in row order. A part begins
// and ends at the edge of a split, or at the first or last row of o.Rows. A split that the filter excludes is in no part, unless
// it lies between two other splits of a part; the scan of that part then skips it. If the filter excludes all splits, there are
// no parts.
//
// If o.Rows is set and some file does not say how many rows it has, there is one part with all files.
//
// Parts opens several files at the same time, each of them once, or twice if both o.Rows and o.Filter are set.
func (d *Dataset) Parts(ctx context.Context, o PartOptions) ([]Part, error) {
	p := planner{d: d, o: o, files: make([]fileToPlan, len(d.Fragments))}
	if err := p.check(); err != nil {
		return nil, err
	}
	if len(p.files) == 0 || p.o.Rows != nil && p.o.Rows.Len() == 0 {
		return nil, nil
	}
	if p.o.Rows != nil || p.o.After != nil { // which files these are in must be known first
		if err := p.each(ctx, p.measure); err != nil {
			return nil, err
		}
	}
	together := p.o.Rows != nil && p.unknown()
	if err := p.narrow(together); err != nil {
		return nil, err
	}
	if err := p.each(ctx, func(ctx context.Context, i int) error { return p.divide(ctx, i, together) }); err != nil {
		return nil, err
	}
	if !together {
		return p.cut(), nil
	}
	one := p.together()
	if len(one.Files) > MaxPartFiles {
		return nil, errs.Errorf(errs.ErrUnsupported, "rows by number need all %d files in one part, because some do not say how many rows they have; the most is %d", len(one.Files), MaxPartFiles)
	}
	return []Part{one}, nil
}

// planner makes parts.
type planner struct {
	d     *Dataset
	o     PartOptions
	files []fileToPlan
}

// fileToPlan is what is known of a file.
type fileToPlan struct {
	Extent
	measured bool
	from     int              // first split that is wanted
	rows     arrowio.RowRange // that are wanted
	pieces   []piece
}

// piece is a split that belongs to the scan.
type piece struct {
	split arrowio.Split // with the rows that are wanted
	at    int           // which of the file's
}

func (p *planner) check() error {
	switch {
	case p.o.Parts < 0 || p.o.Bytes < 0:
		return errs.Errorf(errs.ErrOption, "%d parts of %d bytes were asked for; neither number may be negative", p.o.Parts, p.o.Bytes)
	case p.o.Extents != nil && len(p.o.Extents) != len(p.files):
		return errs.Errorf(errs.ErrInternal, "%d extents of %d files", len(p.o.Extents), len(p.files))
	}
	if r := p.o.Rows; r != nil && *r == (arrowio.RowRange{End: math.MaxInt64}) {
		p.o.Rows = nil
	}
	for i := range p.o.Extents {
		p.files[i].Extent, p.files[i].measured = p.o.Extents[i], true
	}
	return nil
}

// each calls f for all files, several at the same time. Errors name the file.
func (p *planner) each(ctx context.Context, f func(ctx context.Context, i int) error) error {
	return workers.Each(openers, len(p.files), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := f(ctx, i)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return errs.Locate(err, errs.At{File: p.d.Fragments[i].Name})
	})
}

// measure opens a file to learn its extent, unless that is known.
func (p *planner) measure(ctx context.Context, i int) error {
	if p.files[i].measured {
		return nil
	}
	return p.open(ctx, i, func(arrowio.File) error { return nil })
}

// open opens file i, measures its extent unless that is known, calls use, and closes the file.
func (p *planner) open(ctx context.Context, i int, use func(f arrowio.File) error) (err error) {
	var f arrowio.File
	if p.o.Open != nil {
		f, err = p.o.Open(ctx, i)
	} else {
		f, err = p.d.Fragments[i].Open(ctx)
	}
	if err != nil {
		return err
	}
	closing := f
	defer func() { err = errors.Join(err, closing.Close()) }()
	x := &p.files[i]
	if !x.measured {
		if x.Extent, err = Measure(ctx, f); err != nil {
			return err
		}
		x.measured = true
	}
	shown, err := p.d.Show(f)
	if err != nil {
		return err
	}
	closing = shown
	return use(shown)
}

// unknown reports whether there is a file that does not say how many rows it has.
func (p *planner) unknown() bool {
	for i := range p.files {
		if p.files[i].Rows() == arrowio.UnknownRows {
			return true
		}
	}
	return false
}

// narrow finds the splits and rows of each file that Rows and After select; the filter comes later. If together is set, all files
// must be read, whichever rows are selected.
func (p *planner) narrow(together bool) error {
	base := int64(0) // rows of the files before
	for i := range p.files {
		x := &p.files[i]
		x.rows = arrowio.RowRange{End: math.MaxInt64}
		if r := p.o.Rows; r != nil && !together {
			x.rows = arrowio.RowRange{Start: max(0, r.Start-base), End: max(0, r.End-base)}
			base = sum(base, x.Extent.Rows())
		}
	}
	if p.o.After == nil {
		return nil
	}
	if together {
		return errs.Errorf(errs.ErrUnsupported, "cannot resume among rows by number: some files do not say how many rows they have")
	}
	at := p.o.After.Fragment
	if at < 0 || at >= len(p.files) || p.o.After.Split < 0 || p.o.After.Split >= max(1, len(p.files[at].Splits)) {
		return errs.Errorf(errs.ErrOption, "cannot resume at split %d of fragment %d: the dataset does not have it", p.o.After.Split, at)
	}
	x := &p.files[at]
	row := p.o.After.Rows.End
	if rows := x.Extent.Rows(); rows != arrowio.UnknownRows && row > rows {
		return errs.Errorf(errs.ErrOption, "cannot resume at row %d of fragment %d, which has %d rows", row, at, rows)
	}
	for i := range at {
		p.files[i].rows = arrowio.RowRange{}
	}
	x.from, x.rows.Start = p.o.After.Split, max(x.rows.Start, row)
	return nil
}

// divide finds the pieces of a file. If files are read together, no split is left out, since its rows must be counted.
func (p *planner) divide(ctx context.Context, i int, together bool) error {
	x := &p.files[i]
	filter := p.o.Filter
	if together {
		filter = nil
	}
	if x.rows.Len() == 0 {
		return nil
	}
	if never := p.d.Fragments[i].Never; filter != nil && never != nil && never(filter) {
		return nil
	}
	if !x.measured {
		return p.open(ctx, i, func(f arrowio.File) error {
			x.divide()
			return x.prune(ctx, f, filter)
		})
	}
	if x.divide(); filter == nil || len(x.pieces) == 0 {
		return nil
	}
	return p.open(ctx, i, func(f arrowio.File) error { return x.prune(ctx, f, filter) })
}

// divide lists the splits with selected rows.
func (x *fileToPlan) divide() {
	for i := min(x.from, len(x.Splits)); i < len(x.Splits); i++ {
		if s, ok := clip(x.Splits[i], x.rows); ok {
			x.pieces = append(x.pieces, piece{s, i})
		}
	}
}

// prune leaves out the splits that a filter cannot match; f is the file, as the dataset shows it.
func (x *fileToPlan) prune(ctx context.Context, f arrowio.File, filter *expr.Bound) error {
	if filter == nil {
		return nil
	}
	kept := x.pieces[:0]
	for _, c := range x.pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.split.Known() {
			may, err := f.Prune(ctx, x.Splits[c.at], filter)
			if err != nil {
				return err
			}
			if !may.Overlaps(c.split.Rows) {
				continue
			}
		}
		kept = append(kept, c)
	}
	x.pieces = kept
	return nil
}

// cut makes parts of about the same size.
func (p *planner) cut() []Part {
	size := p.partBytes()
	var parts []Part
	for i := range p.files {
		for k, c := range p.files[i].pieces {
			n := len(parts) - 1
			if n < 0 || parts[n].Bytes > size-c.split.Bytes/2 || k == 0 && len(parts[n].Files) >= partFiles {
				parts = append(parts, Part{})
				n++
			}
			p.add(&parts[n], i, c)
		}
	}
	return parts
}

// partBytes returns about how many stored bytes a part is to have.
func (p *planner) partBytes() int64 {
	var total int64
	for i := range p.files {
		for _, c := range p.files[i].pieces {
			total = sum(total, c.split.Bytes)
		}
	}
	if n := int64(p.o.Parts); n > 0 {
		return max(1, total/n+min(1, total%n))
	}
	size := p.o.Bytes
	if size == 0 {
		size = DefaultPartBytes
	}
	return max(size, total/mostParts+1)
}

// together makes one part of everything.
func (p *planner) together() Part {
	one := Part{Range: p.o.Rows}
	for i := range p.files {
		for _, c := range p.files[i].pieces {
			p.add(&one, i, c)
		}
	}
	return one
}

// add appends a piece of file i to a part.
func (p *planner) add(to *Part, i int, c piece) {
	switch {
	case p.o.Filter != nil || !c.split.Known():
		to.Rows = arrowio.UnknownRows
	case to.Rows != arrowio.UnknownRows:
		to.Rows = sum(to.Rows, c.split.Rows.Len())
	}
	to.Bytes = sum(to.Bytes, c.split.Bytes)
	if n := len(to.Files); n > 0 && to.Files[n-1].Fragment == i {
		to.Files[n-1].To = c.at + 1 // with those between that the filter cannot match
		return
	}
	x := &p.files[i]
	f := FilePart{Fragment: i, ID: x.ID, From: c.at, To: c.at + 1, Start: x.rows.Start}
	if c.split.Known() && x.rows.End < x.Extent.Rows() {
		f.End = x.rows.End
	}
	to.Files = append(to.Files, f)
}

// Together returns one part with all rows of parts, which must follow one another.
func Together(parts []Part) Part {
	var one Part
	for _, p := range parts {
		one.Files = append(one.Files, p.Files...)
		one.Bytes = sum(one.Bytes, p.Bytes)
		if one.Rows == arrowio.UnknownRows || p.Rows == arrowio.UnknownRows {
			one.Rows = arrowio.UnknownRows
		} else {
			one.Rows = sum(one.Rows, p.Rows)
		}
		if p.Range != nil {
			one.Range = p.Range // it was the only one
		}
	}
	return one
}
