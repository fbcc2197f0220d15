package flight

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/metadata"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// sink is a DoGet stream that goes nowhere.
type sink struct {
	flight.FlightService_DoGetServer
	ctx context.Context
}

func (s *sink) Context() context.Context { return s.ctx }

func (s *sink) SendMsg(m any) error {
	out, err := transport.NewCodec().Marshal(m)
	if err != nil {
		return err
	}
	out.Free()
	return nil
}

func (s *sink) SetHeader(metadata.MD) error { return nil }

// strangers is a small server that strangers call.
func strangers(f *testing.F) (*service, *Entry) {
	f.Helper()
	dir := filepath.Join(f.TempDir(), "d")
	for i, ext := range []string{"orc", "arrows"} {
		_, recs := table(memory.DefaultAllocator, 400, 100, uint64(i))
		write(f, filepath.Join(dir, string(rune('0'+i))+"."+ext), recs, nil)
	}
	c := NewCatalog(CatalogOptions{})
	if err := c.Add(f.Context(), "d", Spec{Paths: []string{dir}}); err != nil {
		f.Fatal(err)
	}
	s, err := New(Options{Catalog: c})
	if err != nil {
		f.Fatal(err)
	}
	e, err := c.Lookup(f.Context(), "d", nil)
	if err != nil {
		f.Fatal(err)
	}
	return newService(s), e
}

var commandSeeds = []string{
	`{"dataset":"d"}`, `{"dataset":"d","columns":["s","id"],"where":"x < 0.5 AND s LIKE 'é%'","batch_rows":7}`, `{"dataset":"d","columns":[]}`,
	`{"dataset":"d","rows":"5:17","compression":"zstd","dictionary":true,"endpoints":3}`, `{"dataset":"d","rows":":","batch_bytes":4096,"compression":"lz4","compressed":["l"]}`,
	`{"dataset":"d","resume":{"fragment":1,"split":0,"row":12},"options":{"timestamp-unit":"ms"},"dictionary":false}`,
	`{"dataset":"d","where":"id IN (1, 2, NULL) OR NOT (l IS NULL)"}`, `{"dataset":"d","rows":"9223372036854775807:"}`,
}

// Whatever a command says, it is answered, and what it is answered can be read.
func FuzzCommand(f *testing.F) {
	s, _ := strangers(f)
	for _, c := range commandSeeds {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := s.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: b})
		if err != nil {
			if code := codeOf(s.status(&Call{}, err)); code.String() == "Internal" || code.String() == "Unknown" {
				t.Fatal(err)
			}
			return
		}
		for _, e := range info.Endpoint {
			if err := s.DoGet(e.Ticket, &sink{ctx: t.Context()}); err != nil {
				t.Fatalf("%s: %v", e.Ticket.Ticket, err)
			}
		}
	})
}

// Whatever a ticket says, it is refused or gives rows that there are.
func FuzzTicket(f *testing.F) {
	s, e := strangers(f)
	for _, c := range commandSeeds {
		f.Add([]byte(c))
		info, err := s.GetFlightInfo(f.Context(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(c)})
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range info.Endpoint {
			f.Add(e.Ticket.Ticket)
		}
	}
	t := Ticket{Command: Command{Dataset: "d", Resume: &Position{Fragment: 0, Row: 1 << 62}}, Parts: []Part{
		{Fragment: 0, ID: e.Fragments[0].Identity, From: 0, To: 1, Start: 100, End: 300},
		{Fragment: 1, ID: e.Fragments[1].Identity, To: 1, Start: 1 << 62},
		{Fragment: 1 << 30, ID: e.Fragments[0].Identity, From: 1, To: 1},
	}}
	f.Add(t.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 16<<10 {
			return
		}
		err := s.DoGet(&flight.Ticket{Ticket: b}, &sink{ctx: t.Context()})
		if code := codeOf(s.status(&Call{}, err)); code.String() == "Internal" || code.String() == "Unknown" {
			t.Fatal(err)
		}
	})
}

func FuzzBatchMeta(f *testing.F) {
	var k transport.MetaBuilder
	f.Add(k.Build(transport.BatchMeta{Fragment: 1, Split: 2, FirstRow: 3, Rows: 4, Resume: transport.Position{Fragment: 5, Split: 6, Row: 7}}))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = ParseBatchMeta(b) })
}
