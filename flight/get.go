package flight

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/flight/internal/transport"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// DoGet implements the RPC: it streams what a ticket stands for.
func (s *service) DoGet(t *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	ctx := stream.Context()
	return transport.Streaming(ctx, func() error { return s.serveTicket(ctx, t, stream) })
}

func (s *service) serveTicket(ctx context.Context, t *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	if sql.Owns(t.GetTicket()) {
		return s.sql.Get(ctx, t.GetTicket(), stream)
	}
	ticket, err := ParseTicket(t.GetTicket())
	if err != nil {
		return err
	}
	return s.withTicketRows(ctx, ticket, func(p *ticketRows) error {
		return s.streamRows(ctx, p, stream, rowsToSend{schema: p.b.schema, places: p.b.entry.Numbered()})
	})
}

// withTicketRows calls use with the part of a dataset that a ticket stands for. The names of files in the error are public.
func (s *service) withTicketRows(ctx context.Context, t *Ticket, use func(*ticketRows) error) error {
	e, err := s.open(ctx, PermitRead, t.Dataset, t.openOptions())
	if err != nil {
		return err
	}
	if c := CallFrom(ctx); c != nil {
		c.query.Store(&t.Query)
		if c.Statement() == "" {
			c.say(t.said())
		}
	}
	p, err := s.newTicketRows(ctx, e, t)
	if errors.Is(err, errChanged) { // another server of the fleet may know more
		again, lookErr := e.of.lookAgain(ctx, e.whole())
		switch {
		case lookErr != nil:
			return e.failed(ctx, lookErr)
		case again != e.whole():
			if e, err = s.sharedWith(ctx, again); err != nil {
				return err
			}
			p, err = s.newTicketRows(ctx, e, t)
		}
	}
	if err == nil {
		err = use(p)
	}
	return e.Public(err)
}

// ticketRows is the part of a dataset that a ticket stands for, being read.
type ticketRows struct {
	b       *bound
	data    *dataset.Dataset // a fragment for each part
	parts   []Part
	files   []Fragment  // of each part
	changed atomic.Bool // a file was changed while it was read
}

func (s *service) newTicketRows(ctx context.Context, e *Entry, t *Ticket) (*ticketRows, error) {
	b, err := t.bind(e)
	switch {
	case t.Schema == "" && err != nil, err != nil && !errors.Is(err, errs.ErrSchema):
		return nil, err
	case t.Schema == "" || err == nil && t.Schema == dataset.SchemaHash(b.schema):
	case e.guard != nil || s.restricts(e.Name):
		return nil, unfit(e.Name)
	default: // it fitted when the ticket was made
		return nil, changed(e.Name)
	}
	return b.of(ctx, t)
}

// of returns the rows of a ticket whose command is b.
func (b *bound) of(ctx context.Context, t *Ticket) (*ticketRows, error) {
	if t.Parts == nil { // all of it, as one stream
		part, err := b.together(ctx, false)
		if err != nil {
			return nil, b.entry.failed(ctx, err)
		}
		t = b.ticket(part, "", "")
	}
	parts, err := t.resumed()
	if err != nil {
		return nil, err
	}
	left := *t
	left.Parts = parts
	at, err := left.resolve(b.entry)
	if err != nil {
		return nil, err
	}
	p := &ticketRows{b: b, parts: parts}
	data := *b.data
	data.Fragments = make([]arrowio.Fragment, len(parts))
	p.files = make([]Fragment, len(parts))
	for i, part := range parts {
		p.files[i] = b.entry.whole().Fragments[at[i]]
		data.Fragments[i] = arrowio.Fragment{
			Name:  b.data.Fragments[at[i]].Name,
			Far:   b.data.Fragments[at[i]].Far,
			Never: b.data.Fragments[at[i]].Never,
			Open:  func(ctx context.Context) (arrowio.File, error) { return p.open(ctx, at[i], part) },
		}
	}
	p.data = &data
	b.rows, err = t.rowRange()
	return p, err
}

// open opens the file of a part, and looks at it again before it is closed.
func (p *ticketRows) open(ctx context.Context, fragment int, part Part) (arrowio.File, error) {
	f, err := p.b.entry.whole().Open(ctx, fragment)
	if err != nil {
		return nil, err
	}
	checked := view.WithClose(f, func() error {
		err := p.b.entry.whole().check(context.WithoutCancel(ctx), fragment, f)
		if errors.Is(err, errChanged) {
			p.changed.Store(true)
		}
		return f.Close()
	})
	shown, err := part.Show(checked)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return shown, nil
}

// rowsToSend says what is sent of the rows of a ticket.
type rowsToSend struct {
	schema *arrow.Schema
	places bool // each batch says where its rows come from
	// add sends what becomes of a record, which it does not keep, and reports whether more are wanted; nil = all, as they are.
	add func(rec arrow.Record, m transport.BatchMeta, send sql.Sending) (more bool, err error)
	end func(send sql.Sending) error // sends what is left at the end; nil = nothing is
}

