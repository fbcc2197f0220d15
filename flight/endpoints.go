package flight

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"golang.org/x/sync/errgroup"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Endpoints are cut where their splits have this many stored bytes, or where one has splits of this many files.
const (
	defaultEndpointBytes = 128 << 20
	maxEndpointFiles     = 256
)

// piece is a split that belongs to the answer.
type piece struct {
	fragment int
	split    arrowio.Split // clipped
	start    int64         // of the clip; 0, 0 = none
	end      int64
}

// endpoint is what one ticket stands for.
type endpoint struct {
	parts []Part
	rows  int64 // arrowio.UnknownRows = not known
	bytes int64 // stored
}

// endpoints cuts what a command asks for into endpoints of about bytes stored bytes, in order. Splits that the filter
// cannot match are left out. There is at least one, of no parts where there is nothing.
func (b *bound) endpoints(ctx context.Context, bytes int64) ([]endpoint, error) {
	pieces, err := b.pieces()
	if err == nil && b.filter != nil && !b.together() { // what is counted must be there
		pieces, err = b.prune(ctx, pieces)
	}
	if err != nil {
		return nil, err
	}
	return b.cut(pieces, bytes)
}

// parts returns all that a command asks for, for one stream. What its filter cannot match the scan leaves out.
func (b *bound) parts() ([]Part, error) {
	pieces, err := b.pieces()
	if err != nil {
		return nil, err
	}
	es, err := b.cut(pieces, math.MaxInt64/2)
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, e := range es {
		parts = append(parts, e.parts...)
	}
	return parts, nil
}

func (b *bound) cut(pieces []piece, bytes int64) ([]endpoint, error) {
	var total int64
	for _, p := range pieces {
		total += max(p.split.Bytes, 0)
	}
	if b.Endpoints > 0 {
		bytes = max(1, (total+int64(b.Endpoints)-1)/int64(b.Endpoints))
	}
	bytes = max(bytes, total/maxEndpoints+1)
	one := b.together()
	var out []endpoint
	var e *endpoint
	for _, p := range pieces {
		if e == nil || !one && (e.bytes+p.split.Bytes/2 > bytes || len(e.parts) >= maxEndpointFiles && e.parts[len(e.parts)-1].Fragment != p.fragment) {
			out = append(out, endpoint{parts: []Part{}})
			e = &out[len(out)-1]
		}
		e.add(b.entry, p, b.filter == nil)
	}
	if e == nil {
		out = []endpoint{{parts: []Part{}}}
	}
	if one && len(out[0].parts) > maxParts {
		return nil, errs.Errorf(errs.ErrUnsupported, "rows by number over %d files that do not say how many they have", len(out[0].parts))
	}
	return out, nil
}

// together reports whether the rows that are wanted can only be found by counting them from the start, in one stream.
func (b *bound) together() bool { return b.counted() && b.entry.Rows == arrowio.UnknownRows }

// counted reports whether rows are asked for by their number in the dataset.
func (b *bound) counted() bool { return b.rows != arrowio.RowRange{End: math.MaxInt64} }

// add puts a piece behind the others.
func (e *endpoint) add(entry *Entry, p piece, countable bool) {
	switch {
	case !countable || !p.split.Known():
		e.rows = arrowio.UnknownRows
	case e.rows != arrowio.UnknownRows:
		e.rows += p.split.Rows.Len()
	}
	e.bytes += max(p.split.Bytes, 0)
	n := p.split.Ordinal
	if k := len(e.parts) - 1; k >= 0 {
		if last := &e.parts[k]; last.Fragment == p.fragment {
			last.To = n + 1 // with those between that the filter cannot match: the scan leaves them out again
			return
		}
	}
	e.parts = append(e.parts, Part{Fragment: p.fragment, ID: entry.Fragments[p.fragment].Identity, From: n, To: n + 1, Start: p.start, End: p.end})
}

