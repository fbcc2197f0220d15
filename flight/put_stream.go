package flight

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/internal/workers"
	"github.com/arrowio/arrowio/readers/ipc"
)

// inbound is what a client sends, received one message ahead: while one is worked on the next one comes, and no more.
type inbound struct {
	first    *flight.FlightData // to be returned by next; nil = it was
	from     chan received
	stop     context.CancelFunc
	patience time.Duration // how long next waits for a message; 0 = any time
}

type received struct {
	data *flight.FlightData
	err  error
}

// receive reads a stream; close must be called. What recv waits for then ends with the RPC.
func receive(ctx context.Context, recv func() (*flight.FlightData, error)) *inbound {
	ctx, stop := context.WithCancel(ctx)
	in := &inbound{from: make(chan received), stop: stop}
	go func() {
		for {
			var r received
			r.err = workers.Catch(func() (err error) {
				r.data, err = recv()
				return err
			})
			select {
			case in.from <- r:
			case <-ctx.Done():
				return
			}
			if r.err != nil {
				return
			}
		}
	}()
	return in
}

func (in *inbound) close() { in.stop() }

// next returns a message; io.EOF = the client has sent all.
func (in *inbound) next(ctx context.Context) (*flight.FlightData, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	d := in.first
	if in.first = nil; d == nil {
		var err error
		if d, err = in.wait(ctx); err != nil {
			return nil, err
		}
	}
	if len(d.GetDataHeader()) == 0 && len(d.GetDataBody()) > 0 {
		return nil, rpcerr.Errorf(codes.InvalidArgument, "a body of %d bytes without a message", len(d.GetDataBody()))
	}
	return d, nil
}

// wait waits for a message. A client that sends nothing more, and does not go away, would hold what it holds for ever.
func (in *inbound) wait(ctx context.Context) (*flight.FlightData, error) {
	var late <-chan time.Time
	if in.patience > 0 {
		t := time.NewTimer(in.patience)
		defer t.Stop()
		late = t.C
	}
	select {
	case r := <-in.from:
		return r.data, r.err
	case <-late:
		return nil, rpcerr.Errorf(codes.Aborted, "the client has sent nothing for %s (--stall-timeout of the server), and the stream is ended", in.patience)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// message returns the next message that is one of IPC: what comes between is metadata alone, or nothing.
func (in *inbound) message(ctx context.Context) (*flight.FlightData, error) {
	for {
		d, err := in.next(ctx)
		if err != nil || len(d.GetDataHeader()) > 0 {
			return d, err
		}
	}
}

// Bounds on drain.
const (
	drainTime  = time.Second
	drainBytes = 16 << 20
)

// drain receives what is left, within bounds, behind an error: a client whose messages are not received learns only that the stream
// has ended, and not why, where it does not look for that.
func (in *inbound) drain(ctx context.Context) {
	late := time.NewTimer(drainTime)
	defer late.Stop()
	for size := 0; size < drainBytes; {
		select {
		case r := <-in.from:
			if r.err != nil {
				return
			}
			size += len(r.data.GetDataHeader()) + len(r.data.GetDataBody()) + len(r.data.GetAppMetadata())
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

var errNoSchema = rpcerr.Errorf(codes.InvalidArgument, "a stream without a schema")

// schema reads up to the schema, and that.
func (in *inbound) schema(ctx context.Context, l arrowio.Limits) (*ipc.Decoder, error) {
	d, err := in.message(ctx)
	if errors.Is(err, io.EOF) {
		return nil, errNoSchema
	}
	if err != nil {
		return nil, err
	}
	dec, err := ipc.NewDecoder(d.GetDataHeader(), l)
	return dec, rpcerr.Stream(err)
}

// streamLimits bounds what one stream of a client may have; what it sends in one message is bounded by Options.MaxReceive.
func streamLimits(memory int64) arrowio.Limits {
	return arrowio.Limits{
		MetadataBytes: 16 << 20, Columns: 16 << 10, BatchElements: 16 << 20, BatchBytes: max(memory, 16<<20),
		DictionaryBytes: max(memory/2, 8<<20), ValueBytes: max(memory, 16<<20),
	}
}

// firstMessage waits for the first message of a stream, which must have a descriptor. It is the caller's to close. For each message it waits
// for patience at most; 0 = for any time.
func firstMessage(ctx context.Context, patience time.Duration, recv func() (*flight.FlightData, error)) (*inbound, error) {
	in := receive(ctx, recv)
	in.patience = max(patience, 0)
	first, err := in.next(ctx)
	if err == nil && first.GetFlightDescriptor() == nil || errors.Is(err, io.EOF) {
		err = rpcerr.Errorf(codes.InvalidArgument, "a stream without a descriptor")
	}
	if err != nil {
		in.close()
		return nil, err
	}
	in.first = first
	return in, nil
}
