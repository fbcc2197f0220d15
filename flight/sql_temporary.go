package flight

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/readers/ipc"
)

// SQLTemporary is a temporary table or view of a session.
type SQLTemporary struct {
	Name   string
	View   bool
	Schema *arrow.Schema // nil = it is a view that cannot be selected from now
}

// SQLIngestion is rows that a client sends for a temporary table. If neither Append nor Replace, there is none of that name.
type SQLIngestion struct {
	Table           string
	Append, Replace bool // to the one that there is
	Schema          *arrow.Schema
	// Rows returns the rows, once. The caller releases the reader.
	Rows func(ctx context.Context, mem memory.Allocator) (array.RecordReader, error)
}

// Temporary lists the temporary tables and views of the call's session.
func (q sqlServer) Temporary(ctx context.Context) ([]sql.Temporary, error) {
	x, err := q.session(ctx, false)
	if err != nil || x == nil {
		return nil, err
	}
	var out []sql.Temporary
	for _, t := range x.Temporary() {
		out = append(out, sql.Temporary(t))
	}
	return out, nil
}

// ingestTemporary puts the rows of a client into a temporary table of its session: all, or none.
func (s *service) ingestTemporary(in *inbound, stream flight.FlightService_DoPutServer, i *sql.Ingestion) error {
	ctx, q := stream.Context(), sqlServer{s}
	if len(i.Options) > 0 {
		return errs.Errorf(errs.ErrOption, "Flight SQL: a temporary table has no options")
	}
	CallFrom(ctx).say("CommandStatementIngest temp." + i.Table)
	x, err := q.needSession(ctx, false)
	if err != nil {
		return err
	}
	done, err := q.take(ctx, x)
	if err != nil {
		return err
	}
	defer done()
	to := SQLIngestion{Table: i.Table, Append: i.Appends(), Replace: i.Replaces()}
	known := slices.ContainsFunc(x.Temporary(), func(t SQLTemporary) bool { return strings.EqualFold(t.Name, i.Table) })
	switch {
	case i.Table == "":
		return errs.Errorf(errs.ErrOption, "Flight SQL: the temporary table has no name")
	case known && !to.Append && !to.Replace:
		return rpcerr.Errorf(codes.AlreadyExists, "there is a temporary table %q already", i.Table)
	case !known && !i.Creates():
		return rpcerr.Errorf(codes.NotFound, "there is no temporary table %q", i.Table)
	case !known:
		to.Append, to.Replace = false, false
	}
	ctx, end, err := q.engine(ctx, q.sqlQueries)
	if err != nil {
		return err
	}
	defer end()
	if err := i.Within(sql.TempCatalog); err != nil {
		return err
	}
	if err := reserve(ctx, false); err != nil {
		return err
	}
	scan := s.clientScan(ctx)
	dec, err := in.schema(ctx, streamLimits(scan.MemoryBudget))
	if err != nil {
		return err
	}
	f := ipc.OpenMessages(dec, func(ctx context.Context) (metadata, body []byte, err error) {
		d, err := in.message(ctx)
		return d.GetDataHeader(), d.GetDataBody(), err
	})
	defer f.Close()
	if to.Schema = f.Schema(); sameName(to.Schema) != "" {
		return errs.Errorf(errs.ErrOption, "Flight SQL: two columns are called %q, which SQL cannot tell apart", sameName(to.Schema))
	}
	to.Rows = func(ctx context.Context, mem memory.Allocator) (array.RecordReader, error) {
		scan.Allocator = mem
		return arrowio.Scan(ctx, f, scan)
	}
	rows, err := x.Ingest(ctx, to)
	if err != nil {
		return q.sqlError(ctx, rpcerr.Stream(err))
	}
	return stream.Send(&flight.PutResult{AppMetadata: sql.IngestionResult(rows)})
}

// sameName returns a name that two columns have, in whatever case; "" = none.
func sameName(s *arrow.Schema) string {
	seen := map[string]bool{}
	for _, f := range s.Fields() {
		name := strings.ToLower(f.Name)
		if seen[name] {
			return f.Name
		}
		seen[name] = true
	}
	return ""
}
