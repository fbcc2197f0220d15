package main

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/arrowio/arrowio/flight"
)

// opsFlags are the flags of serve for authentication, limits and monitoring.
type opsFlags struct {
	config string
	read   configFile
	check  bool
	own    map[string]map[string][]string // of datasets in the config file: what is said of them alone

	cert, key, clientCA string
	clientOptional      bool
	tokens              string
	jwt                 jwtFlags
	permit              []string
	restrictions        []flight.Restriction
	attempts            countValue
	insecure            bool

	streams, clientStreams countValue
	sent, clientSent       sizeValue
	memory, clientMemory   sizeValue
	wait                   time.Duration
	message                sizeValue

	reflection    bool
	metricsListen string
	http          string
	drainDelay    time.Duration
}

func (f *opsFlags) add(cmd *cobra.Command) {
	f.attempts, f.streams, f.clientStreams = countValue{min: 1}, countValue{min: 1}, countValue{min: 1}
	fs := cmd.Flags()
	fs.StringVar(&f.config, "config", "", "read flags and datasets from a TOML `FILE`; what the command line says counts more")
	fs.BoolVar(&f.check, "check-config", false, "check flags, files and datasets, and end; an address that is in use is no fault")

	fs.StringVar(&f.cert, "tls-cert", "", "serve TLS 1.3 with this certificate, a PEM `FILE`, read again when it changes")
	fs.StringVar(&f.key, "tls-key", "", "the certificate's key, a PEM `FILE`")
	fs.StringVar(&f.clientCA, "tls-client-ca", "", "ask clients for a certificate signed by one of this PEM `FILE`; its CN, or else its first URI, DNS name or address, is who they are")
	fs.BoolVar(&f.clientOptional, "tls-client-optional", false, "let clients show a token or a JWT instead of a certificate")
	fs.StringVar(&f.tokens, "tokens", "", "ask clients for a token or a password of this `FILE`, made by arrowio token and read again when it changes")
	f.jwt.one.add(fs, jwtKey+"-")
	fs.StringArrayVar(&f.permit, "permit", nil, "permit `CLIENT:PERMISSION=DATASETS`, such as alice:write=staging-*,scratch; role:ROLE is a CLIENT, too; permissions are read, write, manage; may be given several times (default: everybody who is let in may read everything)")
	fs.Var(&f.attempts, "max-attempts", "passwords a second that may be tried from one address (default 5)")
	fs.BoolVar(&f.insecure, "insecure", false, "listen at any address without TLS or without knowing clients, behind a proxy that sees to both")

	fs.Var(&f.streams, "max-streams", "streams at once (default 1000)")
	fs.Var(&f.clientStreams, "max-client-streams", "streams of one client at once (default: half of all)")
	fs.Var(&f.sent, "max-sent-bytes", "bytes that were sent and that clients have not taken yet (default 1GiB)")
	fs.Var(&f.clientSent, "max-client-sent-bytes", "those of one client (default: half of all)")
	fs.Var(&f.memory, "max-memory", "what the memory of all streams adds up to (default 4 × --memory)")
	fs.Var(&f.clientMemory, "max-client-memory", "bytes that one client may use (default: half of all)")
	fs.DurationVar(&f.wait, "max-wait", 2*time.Minute, "how long a stream may wait for memory before it is refused; -1s = as long as its client does (default 2m)")
	fs.Var(&f.message, "max-message", "bytes of a message that a client sends (default 16MiB)")

	fs.BoolVar(&f.reflection, "reflection", false, "tell clients what services and messages there are (gRPC reflection)")
	fs.StringVar(&f.metricsListen, "metrics-listen", "", "answer /metrics, /healthz and /readyz over HTTP at `HOST:PORT`; beyond loopback, where clients must say who they are, names of datasets are told only to a token that may manage the server")
	fs.StringVar(&f.http, "http", "", "show the datasets to browsers at `HOST:PORT`: their schemas, rows and files, and running streams; with TLS and tokens where the server has them")
	fs.DurationVar(&f.drainDelay, "drain-delay", 0, "how long to go on taking calls after a signal, not ready any more, so that balancers notice")
}

// ops is what a server needs for these flags.
type ops struct {
	*opsFlags
	log     *slog.Logger
	access  *flight.Access
	health  *flight.Health
	metrics *flight.Metrics
	page    net.Listener // nil = none
	known   bool         // flight.Options.Secure

	reloader flight.Reloader
}

