package sql

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/readers/ipc"
)

// maxBindBytes is the most that a stream of parameters may have.
const maxBindBytes = 1 << 20

// Put answers DoPut: values for a prepared statement, or a statement that writes. next returns the messages, the first one among them.
func (d *Dialect) Put(ctx context.Context, command []byte, next func() (*flight.FlightData, error), send func(*flight.PutResult) error) error {
	m, err := messageOf(command)
	if err != nil {
		return err
	}
	var cmd *pb.CommandPreparedStatementQuery
	switch m := m.(type) {
	case *pb.CommandStatementUpdate, *pb.CommandPreparedStatementUpdate:
		return d.update(ctx, m, next, send)
	case *pb.CommandPreparedStatementQuery:
		cmd = m
	default:
		return refusedMessage(m)
	}
	st, err := parseStatement(cmd.GetPreparedStatementHandle())
	if err != nil {
		return err
	}
	b, err := streamOf(next)
	if err != nil {
		return err
	}
	if !st.Engine {
		err := d.bindLiterals(ctx, st, b)
		if err != nil && !d.s.HasEngine() {
			return err
		}
		st.Engine = err != nil // it compares more, or says what is wrong
	}
	if st.Engine {
		if err := d.bindEngine(ctx, st, b); err != nil {
			return err
		}
	}
	handle, err := st.handle()
	if err != nil {
		return err
	}
	// DoPutPreparedStatementResult: a client that knows of it uses the new handle, at whatever server.
	meta := protowire.AppendTag(nil, 1, protowire.BytesType)
	return send(&flight.PutResult{AppMetadata: protowire.AppendBytes(meta, handle)})
}

// bindLiterals binds values to a statement that is answered without the engine. Where there is one, values that do not fit the
// statement are refused, so that the engine is asked.
func (d *Dialect) bindLiterals(ctx context.Context, st *statement, b []byte) error {
	values, each, err := parameterValues(ctx, b)
	if err != nil {
		return err
	}
	if values, err = st.literals(values, each); err != nil {
		return err
	}
	if d.s.HasEngine() {
		if _, err := d.plans(ctx, st.SQL, values); err != nil {
			return err
		}
	}
	st.Params = values
	d.bound.bind(d.boundKey(ctx, st.ID), values, false)
	return nil
}

// bindEngine binds values to a statement that the engine answers.
func (d *Dialect) bindEngine(ctx context.Context, st *statement, b []byte) error {
	if len(b) > maxMessageBytes/2 {
		return errs.Errorf(errs.ErrLimit, "values of parameters of %d bytes; the most is %d", len(b), maxMessageBytes/2)
	}
	rows, err := rowsOf(ctx, b) // whether they can be read is told now
	if err != nil || rows == nil {
		return err
	}
	rows.Release()
	st.Values = base64.StdEncoding.EncodeToString(b)
	d.bound.bind(d.boundKey(ctx, st.ID), []string{string(b)}, true)
	return nil
}

var padding [8]byte

// streamOf puts messages together as the IPC stream that they are, in memory.
func streamOf(next func() (*flight.FlightData, error)) ([]byte, error) {
	var b []byte
	for {
		d, err := next()
		if errors.Is(err, io.EOF) {
			return append(b, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0), nil
		}
		if err != nil {
			return nil, err
		}
		if h := d.GetDataHeader(); len(h) > 0 {
			if len(b)+len(h)+len(d.GetDataBody()) > maxBindBytes {
				return nil, errs.Errorf(errs.ErrLimit, "parameters of more than %d bytes", maxBindBytes)
			}
			b = append(b, 0xFF, 0xFF, 0xFF, 0xFF)
			b = binary.LittleEndian.AppendUint32(b, uint32(len(h)+7)&^7)
			b = append(append(b, h...), padding[:-len(h)&7]...)
			b = append(append(b, d.GetDataBody()...), padding[:-len(d.GetDataBody())&7]...)
		}
	}
}

// maxPlannedRows is how many rows of values a SELECT is planned for, each by itself.
const maxPlannedRows = 1024

// parameterValues returns the rows of a stream as literals of package expr, one after the other, each of so many. What clients send is read as their
// files are.
func parameterValues(ctx context.Context, b []byte) (values []string, each int, err error) {
	f, err := ipc.StreamFormat().Open(ctx, local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		return nil, 0, rpcerr.Stream(err)
	}
	defer f.Close()
	scan, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Parallelism: 1, MemoryBudget: 16 * maxBindBytes})
	if err != nil {
		return nil, 0, rpcerr.Stream(err)
	}
	defer scan.Release()
	out := []string{}
	rows := int64(0)
	for scan.Next() {
		rec := scan.Record()
		if rows += rec.NumRows(); rows > maxPlannedRows {
			return nil, 0, errs.Errorf(errs.ErrLimit, "parameters: more than %d rows", maxPlannedRows)
		}
		for row := range rec.NumRows() {
			for i, col := range rec.Columns() {
				value := array.NewSlice(col, row, row+1)
				text, err := literal(value)
				value.Release()
				if err != nil {
					return nil, 0, errs.Errorf(errs.ErrOption, "parameter %d: %w", i+1, err)
				}
				out = append(out, text)
			}
		}
	}
	if err := scan.Err(); err != nil {
		return nil, 0, rpcerr.Stream(err)
	}
	if rows == 0 && f.Schema().NumFields() > 0 {
		return nil, 0, rpcerr.Errorf(codes.InvalidArgument, "parameters: no row of values")
	}
	return out, f.Schema().NumFields(), nil
}

// literal returns the first value of a column.
func literal(col arrow.Array) (string, error) {
	if col.IsNull(0) {
		return "NULL", nil
	}
	var v scalar.Scalar
	var err error
	switch col := col.(type) {
	case *array.StringView: // of which package scalar makes none
		v = scalar.NewStringScalar(col.Value(0))
	case *array.BinaryView:
		v = scalar.NewBinaryScalar(memory.NewBufferBytes(col.Value(0)), arrow.BinaryTypes.Binary)
	default:
		if v, err = scalar.GetScalar(col, 0); err != nil {
			return "", err
		}
	}
	if r, ok := v.(scalar.Releasable); ok {
		defer r.Release()
	}
	if !v.IsValid() { // of type null, or an entry of a dictionary
		return "NULL", nil
	}
	text, ok := literalText(expr.Compare{Col: "x", Op: expr.Eq, Value: v}.String())
	if !ok {
		return "", errs.Errorf(errs.ErrOption, "a value of type %s cannot be bound: numbers, booleans, texts, bytes, dates, times of a day and timestamps can", col.DataType())
	}
	return text, nil
}

// literalPrefix is what a comparison has in front of its value.
const literalPrefix = "x = "

func literalText(text string) (string, bool) {
	text, ok := strings.CutPrefix(text, literalPrefix)
	return text, ok && text != "?"
}
