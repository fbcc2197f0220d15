package flight

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"
)

const notFound = codes.NotFound

// service implements the Flight RPCs. What is not here, and not in the files beside it, is UNIMPLEMENTED.
type service struct {
	flight.BaseFlightServer
	*Server
	actions  []action
	dialects []dialect
}

func newService(s *Server) *service {
	x := &service{Server: s, actions: append(coreActions(), sqlActions()...)}
	x.dialects = []dialect{sql{x}}
	return x
}

// dialect is another language of commands and tickets, such as that of Flight SQL.
type dialect interface {
	// owns reports whether a command, a ticket or the type of an action is of this language.
	owns(command []byte) bool
	info(ctx context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error)
	schema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error)
	get(ctx context.Context, t *flight.Ticket, stream flight.FlightService_DoGetServer) error
}

// dialect returns the language of a command; nil = ours.
func (s *service) dialect(command []byte) dialect {
	for _, d := range s.dialects {
		if d.owns(command) {
			return d
		}
	}
	return nil
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