// pieces lists the splits that hold rows of the command, by its rows and where it resumes.
func (b *bound) pieces() ([]piece, error) {
	var out []piece
	base := int64(0) // rows of the files before
	resume := b.Resume
	if resume != nil {
		if resume.Fragment >= len(b.entry.Fragments) || resume.Split >= max(1, len(b.entry.Fragments[resume.Fragment].Splits)) {
			return nil, errs.Errorf(errs.ErrOption, "resume at split %d of fragment %d, which the dataset does not have", resume.Split, resume.Fragment)
		}
		if rows := b.entry.Fragments[resume.Fragment].Rows; rows != arrowio.UnknownRows && resume.Row > rows {
			return nil, errs.Errorf(errs.ErrOption, "resume at row %d of fragment %d, which has %d", resume.Row, resume.Fragment, rows)
		}
		if b.together() {
			return nil, errs.Errorf(errs.ErrUnsupported, "to resume among rows by number, where files do not say how many they have")
		}
	}
	for i, f := range b.entry.Fragments {
		rows := arrowio.RowRange{End: math.MaxInt64}
		if b.counted() && !b.together() {
			rows = arrowio.RowRange{Start: max(0, b.rows.Start-base), End: max(0, b.rows.End-base)}
			base += f.Rows
		}
		from := 0
		if resume != nil {
			if i < resume.Fragment {
				continue
			}
			if i == resume.Fragment {
				from, rows.Start = resume.Split, max(rows.Start, resume.Row)
			}
		}
		for _, s := range f.Splits[min(from, len(f.Splits)):] {
			s, ok := clip(s, rows)
			if !ok {
				continue
			}
			p := piece{fragment: i, split: s, start: rows.Start, end: rows.End}
			if rows.End == math.MaxInt64 || s.Known() && rows.End >= f.Rows {
				p.end = 0
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// prune leaves out the splits that the filter cannot match, by what their files know of them.
func (b *bound) prune(ctx context.Context, pieces []piece) ([]piece, error) {
	keep := make([]bool, len(pieces))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(openers)
	for from := 0; from < len(pieces); {
		to := from
		for to < len(pieces) && pieces[to].fragment == pieces[from].fragment {
			to++
		}
		these, kept := pieces[from:to], keep[from:to]
		g.Go(func() error { return b.pruneFile(ctx, these, kept) })
		from = to
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []piece
	for i, p := range pieces {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out, nil
}

func (b *bound) pruneFile(ctx context.Context, pieces []piece, keep []bool) error {
	i := pieces[0].fragment
	if never := b.data.Fragments[i].Never; never != nil && never(b.filter) {
		return nil
	}
	f, err := b.entry.Open(ctx, i)
	if err != nil {
		return err
	}
	shown, err := b.data.Show(f)
	if err != nil {
		_ = f.Close() // it was not read
		return err
	}
	defer shown.Close()
	for k, p := range pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !p.split.Known() {
			keep[k] = true
			continue
		}
		may, err := shown.Prune(ctx, b.entry.Fragments[i].Splits[p.split.Ordinal], b.filter)
		if err != nil {
			return err
		}
		keep[k] = may.Overlaps(p.split.Rows)
	}
	return nil
}

// ticket returns the ticket of an endpoint.
func (b *bound) ticket(e endpoint, schema, query string) *Ticket {
	t := &Ticket{Command: *b.Command, Parts: e.parts, Schema: schema, Query: query}
	t.Endpoints, t.Resume = 0, nil // the parts say it
	if !b.together() {
		t.Rows = ""
	}
	return t
}

// flightEndpoints returns the endpoints as clients get them, and how many rows and stored bytes they are together.
func (b *bound) flightEndpoints(es []endpoint, schema, query string, locations []string) (out []*flight.FlightEndpoint, rows, bytes int64) {
	var at []*flight.Location
	for _, l := range locations {
		at = append(at, &flight.Location{Uri: l})
	}
	for _, e := range es {
		out = append(out, &flight.FlightEndpoint{
			Ticket:   &flight.Ticket{Ticket: b.ticket(e, schema, query).Bytes()},
			Location: at,
		})
		bytes += e.bytes
		if rows != arrowio.UnknownRows && e.rows != arrowio.UnknownRows {
			rows += e.rows
		} else {
			rows = arrowio.UnknownRows
		}
	}
	return out, rows, bytes
}
