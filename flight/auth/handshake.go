package auth

import (
	"context"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// Handshake implements the RPC for clients that send their name and password in its payload instead of a header. client is the
// name that Authenticate has returned; if it is not "", the client need not send a password.
func (a *Access) Handshake(stream flight.FlightService_HandshakeServer, client string) error {
	ctx := stream.Context()
	if !a.bearers() || client != "" {
		return nil
	}
	type received struct {
		r   *flight.HandshakeRequest
		err error
	}
	first := make(chan received, 1)
	go func() {
		r, err := stream.Recv()
		first <- received{r, err}
	}()
	var got received
	select {
	case got = <-first:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(handshakeTimeout):
		return rpcerr.WithCode(codes.Unauthenticated, errNoToken)
	}
	if got.err != nil {
		return rpcerr.WithCode(codes.Unauthenticated, errNoToken)
	}
	var basic flight.BasicAuth
	if len(got.r.GetPayload()) > maxJWT+4*maxPassword || proto.Unmarshal(got.r.GetPayload(), &basic) != nil {
		return rpcerr.WithCode(codes.Unauthenticated, errBadLogin)
	}
	p, _ := peer.FromContext(ctx)
	_, token, err := a.login(ctx, p, basic.Username, basic.Password)
	if err != nil {
		return rpcerr.WithCode(codes.Unauthenticated, err)
	}
	return stream.Send(&flight.HandshakeResponse{Payload: []byte(token)})
}

// handshakeTimeout is how long a client may take to say who it is.
const handshakeTimeout = 20 * time.Second