// apply sets the options of these flags in o, whose catalog, logger and memory are set already.
func (f *opsFlags) apply(o *flight.Options) (*ops, error) {
	p := &ops{opsFlags: f, log: o.Logger, health: flight.NewHealth()}
	p.health.Starting()
	switch {
	case f.wait < 0 && f.wait != -time.Second:
		return nil, usagef("serve: --max-wait takes a duration, or -1s for no limit, not %s", f.wait)
	case (f.cert == "") != (f.key == ""):
		return nil, usagef("serve: --tls-cert and --tls-key are given together")
	case f.clientCA != "" && f.cert == "":
		return nil, usagef("serve: --tls-client-ca needs --tls-cert and --tls-key")
	case f.clientOptional && (f.clientCA == "" || f.tokens == "" && !f.jwt.any()):
		return nil, usagef("serve: --tls-client-optional needs --tls-client-ca, and --tokens or --jwt-issuer: clients show one or the other")
	}
	issuers, err := f.jwt.issuers()
	if err != nil {
		return nil, err
	}
	if f.cert != "" {
		o.Credentials, err = flight.TLSCredentials(p.tlsFiles())
		if err != nil {
			return nil, err
		}
	}
	access := flight.AccessOptions{Tokens: f.tokens, JWTs: issuers, Restrictions: f.restrictions, Certificates: f.clientCA != "", Attempts: float64(f.attempts.n), Logger: o.Logger, Reloader: &p.reloader}
	for _, text := range f.permit {
		rule, err := flight.ParseRule(text)
		if err != nil {
			return nil, err
		}
		access.Rules = append(access.Rules, rule)
	}
	if p.access, err = flight.NewAccess(access); err != nil {
		return nil, err
	}
	limits, err := flight.NewLimits(flight.LimitOptions{
		Streams: f.streams.n, ClientStreams: f.clientStreams.n, SentBytes: int64(f.sent), ClientSentBytes: int64(f.clientSent),
		Memory: int64(f.memory), ClientMemory: int64(f.clientMemory), StreamMemory: o.Memory, Wait: f.wait,
	})
	if err != nil {
		return nil, err
	}
	limitHeap(limits.Usage())
	p.metrics = flight.NewMetrics(o.Catalog, limits)
	o.Authorizer, o.Limiter, o.MaxReceive = p.access, limits, int(f.message)
	o.Observers = append(o.Observers, p.metrics)
	o.Register = append(o.Register, p.health.Register)
	if f.reflection {
		o.Register = append(o.Register, flight.RegisterReflection)
	}
	// A client that died without a word would hold what it holds for ever.
	o.GRPC = append(o.GRPC, grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second}))
	o.Secure = o.Credentials != nil && p.access.Known() || f.insecure
	p.known = o.Secure
	if f.insecure {
		o.Logger.Warn("--insecure: whoever reaches an address may be anybody, and may be listening")
	}
	return p, nil
}

func (p *ops) tlsFiles() flight.TLSFiles {
	return flight.TLSFiles{Cert: p.cert, Key: p.key, ClientCA: p.clientCA, ClientOptional: p.clientOptional, Logger: p.log, Reloader: &p.reloader}
}

// asksClients reports whether clients must say who they are.
func (f *opsFlags) asksClients() bool { return f.tokens != "" || f.clientCA != "" || f.jwt.any() }

// besides is the memory that a server needs in addition to what its limits count: footers of files, connections, the pool of
// buffers.
const besides = 512 << 20

// limitHeap sets the memory limit of the Go runtime to the limits of the server, unless GOMEMLIMIT is set. By default the heap
// grows to twice what is in use.
func limitHeap(u flight.Usage) {
	if os.Getenv("GOMEMLIMIT") == "" && u.MaxMemory < math.MaxInt64/4 && u.MaxSent < math.MaxInt64/4 {
		debug.SetMemoryLimit(u.MaxMemory + u.MaxSent + besides)
	}
}

// checkURI returns an error if the URI asks for TLS and there is no certificate.
func (f *opsFlags) checkURI(uri string) error {
	if strings.HasPrefix(uri, "grpc+tls:") && f.cert == "" {
		return usagef("serve: --listen %s needs --tls-cert and --tls-key", uri)
	}
	return nil
}

// explain adds to the error about an address which flag is missing.
func (p *ops) explain(err error) error {
	switch {
	case err == nil || p.insecure:
		return err
	case p.access.Known() && p.cert == "":
		return usagef("%w; tokens and passwords would cross the network unencrypted: give --tls-cert and --tls-key, or --insecure behind a proxy that has them", err)
	case p.cert != "" && !p.access.Known():
		return usagef("%w; TLS alone lets everybody in: give --tokens, --jwt-issuer or --tls-client-ca, or --insecure", err)
	}
	return usagef("%w; give --tls-cert and --tls-key with --tokens, --jwt-issuer or --tls-client-ca, or --insecure", err)
}

// serve runs the server until ctx ends and all calls are finished.
func (p *ops) serve(ctx context.Context, server *flight.Server, listeners []net.Listener) error {
	run, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	undo := context.AfterFunc(ctx, func() {
		p.health.Shutdown()
		if p.drainDelay > 0 {
			p.log.Info("not ready any more", "drain_delay", p.drainDelay)
			select {
			case <-time.After(p.drainDelay):
			case <-run.Done():
			}
		}
		stop(context.Cause(ctx))
	})
	defer undo()
	stopPage, err := p.servePage(server, listeners)
	if err != nil {
		for _, l := range append(listeners, p.page) {
			err = errors.Join(err, l.Close())
		}
		return err
	}
	defer stopPage()
	err = server.Serve(run, listeners...)
	if ctx.Err() != nil && errors.Is(err, flight.ErrCutOff) {
		return nil // it has ended as it was told to; the log and the clients know of the calls
	}
	return err
}

// close closes the address of the page, if the server is not started.
func (p *ops) close() error {
	if p.page == nil {
		return nil
	}
	return p.page.Close()
}
