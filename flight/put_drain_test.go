package flight

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
)

// sending is a stream of so many messages, of a client that sends all before it asks what has become of them.
type sending struct {
	grpc.ServerStream
	ctx  context.Context
	desc *flight.FlightDescriptor
	left int
	size int
}

func (s *sending) Context() context.Context { return s.ctx }

func (s *sending) Send(*flight.PutResult) error { return nil }

func (s *sending) Recv() (*flight.FlightData, error) {
	if s.left--; s.left < 0 {
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
		s := &sending{ctx: t.Context(), desc: cmdOf(`{"dataset":"other"}`), left: 1000, size: size}
		if err := (&service{Server: r.Server}).DoPut(s); err == nil || !strings.Contains(err.Error(), "no place for a dataset") {
			t.Error(err)
		}
		if (s.left < 0) != all || s.left >= 999 {
			t.Errorf("messages of %d bytes: %d are not read", size, s.left)
		}
	}
}
