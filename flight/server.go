package flight

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"

	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/flight/internal/transport"
)

// Options says what a server serves, and how. Only Catalog is required.
type Options struct {
	Catalog    *Catalog
	Authorizer Authorizer // nil = every client may do everything
	Writable   []Writable // datasets that clients may put; the first entry that matches a name counts; nil = none
	Limiter    Limiter    // nil = no limits
	Observers  []Observer
	Logger     *slog.Logger // default slog.Default()
	// TraceStatements is how spans tell what clients have asked for. A call has a span of OpenTelemetry where GRPC has a handler
	// that begins one, such as otelgrpc's; then what it scans and reads from stores are spans below it.
	TraceStatements StatementText

	// Secure says that the Authorizer or Credentials authenticate clients. Otherwise the server listens only on loopback
	// addresses and Unix sockets.
	Secure bool
	// Credentials are used for TCP listeners; nil = no encryption. They are not used for Unix sockets, whose file permissions
	// decide who may connect.
	Credentials credentials.TransportCredentials
	// Advertise lists URIs of servers with the same datasets, at each of which every endpoint can be read, including this
	// server's own; nil = endpoints can be read only at the server that the client has asked.
	Advertise []string
	// Register lists functions that are called for each gRPC server before it serves, to add services such as health or
	// reflection. There is one gRPC server for each listener.
	Register []func(*grpc.Server)
	GRPC     []grpc.ServerOption // more options of the gRPC servers

	Parallelism   int              // of one stream; default GOMAXPROCS
	Memory        int64            // of one stream's scan, see arrowio.ScanOptions.MemoryBudget; default 256 MiB
	Allocator     memory.Allocator // allocates records; default that of arrowio.ScanOptions
	EndpointBytes int64            // about how many stored bytes an endpoint has; default 128 MiB
	MaxReceive    int              // maximal bytes of a message from a client; default 16 MiB
	DrainTimeout  time.Duration    // how long running calls, and telling their clients of the end, may take after Serve's context has ended; default 30 s, -1 = no limit
	// StallTimeout is how long a client may receive nothing while data waits for it, and send nothing of what it puts or exchanges while
	// the server waits for it; 0 = no limit. After that time the server
	// ends the call, and then the connection if no other call uses it and the client still receives nothing. Connections without
	// calls are not ended.
	StallTimeout time.Duration
	// SQL is how statements of Flight SQL are answered that are more than rows and columns of a dataset.
	SQL SQLOptions
}

// ErrCutOff is inside the error of Serve if the only trouble was that calls did not end within Options.DrainTimeout.
var ErrCutOff = errors.New("were cut off")

// Server serves a catalog over Arrow Flight. Its methods may be called concurrently.
type Server struct {
	o        Options
	logger   *slog.Logger
	calls    calls
	sql      *sql.Dialect
	puts     puts
	draining atomic.Bool

	sqlQueries, sqlPlans *pool // turns of statements that run, and of those that are described
	sessions             sqlSessions
}

// New returns a server that does not listen yet.
func New(o Options) (*Server, error) {
	if o.Catalog == nil {
		return nil, errs.Errorf(errs.ErrOption, "a server without a catalog")
	}
	if err := checkWritable(o.Writable); err != nil {
		return nil, err
	}
	if o.Memory <= 0 {
		o.Memory = 256 << 20
	}
	if o.EndpointBytes <= 0 {
		o.EndpointBytes = dataset.DefaultPartBytes
	}
	if o.MaxReceive <= 0 {
		o.MaxReceive = 16 << 20
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = 30 * time.Second
	}
	o.SQL.setDefaults()
	for name := range o.SQL.Views {
		if !ValidName(name) {
			return nil, errs.Errorf(errs.ErrOption, "%q cannot be the name of a view: letters, digits, _ . - are allowed, at most 128", name)
		}
	}
	if len(o.SQL.Views) > 0 && o.SQL.Engine == nil {
		return nil, errs.Errorf(errs.ErrOption, "views need an engine that answers SQL: a build with DuckDB, without %w", errs.Opt("sql-subset", ""))
	}
	s := &Server{
		o: o, logger: o.Logger, sqlQueries: newPool(int64(o.SQL.Queries), int64(o.SQL.ClientQueries)),
		sqlPlans: newPool(int64(o.SQL.Queries), int64(o.SQL.ClientQueries)),
	}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	s.sql = sql.New(sqlServer{&service{Server: s}})
	return s, nil
}

// Catalog returns what the server serves.
func (s *Server) Catalog() *Catalog { return s.o.Catalog }

// Draining reports whether the server is shutting down.
func (s *Server) Draining() bool { return s.draining.Load() }

// grpcServer returns a gRPC server with every service of s.
func (s *Server) grpcServer(creds credentials.TransportCredentials) *grpc.Server {
	o := []grpc.ServerOption{
		grpc.ForceServerCodecV2(transport.NewCodec()),
		grpc.StatsHandler(transport.StatsHandler()),
		grpc.ChainUnaryInterceptor(s.unary),
		grpc.ChainStreamInterceptor(s.stream),
		grpc.MaxRecvMsgSize(s.o.MaxReceive),
		grpc.WaitForHandlers(true),
	}
	if creds != nil {
		o = append(o, grpc.Creds(creds), grpc.WriteBufferSize(writeBuffer))
	} else {
		o = append(o, grpc.WriteBufferSize(0)) // Gathering waits for more
	}
	g := grpc.NewServer(append(o, s.o.GRPC...)...)
	flight.RegisterFlightServiceServer(g, newService(s))
	for _, register := range s.o.Register {
		register(g)
	}
	return g
}

