package flight

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"

	"github.com/arrowio/arrowio/flight/internal/sql"
)

var selectSeeds = []string{
	"select * from d", "select id a, s, id from d where x < 0.5 limit 7 offset 3", "select count(*) from d where s like 'é%' or l is null",
	"select 1 as one", "select \"id\" from arrowio.main.d where id in (?, 2) limit 5", "select id from d limit 9223372036854775807 offset 1",
	"select d.id from d where d.id between 5 and 9 -- comment", "select s from d offset 100;",
}

// answered fails where an error is one of ours.
func answered(t *testing.T, s *service, err error) {
	t.Helper()
	if code := codeOf(s.status(&Call{}, err)).String(); code == "Internal" || code == "Unknown" {
		t.Fatal(err)
	}
}

// Whatever a SELECT says, it is answered, and what it is answered can be read.
func FuzzSelect(f *testing.F) {
	s, _ := strangers(f)
	for _, text := range selectSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := sql.Pack(&pb.CommandStatementQuery{Query: text})
		if err != nil {
			return // no UTF-8
		}
		info, err := s.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: b})
		if err != nil {
			answered(t, s, err)
			return
		}
		for _, e := range info.Endpoint {
			if err := s.DoGet(e.Ticket, &sink{ctx: t.Context()}); err != nil {
				t.Fatalf("%s: %v", e.Ticket.Ticket, err)
			}
		}
	})
}

// Whatever a handle says, of a prepared statement or of an endpoint, it is refused or gives rows that there are.
func FuzzSQLHandle(f *testing.F) {
	s, _ := strangers(f)
	for _, h := range []string{
		`{"sql":"select id from d where id = ?","id":"0123456789abcdef","params":["7"]}`, `{"sql":"select 1","id":"0123456789abcdef"}`,
		`{"sql":"select id from d where s like ?","id":"0123456789abcdef","params":["5) OR (1 = 1"]}`,
		`{"of":{"dataset":"d"},"items":[{"path":"id","name":"a"}],"limit":5,"offset":2}`, `{"of":{"dataset":"d","columns":[]},"count":"n"}`,
		`{"one":{"name":"1","value":1}}`, `{"of":{"dataset":"d","columns":["id"]},"items":[{"path":"s","name":"s"}]}`, `{"of":{"dataset":"d","where":"x > 0"},"limit":-1}`,
	} {
		f.Add([]byte(h))
	}
	f.Fuzz(func(t *testing.T, h []byte) {
		b, err := sql.Pack(&pb.TicketStatementQuery{StatementHandle: h})
		if err != nil {
			t.Fatal(err)
		}
		answered(t, s, s.DoGet(&flight.Ticket{Ticket: b}, &sink{ctx: t.Context()}))
		if b, err = sql.Pack(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: h}); err != nil {
			t.Fatal(err)
		}
		_, err = s.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: b})
		answered(t, s, err)
	})
}
