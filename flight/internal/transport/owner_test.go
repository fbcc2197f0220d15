package transport

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// watched is a connection that counts the bytes that are written from the memory of messages, and those that are not.
type watched struct {
	net.Conn
	bodies      [][]byte
	own, copied atomic.Int64
}

func (w *watched) Write(b []byte) (int, error) {
	for _, body := range w.bodies {
		if within(b, body) {
			w.own.Add(int64(len(b)))
			return w.Conn.Write(b)
		}
	}
	w.copied.Add(int64(len(b)))
	return w.Conn.Write(b)
}

// watchedListener gives the connections of Gathering, watched below.
type watchedListener struct {
	net.Listener
	conn *watched
}

func (l watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.conn.Conn = c
	return newGatherConn(l.conn), nil
}

// gRPC itself writes messages of many streams at once, and none of their memory is copied. A new version of gRPC that does
// not ask for bytes right before it writes them fails here.
func TestBodiesAreNotCopied(t *testing.T) {
	const streams, messages, pieces, size = 100, 3, 40, 20_000
	w := &watched{}
	for range pieces {
		w.bodies = append(w.bodies, make([]byte, size))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var released atomic.Int64
	var ready sync.WaitGroup
	ready.Add(streams)
	s := grpc.NewServer(grpc.ForceServerCodecV2(NewCodec()), grpc.StatsHandler(StatsHandler()), grpc.WriteBufferSize(0))
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test", HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{{StreamName: "get", ServerStreams: true, Handler: func(_ any, st grpc.ServerStream) error {
			ready.Done()
			ready.Wait() // all streams have messages that wait at the same time
			conn := ConnectionOf(st.Context())
			for range messages {
				m := &outbound{header: make([]byte, 3000), body: w.bodies, size: pieces * size, conn: conn, release: func() { released.Add(1) }}
				conn.add(m)
				m.refs.Store(1)
				err := st.SendMsg(m)
				m.unref()
				if err != nil {
					return err
				}
			}
			return nil
		}}},
	}, nil)
	go func() { _ = s.Serve(watchedListener{l, w}) }()
	defer s.Stop()

	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for range streams {
		wg.Go(func() {
			st, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/test/get")
			if err == nil {
				err = st.SendMsg(&flight.Ticket{})
			}
			if err == nil {
				err = st.CloseSend()
			}
			for range messages {
				var d flight.FlightData
				if err == nil {
					err = st.RecvMsg(&d)
				}
				if err == nil && len(d.DataBody) != pieces*size {
					t.Errorf("a body of %d bytes", len(d.DataBody))
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	settled(t, "messages are held", func() bool { return released.Load() == streams*messages })
	own, copied := w.own.Load(), w.copied.Load()
	t.Logf("%d bytes from the memory of messages, %d copied", own, copied)
	// Copied are headers and what a frame has too little of: less than gatherCopy at its begin and its end.
	if total := int64(streams * messages * pieces * size); own < total*9/10 {
		t.Errorf("only %d bytes of %d were written from where they are", own, total)
	}
}
