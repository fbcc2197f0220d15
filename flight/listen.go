package flight

import (
	"net"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// Listen listens at a Flight URI: grpc://HOST:PORT (also grpc+tcp, grpc+tls) or unix:///PATH (also grpc+unix). HOST:PORT alone
// means grpc://HOST:PORT. Only the user of the server can connect to a socket that Listen makes. A socket left by a server that
// has ended is replaced.
func Listen(uri string) (net.Listener, error) { return transport.Listen(uri) }

// URI returns the Flight URI of a listener's address.
func URI(a net.Addr, tls bool) string { return transport.URI(a, tls) }

// Local reports whether only this machine can reach an address: a loopback address or a Unix socket.
func Local(a net.Addr) bool { return transport.Local(a) }