// Serve answers calls on listeners until ctx ends. Then new calls get UNAVAILABLE, and running calls continue until they are
// done, at most for Options.DrainTimeout. Serve closes the listeners. It returns nil if ctx ended and no call had to be ended
// early; otherwise it returns why it ended.
//
// Unless Options.Secure is set, all listeners must be on loopback addresses or Unix sockets.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	if len(listeners) == 0 {
		return errs.Errorf(errs.ErrOption, "a server that listens nowhere")
	}
	for _, l := range listeners {
		if err := s.CheckAddress(l.Addr()); err != nil {
			for _, l := range listeners {
				_ = l.Close()
			}
			return err
		}
	}
	if !s.o.Secure {
		s.logger.WarnContext(ctx, s.insecurity()+": serving loopback addresses and Unix sockets only")
	}
	run, stop := context.WithCancel(ctx)
	defer stop()
	var refresher sync.WaitGroup
	refresher.Go(func() { s.o.Catalog.Run(run) })
	defer refresher.Wait()
	defer stop()
	if s.o.StallTimeout > 0 {
		var watcher sync.WaitGroup
		watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx)) // also while it drains
		watcher.Go(func() { s.watchStalls(watching) })
		defer watcher.Wait()
		defer stopWatching()
	}

	servers := make([]*grpc.Server, len(listeners))
	ended := make(chan error, len(listeners))
	for i, l := range listeners {
		creds := s.o.Credentials
		if l.Addr().Network() == "unix" {
			creds = nil
		}
		servers[i] = s.grpcServer(creds)
		if creds == nil {
			l = transport.Gathering(l)
		} else {
			l = transport.Known(l)
		}
		s.logger.InfoContext(ctx, "serving", "address", URI(l.Addr(), creds != nil))
		go func() { ended <- servers[i].Serve(l) }()
	}
	var err error
	left := len(listeners)
	select {
	case <-ctx.Done():
	case err = <-ended:
		left--
	}
	cut := s.drain(servers)
	s.endSessions()
	for ; left > 0; left-- {
		if e := <-ended; err == nil && e != nil && !errors.Is(e, grpc.ErrServerStopped) {
			err = e
		}
	}
	if err == nil && cut > 0 {
		err = rpcerr.Errorf(codes.DeadlineExceeded, "%d calls did not end in the %s that they had, and %w", cut, s.o.DrainTimeout, ErrCutOff)
	}
	return err
}

// insecurity says what is missing for other addresses.
func (s *Server) insecurity() string {
	known, ok := s.o.Authorizer.(interface{ Known() bool })
	switch asked := ok && known.Known(); {
	case asked && s.o.Credentials == nil:
		return "TLS is not configured, so tokens and passwords would cross the network unencrypted"
	case !asked && s.o.Credentials != nil:
		return "clients are not asked who they are"
	}
	return "no security is configured"
}

// CheckAddress returns an error if Serve would refuse to listen at an address.
func (s *Server) CheckAddress(a net.Addr) error {
	if s.o.Secure || transport.Local(a) {
		return nil
	}
	return errs.Errorf(errs.ErrOption, "%s can be reached from outside, and anybody could read everything: without security only loopback addresses and Unix sockets are served", a)
}

// drain stops servers and returns how many calls it had to cut off.
func (s *Server) drain(servers []*grpc.Server) (cut int) {
	s.draining.Store(true)
	s.logger.Info("draining", "calls", len(s.Calls()))
	var all sync.WaitGroup
	for _, g := range servers {
		all.Go(g.GracefulStop)
	}
	stopped, done := make(chan struct{}), make(chan struct{})
	go func() {
		all.Wait()
		close(stopped)
		for s.sends() { // visits, which are no calls of gRPC
			time.Sleep(sendsInterval)
		}
		close(done)
	}()
	var timeout <-chan time.Time
	grace := min(s.o.DrainTimeout/5, cutOffTimeout)
	if s.o.DrainTimeout > 0 {
		t := time.NewTimer(s.o.DrainTimeout - grace)
		defer t.Stop()
		timeout = t.C
	}
	select {
	case <-done:
	case <-timeout:
		for _, c := range s.Calls() {
			cut++
			c.cancel(errTimeout)
		}
		// They end with a status that says why; a client that does not read any more would keep it waiting.
		select {
		case <-done:
		case <-time.After(grace):
			for _, g := range servers {
				g.Stop()
			}
			<-stopped
		}
	}
	if cut > 0 {
		s.logger.Warn("drained: calls were cut off", "cut_off", cut)
	} else {
		s.logger.Info("drained", "cut_off", 0)
	}
	return cut
}

// sendsInterval is how often draining looks whether visits still send rows.
const sendsInterval = 10 * time.Millisecond

// writeBuffer is how much goes to a connection at once. gRPC's own 32 KiB cost a third more of the CPU over Unix sockets.
const writeBuffer = 256 << 10

// cutOffTimeout is how long the status of a call that is cut off may take to reach its client, at most, within DrainTimeout.
const cutOffTimeout = 2 * time.Second
