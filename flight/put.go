package flight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/readers/ipc"
	"github.com/arrowio/arrowio/writers"
)

// DoPut implements the RPC: it writes what a client sends as a dataset, or takes values for a prepared statement of Flight SQL.
func (s *service) DoPut(stream flight.FlightService_DoPutServer) error {
	in, err := firstMessage(stream.Context(), s.o.StallTimeout, stream.Recv)
	if err != nil {
		return err
	}
	defer in.close()
	if err := s.putFirst(in, stream); err != nil {
		in.drain(stream.Context())
		return err
	}
	return nil
}

func (s *service) putFirst(in *inbound, stream flight.FlightService_DoPutServer) error {
	if cmd := in.first.GetFlightDescriptor().GetCmd(); sql.Owns(cmd) {
		ctx := stream.Context()
		if i, err := sql.ParseIngestion(cmd); err != nil || i != nil {
			if err != nil {
				return err
			}
			return s.ingest(in, stream, i)
		}
		return s.sql.Put(ctx, cmd, func() (*flight.FlightData, error) { return in.next(ctx) }, stream.Send)
	}
	return s.put(in, stream)
}

// put writes a stream:
//
//	client ──> inbound, a message ahead ──> Decoder ──> convert.Convert: sort, write ──> Store
//
// Nothing can be seen of it before the client has said that it has sent all and all is written. The writer holds the client
// back: it is not read faster than it is written.
func (s *service) put(in *inbound, stream flight.FlightService_DoPutServer) error {
	c, err := ParsePut(in.first.GetFlightDescriptor())
	if err != nil {
		return err
	}
	return s.putCommand(in, stream, c, func(r *PutReport) ([]byte, error) { return json.Marshal(r) })
}

