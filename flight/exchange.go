package flight

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/strict"
	"github.com/arrowio/arrowio/flight/internal/transport"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/readers/ipc"
	outipc "github.com/arrowio/arrowio/writers/ipc"
)

// ExchangeCommand says what a DoExchange does with the client's batches: the JSON in its descriptor CMD. Its fields mean the same
// as those of Command.
type ExchangeCommand struct {
	Columns     []string `json:"columns,omitzero"`
	Where       string   `json:"where,omitempty"`
	BatchRows   int      `json:"batch_rows,omitempty"`  // at most, in a batch; default as many as in the client's batch
	BatchBytes  int64    `json:"batch_bytes,omitempty"` // about, in a batch; default 2 MiB
	Compression string   `json:"compression,omitempty"`
	Compressed  []string `json:"compressed,omitzero"`
}

// ParseExchange parses the descriptor of a DoExchange. It refuses unknown fields.
func ParseExchange(d *flight.FlightDescriptor) (*ExchangeCommand, error) {
	c := &ExchangeCommand{}
	switch {
	case d.GetType() != flight.DescriptorCMD:
		return nil, errs.Errorf(errs.ErrOption, "a descriptor that is no CMD: an exchange is of no dataset")
	case len(d.GetCmd()) > maxCommandBytes:
		return nil, errs.Errorf(errs.ErrOption, "a command of %d bytes; the most is %d", len(d.GetCmd()), maxCommandBytes)
	}
	if err := strict.Decode(d.GetCmd(), c); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "command: %w", err)
	}
	if err := refuseZero(d.GetCmd()); err != nil {
		return nil, err
	}
	same := Command{Dataset: "-", BatchRows: c.BatchRows, BatchBytes: c.BatchBytes, Compression: c.Compression, Compressed: c.Compressed}
	return c, same.check()
}

// DoExchange implements the RPC: a client's batches through a filter and a projection. Each batch is answered by itself, at
// once, and in order. app_metadata goes back: that of the schema with the schema, that of a batch with the last batch that
// answers it, that of a message of its own in one.
func (s *service) DoExchange(stream flight.FlightService_DoExchangeServer) error {
	ctx := stream.Context()
	in, err := firstMessage(ctx, s.o.StallTimeout, stream.Recv)
	if err != nil {
		return err
	}
	defer in.close()
	return transport.Streaming(ctx, func() error { return rpcerr.Stream(s.exchange(ctx, in, stream)) })
}

// exchange works on one batch at a time: the client's next one waits in its transport, and one more here.
func (s *service) exchange(ctx context.Context, in *inbound, stream grpc.ServerStream) error {
	c, err := ParseExchange(in.first.GetFlightDescriptor())
	if err != nil {
		return err
	}
	if err := s.authorize(ctx, PermitRead, ""); err != nil {
		return err
	}
	scan := s.clientScan(ctx)
	dec, first, notes, err := in.schemaAndMeta(ctx, streamLimits(scan.MemoryBudget))
	if err != nil {
		return err
	}
	defer dec.Close()
	mem := s.allocator()
	x, err := c.bind(dec.Schema(), mem)
	if err != nil {
		return err
	}
	dec.Begin(x.in, mem)
	out, err := newSender(stream, x.out.Schema, outipc.Compression{Codec: c.Compression, Columns: c.Compressed}, mem)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := out.BeginWith(first); err != nil {
		return err
	}
	for _, m := range notes {
		if err := out.Note(m); err != nil {
			return err
		}
	}
	for {
		d, err := in.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := x.answer(d, dec, out); err != nil {
			return err
		}
	}
}

// schemaAndMeta reads up to the schema, which may have app_metadata. So may messages before it, which are the notes.
func (in *inbound) schemaAndMeta(ctx context.Context, l arrowio.Limits) (dec *ipc.Decoder, meta []byte, notes [][]byte, err error) {
	for {
		d, err := in.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil, nil, errNoSchema
		case err != nil:
			return nil, nil, nil, err
		case len(d.GetDataHeader()) > 0:
			dec, err := ipc.NewDecoder(d.GetDataHeader(), l)
			return dec, d.GetAppMetadata(), notes, err
		case len(d.GetAppMetadata()) == 0:
			continue
		}
		if notes = append(notes, d.GetAppMetadata()); len(notes) > maxEarlyMeta {
			return nil, nil, nil, errs.Errorf(errs.ErrLimit, "more than %d messages before the schema", maxEarlyMeta)
		}
	}
}

// maxEarlyMeta is how many messages of metadata alone may come before the schema: they wait for it.
const maxEarlyMeta = 4

// exchange is a command that fits a client's schema.
type exchange struct {
	in     arrowio.Projection // what is decoded of its batches: columns as they are
	out    arrowio.Projection // of in.Schema: what goes back
	keep   []arrowbuf.Selection
	filter *expr.Bound // on in.Schema; nil = all rows
	rows   int64       // of a batch, at most
	bytes  int64       // of a batch, about
	mem    memory.Allocator
	runs   [][2]int64
}

