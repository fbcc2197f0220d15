package transport

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// An outbound message is, on the wire, the FlightData that protobuf would make; and what it holds is given back once,
// when gRPC has let go of every piece and the sender of the message.
func TestOutboundIsFlightData(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	c := NewCodec()
	for range 200 {
		conn := &Connection{}
		released := 0
		m := &outbound{header: random(rnd.IntN(300)), meta: random(rnd.IntN(3) * 40), conn: conn, release: func() { released++ }}
		var body []byte
		for range rnd.IntN(6) {
			b := random([]int{0, 1, 7, 8, 100, 1023, 1024, 1025, 5000, 70001}[rnd.IntN(10)])
			m.body = append(m.body, b)
			body = append(body, b...)
			body = append(body, make([]byte, -len(b)&7)...)
		}
		m.size = int64(len(body))
		conn.add(m)
		m.refs.Store(1)
		out, err := c.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var got flight.FlightData
		if err := proto.Unmarshal(out.Materialize(), &got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.DataHeader, m.header) || !bytes.Equal(got.AppMetadata, m.meta) || !bytes.Equal(got.DataBody, body) {
			t.Fatal("not what was sent")
		}
		out.Ref()
		out.Free()
		if released != 0 {
			t.Fatal("released while it is referred to")
		}
		if rnd.IntN(2) == 0 {
			out.Free()
			if released != 0 {
				t.Fatal("released while it is being handed over")
			}
			m.unref()
		} else {
			m.unref()
			if counted := len(out) > 1 && released != 0 && hasLarge(m.body); counted {
				t.Fatal("released while gRPC has it")
			}
			out.Free()
		}
		if released != 1 {
			t.Fatalf("released %d times", released)
		}
		conn.end()
		if released != 1 {
			t.Fatal("released again at the end of the connection")
		}
	}
}

func hasLarge(body [][]byte) bool {
	for _, b := range body {
		if !mem.IsBelowBufferPoolingThreshold(len(b)) {
			return true
		}
	}
	return false
}

// What gRPC never gives back is released when the connection has ended; what comes after that is not begun.
func TestConnectionEndReleases(t *testing.T) {
	conn := &Connection{}
	released := 0
	m := &outbound{body: [][]byte{make([]byte, 5000)}, size: 5000, conn: conn, release: func() { released++ }}
	if !conn.add(m) {
		t.Fatal("refused")
	}
	m.refs.Store(1)
	out := m.marshal()
	conn.end()
	if released != 1 {
		t.Fatal(released)
	}
	out.Free()
	m.unref()
	if released != 1 || conn.add(m) {
		t.Fatal(released)
	}
}

// Other messages are protobuf as always.
func TestCodecFallsBack(t *testing.T) {
	c := NewCodec()
	in := &flight.Ticket{Ticket: []byte("x")}
	b, err := c.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out flight.Ticket
	if err := c.Unmarshal(b, &out); err != nil || !proto.Equal(in, &out) {
		t.Fatal(&out, err)
	}
	if c.Name() != "proto" {
		t.Fatal(c.Name())
	}
}