// putCommand writes a stream as c says, and answers with what answer makes of the report.
func (s *service) putCommand(in *inbound, stream flight.FlightService_DoPutServer, c *PutCommand, answer func(*PutReport) ([]byte, error)) error {
	ctx := stream.Context()
	report, err := s.putRows(ctx, c, func(st arrowio.Store) (*PutReport, error) { return s.write(ctx, in, c, st) })
	if err != nil {
		return err
	}
	b, err := answer(report)
	if err != nil {
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return stream.Send(&flight.PutResult{AppMetadata: b})
}

// putRows puts the rows that write writes to a store, which it ends in any case: every put comes here, so that what c may do, and
// where its rows go, is decided once.
func (s *service) putRows(ctx context.Context, c *PutCommand, write func(st arrowio.Store) (*PutReport, error)) (*PutReport, error) {
	CallFrom(ctx).about(c.Dataset)
	if err := s.authorize(ctx, PermitWrite, c.Dataset); err != nil {
		return nil, err
	}
	if _, view := s.o.SQL.Views[c.Dataset]; view {
		return nil, rpcerr.Errorf(codes.AlreadyExists, "%s is a view", c.Dataset)
	}
	switch shares, err := s.shares(ctx, c.Dataset); {
	case err != nil:
		return nil, err
	case len(shares) > 0: // it would replace what it does not see, or not see what it has put
		return nil, rpcerr.Errorf(codes.PermissionDenied, "this client may read only a part of %s, and so it may not put it", c.Dataset)
	}
	if c.Format != "" {
		if _, err := writers.Lookup(c.Format); err != nil {
			return nil, err
		}
	}
	end, err := s.puts.begin(c.Dataset)
	if err != nil {
		return nil, err
	}
	defer end()
	st, spec, known, err := s.place(ctx, c)
	var report *PutReport
	if err == nil {
		if report, err = write(st); err == nil {
			report.Replaced, report.Appended = known && !c.appends(), known && c.appends()
			if c.file != "" { // the store of one file calls it as it likes
				report.Files[0].Name = c.file
			}
			err = s.confirm(ctx, report, spec)
		}
	}
	if err != nil {
		return nil, spec.public(c.Dataset, putError(c.Dataset, err))
	}
	return report, nil
}

// write writes what a client sends. It ends the store in any case.
func (s *service) write(ctx context.Context, in *inbound, c *PutCommand, st arrowio.Store) (*PutReport, error) {
	scan := s.clientScan(ctx)
	limits := streamLimits(scan.MemoryBudget)
	dec, err := in.schema(ctx, limits)
	if err != nil {
		return nil, errors.Join(err, st.Abort())
	}
	f := ipc.OpenMessages(dec, func(ctx context.Context) (metadata, body []byte, err error) {
		d, err := in.message(ctx)
		return d.GetDataHeader(), d.GetDataBody(), err
	})
	ds := dataset.FromFile("", f)
	defer func() { _ = ds.Close() }() // of memory
	report, err := s.writeRows(c, st, f.Schema(), scan, func(format arrowio.OutputFormat, o convert.Options) (*convert.Report, error) {
		return convert.Convert(ctx, ds, format, st, o)
	})
	return report, rpcerr.Stream(err)
}

// writeRows has rows of a schema written as c says. It ends the store in any case.
func (s *service) writeRows(c *PutCommand, st arrowio.Store, rows *arrow.Schema, scan arrowio.ScanOptions, write func(arrowio.OutputFormat, convert.Options) (*convert.Report, error)) (*PutReport, error) {
	format, err := writers.Lookup(c.Format)
	if err == nil && c.fits != nil {
		err = c.fits(rows)
	}
	var by []convert.SortColumn
	for _, text := range c.Sort {
		column, wrong := convert.ParseSortColumn(text)
		err = errors.Join(err, wrong)
		by = append(by, column)
	}
	if err != nil {
		return nil, errors.Join(err, st.Abort())
	}
	group := c.RowGroup
	if group > 0 {
		group = min(group, scan.MemoryBudget/2)
	}
	r, err := write(format, convert.Options{
		Scan: scan,
		Write: arrowio.WriteOptions{
			Compression: c.Compression, RowGroupBytes: group, MaxFileBytes: c.MaxFile, Memory: scan.MemoryBudget,
			Parallelism: s.o.Parallelism, Options: c.Options, Allocator: s.o.Allocator,
		},
		Sort: by, SortByKey: c.SortByKey, Metadata: c.MetadataEdit,
		Planned: c.permits, Complete: c.complete,
	})
	if err != nil {
		return nil, err
	}
	return &PutReport{
		Dataset: c.Dataset, Format: format.Name, Rows: r.Rows, Bytes: r.BytesOut, Files: r.Files, SortedBy: r.SortedBy, Losses: r.Losses(), Columns: r.Plan.Columns,
	}, nil
}

// clientScan says what may be used for what a client sends.
func (s *service) clientScan(ctx context.Context) arrowio.ScanOptions {
	o := arrowio.ScanOptions{Parallelism: 1, MemoryBudget: s.o.Memory, Allocator: s.o.Allocator, BatchBytes: DefaultBatchBytes}
	if call := CallFrom(ctx); call != nil && call.lease != nil {
		call.lease.Scan(&o)
	}
	return o
}

// permits refuses a plan that loses something, where that is not wanted.
func (c *PutCommand) permits(p *arrowio.WritePlan) error {
	if c.keepsKinds && c.Losses == "" && c.columns == nil {
		return keepsKinds(c.Format, p)
	}
	if lost := p.Losses(); c.Losses == lossesRefused && len(lost) > 0 {
		return errs.Errorf(errs.ErrSchema, "as %s not all would be read back: %s", c.Format, lost[0])
	}
	return nil
}

// complete refuses a stream that has ended with other than the rows that were announced.
func (c *PutCommand) complete(rows int64) error {
	if c.Rows != nil && *c.Rows != rows {
		return rpcerr.Errorf(codes.InvalidArgument, "the stream has ended with %d rows, where the command says %d: nothing is kept", rows, *c.Rows)
	}
	return nil
}

// confirm serves what was written. Whether the client is still there makes no difference.
func (s *service) confirm(ctx context.Context, r *PutReport, spec Spec) error {
	if err := s.show(context.WithoutCancel(ctx), r.Dataset, spec); err != nil {
		return fmt.Errorf("%d rows were written to %s, but cannot be served: %w", r.Rows, r.Dataset, err)
	}
	if c := CallFrom(ctx); c != nil {
		c.putRows.Add(r.Rows)
		c.putBytes.Add(r.Bytes)
	}
	s.logger.InfoContext(ctx, "put", "dataset", r.Dataset, "format", r.Format, "rows", r.Rows, "bytes", r.Bytes, "files", len(r.Files), "replaced", r.Replaced)
	return nil
}

// putError gives a code to what can be wrong with the place of a dataset.
func putError(name string, err error) error {
	var c *rpcerr.Error
	switch {
	case err == nil, errors.As(err, &c):
		return err
	case errors.Is(err, fs.ErrExist):
		return rpcerr.Errorf(codes.AlreadyExists, "there is something called %s already: %w", name, err)
	case errors.Is(err, syscall.ENOSPC):
		return &rpcerr.Error{Code: codes.ResourceExhausted, Err: err}
	}
	return err
}

// public returns err without where the dataset lies.
func (s *Spec) public(name string, err error) error {
	return (&served{name: name, spec: *s, roots: rootsOf(s.Paths)}).public(err)
}