func (c *ExchangeCommand) bind(s *arrow.Schema, mem memory.Allocator) (*exchange, error) {
	x := &exchange{rows: int64(c.BatchRows), bytes: c.BatchBytes, mem: mem}
	if x.rows == 0 {
		x.rows = maxBatchRows
	}
	if x.bytes == 0 {
		x.bytes = DefaultBatchBytes
	}
	asked, err := arrowio.Project(s, c.Columns)
	if err != nil {
		return nil, err
	}
	need := asked.Columns()
	var where expr.Expr
	if c.Where != "" {
		if where, err = expr.Parse(c.Where); err != nil {
			return nil, errs.Errorf(errs.ErrOption, "where: %w", err)
		}
		if x.filter, err = expr.Bind(where, s); err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "where: %w", err)
		}
		for _, path := range x.filter.Columns() {
			at, err := expr.Resolve(s, path)
			if err != nil {
				return nil, errs.Errorf(errs.ErrSchema, "where: %w", err)
			}
			need = append(need, at[0])
		}
	}
	slices.Sort(need)
	need = slices.Compact(need)
	fields := make([]arrow.Field, len(need))
	x.in.Fields = make([]arrowio.ProjectedField, len(need))
	for i, at := range need {
		fields[i], x.in.Fields[i] = s.Field(at), arrowio.ProjectedField{Index: at}
	}
	md := s.Metadata()
	x.in.Schema = arrow.NewSchema(fields, &md)
	x.out = asked
	x.keep = selections(asked.Fields, func(i int) int { return slices.Index(need, i) })
	return x, nil
}

// selections says where the fields of a projection are; at tells it of those at the top, nil = where they are in the schema.
func selections(fields []arrowio.ProjectedField, at func(int) int) []arrowbuf.Selection {
	if fields == nil {
		return nil
	}
	out := make([]arrowbuf.Selection, len(fields))
	for i, f := range fields {
		out[i] = arrowbuf.Selection{Index: f.Index, Children: selections(f.Children, nil)}
		if at != nil {
			out[i].Index = at(f.Index)
		}
	}
	return out
}

// answer sends what becomes of a message.
func (x *exchange) answer(d *flight.FlightData, dec *ipc.Decoder, out *transport.Sender) error {
	meta := d.GetAppMetadata()
	if len(d.GetDataHeader()) == 0 {
		if len(meta) == 0 {
			return nil
		}
		return out.Note(meta)
	}
	rec, err := dec.Decode(d.GetDataHeader(), d.GetDataBody())
	if err != nil || rec == nil {
		return err // of a dictionary, nothing is sent before the batch that uses it
	}
	defer rec.Release()
	kept, err := x.through(rec)
	if err != nil {
		return err
	}
	defer kept.Release()
	n := kept.NumRows()
	pieces := max(1, (n+x.rows-1)/x.rows, min(n, arrowbuf.RecordSize(kept)/x.bytes))
	for i := range pieces {
		var m []byte
		if i == pieces-1 {
			m = meta
		}
		if err := x.piece(kept, n*i/pieces, n*(i+1)/pieces, m, out); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) piece(rec arrow.Record, from, to int64, meta []byte, out *transport.Sender) error {
	if to-from == rec.NumRows() {
		return out.Send(rec, meta)
	}
	p := rec.NewSlice(from, to)
	defer p.Release()
	return out.Send(p, meta)
}

// through returns the rows and columns of a batch that are wanted. The caller releases them.
func (x *exchange) through(rec arrow.Record) (arrow.Record, error) {
	all, err := arrowbuf.Project(rec, x.out.Schema, x.keep)
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	if x.filter == nil {
		return all, nil
	}
	defer all.Release()
	mask, err := x.filter.Mask(rec)
	if err != nil {
		return nil, err
	}
	defer mask.Release()
	x.runs = expr.AppendRuns(x.runs[:0], mask)
	n := int64(0)
	for _, r := range x.runs {
		n += r[1] - r[0]
	}
	if n == rec.NumRows() {
		all.Retain()
		return all, nil
	}
	cols := make([]arrow.Array, 0, all.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range all.Columns() {
		a := arrowbuf.NewAppender(c.DataType(), x.mem)
		err := a.AppendRuns(c, x.runs)
		if err == nil {
			cols = append(cols, a.Take())
		}
		a.Release()
		if errors.Is(err, arrowbuf.ErrOverflow) {
			err = errs.Errorf(errs.ErrLimit, "%w; send smaller batches", err)
		}
		if err != nil {
			return nil, errs.Locate(err, errs.At{Column: x.out.Schema.Field(i).Name})
		}
	}
	return array.NewRecord(x.out.Schema, cols, n), nil
}
