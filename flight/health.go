package flight

import (
	"context"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

// Health is the gRPC health service, for the server as a whole ("") and for the Flight service. It reports SERVING until Shutdown
// is called, but not between Starting and Started. Its method Register can be used in Options.Register.
type Health struct {
	grpc_health_v1.UnimplementedHealthServer
	once     sync.Once
	down     chan struct{}
	starting atomic.Bool
}

// NewHealth returns the service of a server that is ready.
func NewHealth() *Health { return &Health{down: make(chan struct{})} }

// Register adds the service to a gRPC server.
func (h *Health) Register(g *grpc.Server) { grpc_health_v1.RegisterHealthServer(g, h) }

// Shutdown reports that the server takes no more calls. It tells all clients that watch, and ends their calls.
func (h *Health) Shutdown() { h.once.Do(func() { close(h.down) }) }

// Starting reports that the server does not take calls yet. Call it before the service is registered.
func (h *Health) Starting() { h.starting.Store(true) }

// Started reports that it does.
func (h *Health) Started() { h.starting.Store(false) }

// Ready reports whether the server takes calls.
func (h *Health) Ready() bool {
	if h.starting.Load() {
		return false
	}
	select {
	case <-h.down:
		return false
	default:
		return true
	}
}

const flightServiceName = "arrow.flight.protocol.FlightService"

func (h *Health) status() *grpc_health_v1.HealthCheckResponse {
	if h.Ready() {
		return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_NOT_SERVING}
}

// Check implements the RPC.
func (h *Health) Check(_ context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	if r.GetService() != "" && r.GetService() != flightServiceName {
		return nil, status.Error(codes.NotFound, "unknown service")
	}
	return h.status(), nil
}

// List implements the RPC.
func (h *Health) List(context.Context, *grpc_health_v1.HealthListRequest) (*grpc_health_v1.HealthListResponse, error) {
	return &grpc_health_v1.HealthListResponse{Statuses: map[string]*grpc_health_v1.HealthCheckResponse{"": h.status(), flightServiceName: h.status()}}, nil
}

// Watch implements the RPC. Shutdown ends it, so that clients that only watch do not delay the end of the server.
func (h *Health) Watch(r *grpc_health_v1.HealthCheckRequest, stream grpc_health_v1.Health_WatchServer) error {
	if r.GetService() != "" && r.GetService() != flightServiceName {
		// As the protocol has it, such a service may come later; here it does not.
		if err := stream.Send(&grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVICE_UNKNOWN}); err != nil {
			return err
		}
	} else if err := stream.Send(h.status()); err != nil {
		return err
	}
	select {
	case <-stream.Context().Done():
		return context.Cause(stream.Context())
	case <-h.down:
		if err := stream.Send(h.status()); err != nil {
			return err
		}
		return errDraining
	}
}

// RegisterReflection adds the gRPC reflection service, which lists services and messages for clients. It can be used in
// Options.Register.
func RegisterReflection(g *grpc.Server) { reflection.Register(g) }
