package flight

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow/flight"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// endpoints divides what a command asks for into parts of about bytes stored bytes, an endpoint each. There is at least one,
// of no files where there is nothing. Splits that the filter cannot match are left out.
func (b *bound) endpoints(ctx context.Context, bytes int64) ([]dataset.Part, error) {
	parts, err := b.parts(ctx, dataset.PartOptions{Filter: b.filter, Parts: b.Endpoints, Bytes: bytes})
	if err == nil && len(parts) == 0 {
		parts = []dataset.Part{{Files: []Part{}}}
	}
	return parts, err
}

// together returns all that a command asks for as one part. filter: splits that the filter cannot match are left out, which
// opens files; without it the scan leaves them out.
func (b *bound) together(ctx context.Context, filter bool) (dataset.Part, error) {
	o := dataset.PartOptions{Parts: 1}
	if filter {
		o.Filter = b.filter
	}
	parts, err := b.parts(ctx, o)
	one := dataset.Together(parts)
	if one.Files == nil {
		one.Files = []Part{}
	}
	return one, err
}

// parts divides the rows of a command.
func (b *bound) parts(ctx context.Context, o dataset.PartOptions) ([]dataset.Part, error) {
	if b.rows != (arrowio.RowRange{End: math.MaxInt64}) {
		o.Rows = &b.rows
	}
	if r := b.Resume; r != nil {
		o.After = &arrowio.Place{Fragment: r.Fragment, Split: r.Split, Rows: arrowio.RowRange{End: r.Row}}
	}
	all := b.entry.whole()
	o.Open = all.Open
	o.Extents = make([]dataset.Extent, len(all.Fragments))
	for i, f := range all.Fragments {
		o.Extents[i] = dataset.Extent{ID: f.Identity, Splits: f.Splits}
	}
	return b.data.Parts(ctx, o)
}

// ticket returns the ticket of a part.
func (b *bound) ticket(p dataset.Part, schema, query string) *Ticket {
	t := &Ticket{Command: *b.Command, Parts: p.Files, Schema: schema, Query: query}
	t.Endpoints, t.Resume = 0, nil // the parts say it
	if p.Range == nil {
		t.Rows = ""
	}
	return t
}

// flightEndpoints returns the endpoints as clients get them, and how many rows and stored bytes they are together.
func (b *bound) flightEndpoints(parts []dataset.Part, schema, query string, locations []string) (out []*flight.FlightEndpoint, rows, bytes int64) {
	var at []*flight.Location
	for _, l := range locations {
		at = append(at, &flight.Location{Uri: l})
	}
	for _, p := range parts {
		out = append(out, &flight.FlightEndpoint{
			Ticket:   &flight.Ticket{Ticket: b.ticket(p, schema, query).Bytes()},
			Location: at,
		})
	}
	all := dataset.Together(parts)
	return out, all.Rows, all.Bytes
}
