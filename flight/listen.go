package flight

import (
	"net"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// Listen listens at a Flight URI: grpc://HOST:PORT (grpc+tcp, grpc+tls) or unix:///PATH (grpc+unix). HOST:PORT alone is
// taken for grpc://. A socket is made for this user only; one that a server has left behind is replaced.
func Listen(uri string) (net.Listener, error) { return transport.Listen(uri) }

// URI returns how clients name an address that is listened at.
func URI(a net.Addr, tls bool) string { return transport.URI(a, tls) }
