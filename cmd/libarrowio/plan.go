package main

import (
	"context"
	"errors"
	"math"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/workers"
)

// planRequest asks for the parts that a scan can be divided into.
type planRequest struct {
	Call   string    `json:"call"`
	Handle uint64    `json:"handle"`
	Where  string    `json:"where"`
	Rows   *[2]int64 `json:"rows"`
	Parts  int       `json:"parts"` // about so many; 0 = by size
}

// planned is the answer: parts that hold all rows of the scan, each once, in order.
type planned struct {
	Whole whole  `json:"whole"`
	Parts []part `json:"parts"`
}

// part is a range of rows over some files, one after the other. It begins and ends where splits do.
type part struct {
	Files []partFile `json:"files"`
	Rows  *[2]int64  `json:"rows,omitempty"` // of these files together; null = all of them
	Count *int64     `json:"count"`          // how many rows there are; null = not known before reading
	Bytes int64      `json:"bytes"`          // stored
}

const (
	partBytes = 128 << 20 // of a part where nobody says how many there shall be
	partFiles = 1024      // at most
	planners  = 8         // files that are looked at together
	maxParts  = 1 << 20
)

func planHandle(ctx context.Context, request string) (*planned, error) {
	var r planRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	if r.Parts < 0 || r.Parts > maxParts {
		return nil, errs.Errorf(errs.ErrOption, "parts is %d; it may be 1 to %d", r.Parts, maxParts)
	}
	h, err := take(r.Handle)
	if err != nil {
		return nil, err
	}
	defer h.release()
	p := planner{h: h, rows: arrowio.RowRange{End: math.MaxInt64}, files: make([]planFile, len(h.Fragments))}
	if r.Rows != nil {
		p.rows = arrowio.RowRange{Start: r.Rows[0], End: r.Rows[1]}
	}
	f, err := filterOf(r.Where)
	if err != nil {
		return nil, err
	}
	if f != nil {
		if p.filter, err = expr.Bind(f, h.Schema); err != nil {
			return nil, misfit(err)
		}
	}
	out := &planned{}
	if out.Whole, err = h.whole(); err != nil {
		return nil, err
	}
	if err := p.look(ctx); err != nil {
		return nil, h.locate(err)
	}
	out.Parts = p.cut(r.Parts)
	return out, nil
}

// whole returns what parts of h say of it.
func (h *handle) whole() (whole, error) {
	w := whole{Open: h.request, Schema: dataset.SchemaHash(h.Schema)}
	w.Open.Call, w.Open.Paths = "", nil
	for k, s := range h.shapes.all {
		b, err := schemaBytes(s)
		if err != nil {
			return w, err
		}
		w.Schemas = append(w.Schemas, fileSchema{h.inputs[h.shapes.first[k]], b})
	}
	if h.request.Partitions == "none" {
		return w, nil
	}
	keys := h.inputs[0].Keys() // of all of them, or there were no dataset
	for i, key := range keys {
		t := h.Schema.Field(h.Schema.NumFields() - len(keys) + i).Type
		for name, x := range columnTypes {
			if x.ID() == t.ID() {
				if w.Types == nil {
					w.Types = map[string]string{}
				}
				w.Types[key] = name
			}
		}
	}
	return w, nil
}

// planner finds the splits of a scan and puts them together.
type planner struct {
	h      *handle
	filter *expr.Bound // nil = all rows
	rows   arrowio.RowRange
	files  []planFile
}

// planFile is what is known of a file.
type planFile struct {
	partFile
	splits []arrowio.Split
	never  []bool // by split: the filter cannot match
	rows   int64  // arrowio.UnknownRows = it does not say
}

// counted reports whether rows are wanted by their number.
func (p *planner) counted() bool { return p.rows != arrowio.RowRange{End: math.MaxInt64} }

// look opens every file that may have rows of the scan.
func (p *planner) look(ctx context.Context) error {
	return workers.Each(planners, len(p.files), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		fr := p.h.Fragments[i]
		if p.filter != nil && !p.counted() && fr.Never != nil && fr.Never(p.filter) {
			return nil
		}
		err := p.lookAt(ctx, i, fr)
		if err != nil && ctx.Err() == nil {
			err = about(p.h.inputs[i].Path, err)
		}
		return err
	})
}

