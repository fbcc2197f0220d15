// Flight-bench serves rows that are in memory, ready to be sent, to measure what sending alone costs.
//
//	flight-bench MIB URI...
//	flight-bench get URI TICKET arrow|ours
//
// The dataset is "memory": MIB mebibytes of int64, double and string columns in batches of a mebibyte. It prints the
// addresses when it is ready, a line each. The second form is a client (get.go).
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 4 && args[0] == "get" {
		return get(ctx, args[1], args[2], args[3])
	}
	if len(args) < 2 {
		return errors.New("usage: flight-bench MIB URI, and more URIs")
	}
	mib, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	rows := prepare(mib)
	log := slog.New(slog.DiscardHandler)
	catalog := flight.NewCatalog(flight.CatalogOptions{Logger: log})
	err = catalog.Add(ctx, "memory", flight.Spec{Open: func(context.Context, map[string]string) (*dataset.Dataset, error) {
		return dataset.FromFile("memory", rows), nil
	}})
	if err != nil {
		return err
	}
	server, err := flight.New(flight.Options{Catalog: catalog, Logger: log, EndpointBytes: 1 << 40})
	if err != nil {
		return err
	}
	var listeners []net.Listener
	for _, uri := range args[1:] {
		l, err := flight.Listen(uri)
		if err != nil {
			return err
		}
		listeners = append(listeners, l)
		fmt.Println(flight.URI(l.Addr(), false))
	}
	return server.Serve(ctx, listeners...)
}

// distinct is how many of the batches are memory of their own; the others are those again.
const distinct = 256

// prepared is a file of batches that are ready.
type prepared struct {
	schema *arrow.Schema
	recs   []arrow.Record
	splits []arrowio.Split
	first  []int64 // row of each batch
}

// splitBatches is how many batches a split has.
const splitBatches = 16

func prepare(mib int) *prepared {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64},
		{Name: "b", Type: arrow.PrimitiveTypes.Int64},
		{Name: "x", Type: arrow.PrimitiveTypes.Float64},
		{Name: "y", Type: arrow.PrimitiveTypes.Float64},
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "t", Type: arrow.BinaryTypes.String},
	}, nil)
	const rows = 1 << 20 / (4*8 + 2*(4+12))
	p := &prepared{schema: s}
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for k := range min(mib, distinct) {
		for i := range rows {
			n := k*rows + i
			b.Field(0).(*array.Int64Builder).Append(int64(n))
			b.Field(1).(*array.Int64Builder).Append(int64(n * 7))
			b.Field(2).(*array.Float64Builder).Append(float64(n) / 3)
			b.Field(3).(*array.Float64Builder).Append(float64(n) * 1.5)
			b.Field(4).(*array.StringBuilder).Append(fmt.Sprintf("s%011d", n))
			b.Field(5).(*array.StringBuilder).Append(fmt.Sprintf("t%011d", n))
		}
		p.recs = append(p.recs, b.NewRecord())
	}
	var row int64
	for k := range mib {
		if k >= distinct {
			p.recs = append(p.recs, p.recs[k%distinct])
		}
		p.first = append(p.first, row)
		row += p.recs[k].NumRows()
		if (k+1)%splitBatches == 0 || k == mib-1 {
			from := p.first[len(p.splits)*splitBatches]
			p.splits = append(p.splits, arrowio.Split{Ordinal: len(p.splits), Rows: arrowio.RowRange{Start: from, End: row}, Bytes: splitBatches << 20})
		}
	}
	return p
}

func (p *prepared) Schema() *arrow.Schema   { return p.schema }
func (p *prepared) Splits() []arrowio.Split { return p.splits }
func (p *prepared) Close() error            { return nil }

func (p *prepared) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: "memory", Schema: p.schema}, nil
}

func (p *prepared) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{s.Rows}, nil
}

// Read implements arrowio.File, for all columns.
func (p *prepared) Read(_ context.Context, s arrowio.Split, _ arrowio.RowSet, pr arrowio.Projection, _ memory.Allocator) (arrowio.SplitReader, error) {
	if len(pr.Fields) != p.schema.NumFields() {
		return nil, errs.Errorf(errs.ErrUnsupported, "a projection")
	}
	return &batchReader{p: p, at: s.Ordinal * splitBatches}, nil
}

// batchReader hands out batches whole: Fit says where each ends.
type batchReader struct {
	p  *prepared
	at int // batch
}

func (r *batchReader) Fit(n int, _ int64) int { return min(n, int(r.p.recs[r.at].NumRows())) }

func (r *batchReader) Skip(n int64) (int64, error) {
	for left := n; left > 0; r.at++ {
		left -= r.p.recs[r.at].NumRows()
	}
	return n, nil
}

func (r *batchReader) Read(n int) (int, error) {
	if int64(n) != r.p.recs[r.at].NumRows() {
		return 0, errs.Errorf(errs.ErrUnsupported, "%d rows of a batch of %d", n, r.p.recs[r.at].NumRows())
	}
	return n, nil
}

func (r *batchReader) Take() (arrow.Record, error) {
	rec := r.p.recs[r.at]
	rec.Retain()
	r.at++
	return rec, nil
}

func (r *batchReader) Close() error { return nil }
