package flight

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
)

// sending is a stream of so many messages, of a client that sends all before it asks what has become of them.
type sending struct {
	grpc.ServerStream
	ctx  context.Context
	desc *flight.FlightDescriptor
	size int
	left atomic.Int64 // one message is received ahead, also when the call is over
}

func (s *sending) Context() context.Context { return s.ctx }

func (s *sending) Send(*flight.PutResult) error { return nil }

func (s *sending) Recv() (*flight.FlightData, error) {
	if s.left.Add(-1) < 0 {
		return nil, io.EOF
	}
	d := &flight.FlightData{FlightDescriptor: s.desc, DataHeader: []byte("x"), DataBody: make([]byte, s.size)}
	s.desc = nil
	return d, nil
}

// A client that sends more than a schema gets the error of a put, too, and not the end of its stream alone; but not for any number of messages.
func TestPutErrorIsRead(t *testing.T) {
	t.Parallel()
	r := start(t, Options{Writable: []Writable{{Names: "in-*", Dir: t.TempDir()}}}, nil)
	for size, all := range map[int]bool{10: true, 1 << 20: false} {
		s := &sending{ctx: t.Context(), desc: cmdOf(`{"dataset":"other"}`), size: size}
		s.left.Store(1000)
		if err := (&service{Server: r.Server}).DoPut(s); err == nil || !strings.Contains(err.Error(), "no place for a dataset") {
			t.Error(err)
		}
		if left := s.left.Load(); (left < 0) != all || left >= 999 {
			t.Errorf("messages of %d bytes: %d are not read", size, left)
		}
	}
}