func (p *planner) lookAt(ctx context.Context, i int, fr arrowio.Fragment) (err error) {
	f, err := fr.Open(ctx)
	if err != nil {
		return err
	}
	shown := f
	defer func() { err = errors.Join(err, shown.Close()) }()
	x := &p.files[i]
	if x.ID, err = arrowio.Identity(ctx, f); err != nil {
		return err
	}
	s, err := p.h.Show(f)
	if err != nil {
		return err
	}
	shown = s
	x.Input, x.Schema = p.h.inputs[i], p.h.shapes.of(i)
	if x.Schema < 0 {
		return errs.Errorf(errs.ErrUnsupported, "the file was not looked at when the dataset was opened: open it without a filter, and plan with one")
	}
	x.splits = append(x.splits, f.Splits()...)
	x.never = make([]bool, len(x.splits))
	for k, split := range x.splits {
		if !split.Known() {
			x.rows = arrowio.UnknownRows
			continue
		}
		if x.rows != arrowio.UnknownRows {
			x.rows = split.Rows.End
		}
		if p.filter == nil {
			continue
		}
		may, err := shown.Prune(ctx, split, p.filter)
		if err != nil {
			return err
		}
		x.never[k] = !may.Overlaps(split.Rows)
	}
	return nil
}

// piece is a split that belongs to the scan, or a file that does not say how many rows it has.
type piece struct {
	file  int
	rows  arrowio.RowRange // of the file; of all of it where they are not known
	bytes int64
}

// pieces lists them. together: they can only be read in one go, because the number of rows is not known.
func (p *planner) pieces() (out []piece, together bool) {
	base := int64(0)
	for i := range p.files {
		x := &p.files[i]
		if x.rows == arrowio.UnknownRows {
			if p.counted() {
				return nil, true
			}
			out = append(out, piece{file: i, bytes: stored(x.splits)})
			continue
		}
		want := arrowio.RowRange{Start: max(0, p.rows.Start-base), End: max(0, p.rows.End-base)}
		base += x.rows
		for k, s := range x.splits {
			rows := s.Rows.Intersect(want)
			if rows.Len() == 0 || x.never[k] {
				continue
			}
			out = append(out, piece{file: i, rows: rows, bytes: max(s.Bytes, 1)})
		}
	}
	return out, false
}

func stored(splits []arrowio.Split) int64 {
	n := int64(1)
	for _, s := range splits {
		n += max(s.Bytes, 0)
	}
	return n
}

// cut makes parts of about the same size.
func (p *planner) cut(parts int) []part {
	pieces, together := p.pieces()
	if together {
		one := part{Rows: &[2]int64{p.rows.Start, p.rows.End}}
		for i := range p.files {
			one.Files = append(one.Files, p.files[i].partFile)
			one.Bytes += stored(p.files[i].splits)
		}
		return []part{one}
	}
	var total int64
	for _, x := range pieces {
		total += x.bytes
	}
	size := int64(partBytes)
	if parts > 0 {
		size = max(1, (total+int64(parts)-1)/int64(parts))
	}
	out := []part{}
	for len(pieces) > 0 {
		n, bytes := 1, pieces[0].bytes
		for n < len(pieces) && p.joins(pieces[:n], pieces[n]) && bytes+pieces[n].bytes/2 <= size {
			bytes += pieces[n].bytes
			n++
		}
		x := p.part(pieces[:n])
		x.Bytes = bytes
		out = append(out, x)
		pieces = pieces[n:]
	}
	return out
}

// joins reports whether the next piece can be of one part with these.
func (p *planner) joins(these []piece, next piece) bool {
	last := these[len(these)-1]
	if last.file == next.file {
		return true
	}
	return next.file-these[0].file < partFiles && p.unknown(last) == p.unknown(next)
}

func (p *planner) unknown(x piece) bool { return p.files[x.file].rows == arrowio.UnknownRows }

// part makes a part of pieces. Splits between them that the filter cannot match come along: the scan leaves them out again.
func (p *planner) part(pieces []piece) (out part) {
	first, last := pieces[0], pieces[len(pieces)-1]
	var before, count int64 // rows of the files before the last; rows of the pieces
	for i, x := range pieces {
		if i == 0 || x.file != pieces[i-1].file {
			out.Files = append(out.Files, p.files[x.file].partFile)
			if x.file != last.file {
				before += p.files[x.file].rows
			}
		}
		count += x.rows.Len()
	}
	if p.unknown(first) {
		return out
	}
	if p.filter == nil {
		out.Count = &count
	}
	end := before + last.rows.End
	if first.rows.Start > 0 || end < before+p.files[last.file].rows {
		out.Rows = &[2]int64{first.rows.Start, end}
	}
	return out
}
