package page

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/extsort"
	"github.com/arrowio/arrowio/writers/csv"
	"github.com/arrowio/arrowio/writers/ipc"
	"github.com/arrowio/arrowio/writers/parquet"
)

const (
	downloadTime   = time.Hour // of one download
	downloadMemory = 64 << 20  // of its writer; sorting gets sortMemory
)

// downloaded is a format of downloads.
type downloaded struct {
	extension, name, mediaType string
	format                     func() arrowio.OutputFormat
}

var downloadable = []downloaded{
	{".parquet", "Parquet", "application/vnd.apache.parquet", parquet.Format},
	{".csv", "CSV", "text/csv; charset=utf-8", csv.Format},
	{".arrow", "Arrow", "application/vnd.apache.arrow.file", ipc.Format},
}

// download sends all rows that an address of the page of rows stands for, as a file. An error before the first byte is a page. One
// behind it ends the connection, so that nobody takes a part for the whole.
func (p *Page) download(f downloaded) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fr := frame{}
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case site == "cross-site" || site == "same-site":
			p.fail(w, r, &fr, http.StatusForbidden, "A page of another site cannot start a download.")
			return
		case !r.ProtoAtLeast(1, 1): // it cannot tell the end of a file from that of the connection
			p.fail(w, r, &fr, http.StatusHTTPVersionNotSupported, "Downloads need HTTP/1.1 or later.")
			return
		}
		visitor := visitorOf(r)
		visitor.Sends = true
		ctx, cancel := context.WithTimeout(r.Context(), downloadTime)
		defer cancel()
		out := newBody(w, p.stall)
		err := p.o.Server.Visit(ctx, visitor, func(ctx context.Context, v *flight.Visit) error {
			fr.Client, fr.RequestID, fr.SQL = v.Call().Client.Name, v.Call().ID, v.HasSQL()
			w.Header().Set(flight.RequestIDHeader, fr.RequestID)
			out.sent = func(n int) { v.Sent(0, 0, int64(n)) }
			return p.send(ctx, v, r, f, out)
		})
		switch {
		case err == nil:
		case out.began || r.Context().Err() != nil:
			panic(http.ErrAbortHandler)
		default:
			p.failed(w, r, &fr, err, downloadTime)
		}
	}
}

// send writes the rows to out.
func (p *Page) send(ctx context.Context, v *flight.Visit, r *http.Request, f downloaded, out *body) error {
	e, err := v.Open(ctx, r.PathValue("name"))
	if err != nil {
		return err
	}
	d := showing(e, r.URL.Query())
	d.asked(v)
	if d.Trouble != "" {
		return status.Error(codes.InvalidArgument, d.Trouble)
	}
	out.header = http.Header{
		"Content-Type":        {f.mediaType},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": e.Name + f.extension})},
	}
	if r.Method == http.MethodHead {
		out.begin()
		return nil
	}
	leave, err := p.sends.enter(v.Call())
	if err != nil {
		return err
	}
	defer leave()
	rows, release, err := d.all(ctx, v)
	if _, said := status.FromError(err); said && err != nil {
		return err
	}
	if err != nil {
		return e.Public(err)
	}
	defer release()
	var counted convert.Progress
	_, err = convert.Write(ctx, rows, f.format(), &bodyStore{body: out}, convert.Options{
		Write: arrowio.WriteOptions{Memory: downloadMemory},
		Progress: func(now convert.Progress) {
			v.Sent(now.Rows-counted.Rows, now.Batches-counted.Batches, 0)
			counted = now
		},
	})
	return e.Public(err)
}

// all reads all rows that are shown, in their order. The caller calls release when it does not read any more.
func (d *shown) all(ctx context.Context, v *flight.Visit) (rows array.RecordReader, release func(), err error) {
	scan, err := v.Scan(ctx, d.e, d.scan(d.columns))
	if err != nil {
		return nil, nil, err
	}
	if d.Sorted < 0 {
		return scan, scan.Release, nil
	}
	defer scan.Release()
	s, err := extsort.New(scan.Schema(), d.by(d.columns), extsort.Options{Memory: sortMemory, Parallelism: 1})
	if err != nil {
		return nil, nil, err
	}
	sorted, err := sortAll(ctx, s, scan)
	if err != nil {
		if cerr := s.Close(); cerr != nil {
			err = errors.Join(err, cerr)
		}
		return nil, nil, err
	}
	fields := sorted.Schema().Fields()[:len(d.columns)]
	md := sorted.Schema().Metadata()
	return &narrow{RecordReader: sorted, schema: arrow.NewSchema(fields, &md)}, func() {
		sorted.Release()
		_ = s.Close() // what was sorted is in memory
	}, nil
}

func sortAll(ctx context.Context, s *extsort.Sorter, scan array.RecordReader) (array.RecordReader, error) {
	var err error
	for err == nil && ctx.Err() == nil && scan.Next() {
		err = s.Add(ctx, scan.Record())
	}
	if err == nil {
		err = errors.Join(scan.Err(), ctx.Err())
	}
	var sorted array.RecordReader
	if err == nil {
		sorted, err = s.Merge(ctx)
	}
	if errors.Is(err, errs.ErrLimit) && scan.Err() == nil {
		return nil, status.Error(codes.InvalidArgument, "These rows are too many to be sorted for a download: set a filter, choose fewer columns, or download them in the order of the dataset.")
	}
	return sorted, err
}

// narrow leaves out the columns behind those of a schema, which rows were sorted by.
type narrow struct {
	array.RecordReader
	schema *arrow.Schema
	rec    arrow.Record
}

func (n *narrow) Schema() *arrow.Schema { return n.schema }

func (n *narrow) Next() bool {
	n.drop()
	if !n.RecordReader.Next() {
		return false
	}
	rec := n.RecordReader.Record()
	n.rec = array.NewRecord(n.schema, rec.Columns()[:n.schema.NumFields()], rec.NumRows())
	return true
}

func (n *narrow) Record() arrow.Record { return n.rec }

func (n *narrow) Release() {
	n.drop()
	n.RecordReader.Release()
}

func (n *narrow) drop() {
	if n.rec != nil {
		n.rec.Release()
		n.rec = nil
	}
}