// streamRows scans and sends.
func (s *service) streamRows(ctx context.Context, p *ticketRows, stream grpc.ServerStream, to rowsToSend) error {
	o := p.b.scanOptions()
	o.Rows = p.b.rows
	scan, err := s.scan(ctx, p, o)
	if err != nil {
		return err
	}
	defer scan.Release()
	mem := s.allocator()
	out, err := newSender(stream, to.schema, p.b.bodies(), mem)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := out.Begin(); err != nil { // before the first row is looked for, which may take its time
		return err
	}
	var meta transport.MetaBuilder
	cut := &transport.Batches{Rows: o.BatchRows, Bytes: o.BatchBytes, Mem: mem, Send: func(rec arrow.Record, m transport.BatchMeta) error {
		if !to.places {
			return out.Send(rec, nil)
		}
		return out.Send(rec, meta.Build(m))
	}}
	defer cut.Release()
	err = p.each(ctx, scan, func(rec arrow.Record, m transport.BatchMeta) (more bool, err error) {
		if to.add == nil {
			return true, cut.Add(rec, m)
		}
		return to.add(rec, m, cut.Add)
	})
	if err == nil && to.end != nil {
		err = to.end(cut.Add)
	}
	if err != nil {
		return err
	}
	return cut.Flush()
}

// allocator returns that of records.
func (s *service) allocator() memory.Allocator {
	if s.o.Allocator != nil {
		return s.o.Allocator
	}
	return arrowbuf.Shared()
}

// scan begins to read the rows of a ticket with what its call may use. The caller releases it.
func (s *service) scan(ctx context.Context, p *ticketRows, o arrowio.ScanOptions) (*arrowio.Scanner, error) {
	if err := reserve(ctx, p.small()); err != nil {
		return nil, err
	}
	o.Parallelism, o.MemoryBudget, o.Allocator = s.o.Parallelism, s.o.Memory, s.o.Allocator
	if c := CallFrom(ctx); c != nil {
		c.lease.Scan(&o)
	}
	scan, err := p.data.Scan(ctx, o)
	return scan, p.b.entry.failed(ctx, err)
}

// Bounds of a scan that reads little. Few stored bytes may be many rows, and text says nothing of its rows.
const (
	smallBytes = 1 << 20
	smallRows  = 64 << 10
	smallText  = 256 << 10
)

// small reports whether there is little to read.
func (p *ticketRows) small() bool {
	var bytes, rows int64
	most := int64(smallBytes)
	for i, part := range p.parts {
		for _, s := range p.files[i].Splits[part.From:part.To] {
			bytes += max(s.Bytes, 0)
			if s.Known() {
				rows += s.Rows.Len()
			} else {
				most = smallText
			}
			if bytes > most || rows > smallRows {
				return false
			}
		}
	}
	return true
}

// each gives the records of a scan of p to use until that wants no more. use does not keep them.
func (p *ticketRows) each(ctx context.Context, scan *arrowio.Scanner, use func(arrow.Record, transport.BatchMeta) (more bool, err error)) error {
	more, err := true, error(nil)
	for more && scan.Next() {
		at, rec := scan.Place(), scan.Record()
		if more, err = use(rec, transport.MetaOf(at, p.parts[at.Fragment].Fragment, rec.NumRows())); err != nil {
			return err
		}
	}
	if p.changed.Load() { // whatever else it looked like
		return changed(p.b.entry.Name)
	}
	if !more {
		return nil
	}
	return p.b.entry.failed(ctx, scan.Err())
}

// reading is a scan for one of this process that knows what the client of a call may read: its error is one for the client, and it
// fails where a file was changed meanwhile.
type reading struct {
	*arrowio.Scanner
	ctx context.Context
	p   *ticketRows
}

// read begins a scan of what command asks for of e. where is in place of the command's own; set may change the options.
func (s *service) read(ctx context.Context, e *Entry, command Command, where expr.Expr, set func(*arrowio.ScanOptions)) (*reading, error) {
	t := &Ticket{Command: command}
	b, err := t.bindWhere(e, where)
	if err != nil {
		return nil, e.Public(err)
	}
	p, err := b.of(ctx, t)
	if err != nil {
		return nil, e.Public(err)
	}
	if err := reserve(ctx, p.small()); err != nil {
		return nil, err
	}
	o := b.scanOptions()
	o.Rows, o.Parallelism, o.MemoryBudget, o.Allocator = b.rows, s.o.Parallelism, s.o.Memory, s.o.Allocator
	if c := CallFrom(ctx); c != nil {
		c.lease.Scan(&o)
	}
	set(&o)
	scan, err := p.data.Scan(ctx, o)
	if err != nil {
		return nil, e.Public(e.failed(ctx, err))
	}
	return &reading{scan, ctx, p}, nil
}

// Err implements array.RecordReader.
func (r *reading) Err() error {
	e := r.p.b.entry
	if r.p.changed.Load() {
		return changed(e.Name)
	}
	return e.Public(e.failed(r.ctx, r.Scanner.Err()))
}
