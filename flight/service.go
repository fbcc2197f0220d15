package flight

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/flight"

	"github.com/arrowio/arrowio/flight/internal/sql"
)

// service implements the Flight RPCs. What is not here, and not in the files beside it, is UNIMPLEMENTED.
type service struct {
	flight.BaseFlightServer
	*Server
	actions []action
}

func newService(s *Server) *service {
	x := &service{Server: s, actions: coreActions()}
	for _, a := range sql.Actions() {
		x.actions = append(x.actions, action{a.Type, a.Description, func(ctx context.Context, s *service, body []byte, send func([]byte) error) error {
			return a.Run(ctx, s.sql, body, send)
		}})
	}
	return x
}

// Handshake implements the RPC: whoever the Authorizer has let through needs none. It answers headers that the Authorizer
// has set, which is how clients get a token for their password.
func (s *service) Handshake(stream flight.FlightService_HandshakeServer) error {
	if a, ok := s.o.Authorizer.(*Access); ok {
		name := ""
		if c := CallFrom(stream.Context()); c != nil {
			name = c.Client.Name
		}
		return a.a.Handshake(stream, name)
	}
	return nil
}
