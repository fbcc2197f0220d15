package flight

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// AccessOptions says how an Access tells clients apart, and what it permits them. The zero value lets everybody read.
type AccessOptions struct {
	// Tokens is the path of a token file. With it every client needs a bearer token or a name and a password of it, except
	// on Unix sockets and where Certificates is set and the client has shown one.
	Tokens string
	// Certificates says that a client is who its certificate says: Options.Credentials verify them.
	Certificates bool
	// Rules is what clients may do. Without any they may read everything and write nothing, and where nobody is asked who
	// they are they may refresh, too. With any, only what a rule says.
	Rules []Rule
	// Attempts is how many passwords a second may be tried from one address; default 5.
	Attempts float64
	Session  time.Duration // how long a client that gave its password needs not give it again; default 12 h
	Logger   *slog.Logger  // default slog.Default()
}

// Access is an Authorizer that knows tokens, passwords and certificates. It speaks what Flight clients speak: the header
// authorization with Bearer or Basic, on any call, and the RPC Handshake, which answers a name and a password with a
// token for the calls that follow.
type Access struct {
	o        AccessOptions
	tokens   *tokenFile // nil = none are asked for
	key      [32]byte   // of the tokens of sessions; dies with the process
	attempts *buckets
	hashing  chan struct{} // argon2 takes memory: few at once

	mu       sync.Mutex
	verified map[[32]byte][16]byte // of passwords that were right: what they opened
}

// LocalClient is the name of clients of Unix sockets that show no token.
const LocalClient = "local"

// NewAccess reads the token file.
func NewAccess(o AccessOptions) (*Access, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Attempts <= 0 {
		o.Attempts = 5
	}
	if o.Session <= 0 {
		o.Session = 12 * time.Hour
	}
	a := &Access{
		o: o, hashing: make(chan struct{}, 2), verified: map[[32]byte][16]byte{},
		attempts: newBuckets(o.Attempts, max(2*o.Attempts, 5)),
	}
	_, _ = rand.Read(a.key[:]) // never fails, says crypto/rand
	if o.Tokens != "" {
		var err error
		if a.tokens, err = openTokenFile(o.Tokens, o.Logger); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Known reports whether clients must say who they are.
func (a *Access) Known() bool { return a.tokens != nil || a.o.Certificates }

var (
	errNoToken   = errors.New("who are you? Send a bearer token, or a name and a password, in the header authorization")
	errBadToken  = errors.New("the token is unknown, has expired or was withdrawn")
	errBadLogin  = errors.New("the name or the password is wrong")
	errBadHeader = errors.New("the header authorization is neither Bearer TOKEN nor Basic NAME:PASSWORD")
)

// healthPrefix is of the calls that need nobody's name: those who watch a server have no token, and learn nothing else.
const healthPrefix = "/grpc.health.v1.Health/"

// Authenticate implements Authorizer.
func (a *Access) Authenticate(ctx context.Context, c *Call) (Client, error) {
	if !a.Known() {
		return Client{}, nil
	}
	method, _ := grpc.Method(ctx)
	if strings.HasPrefix(method, healthPrefix) {
		return Client{}, nil
	}
	p, _ := peer.FromContext(ctx)
	if a.tokens != nil {
		cl, err := a.shown(ctx, p)
		if cl.Name != "" || err != nil {
			return cl, err
		}
	}
	if name := peerCertificate(p); a.o.Certificates && name != "" {
		return Client{Name: name}, nil
	}
	if p != nil && p.Addr != nil && p.Addr.Network() == "unix" {
		return Client{Name: LocalClient}, nil
	}
	if a.tokens == nil {
		return Client{}, errors.New("who are you? The server wants a client certificate with a name")
	}
	if c.Method == "Handshake" { // it is asked there
		return Client{}, nil
	}
	return Client{}, errNoToken
}

// shown returns who the headers say; no name = they do not say.
func (a *Access) shown(ctx context.Context, p *peer.Peer) (Client, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	values := md.Get("authorization")
	if len(values) == 0 {
		if values = md.Get("auth-token-bin"); len(values) == 0 { // what Handshake has answered
			return Client{}, nil
		}
		if len(values) > 1 {
			return Client{}, errBadHeader
		}
		return a.bearer(values[0])
	}
	if len(values) > 1 {
		return Client{}, errBadHeader
	}
	scheme, value, _ := strings.Cut(values[0], " ")
	value = strings.TrimSpace(value)
	switch strings.ToLower(scheme) {
	case "bearer":
		return a.bearer(value)
	case "basic":
		b, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			if b, err = base64.RawStdEncoding.DecodeString(value); err != nil {
				return Client{}, errBadHeader
			}
		}
		name, password, ok := strings.Cut(string(b), ":")
		if !ok {
			return Client{}, errBadHeader
		}
		t, err := a.login(ctx, p, name, password)
		if err != nil {
			return Client{}, err
		}
		// Fails only where the answer has begun, which it has not.
		_ = grpc.SetHeader(ctx, metadata.Pairs("authorization", "Bearer "+a.session(t)))
		return Client{Name: t.Name}, nil
	}
	return Client{}, errBadHeader
}

func (a *Access) bearer(token string) (Client, error) {
	now := time.Now()
	var t *Token
	if rest, ok := strings.CutPrefix(token, sessionPrefix); ok {
		if fp, ok := a.openSession(rest, now); ok {
			t = a.tokens.byFingerprint(fp, now)
		}
	} else {
		t = a.tokens.bearer(token, now)
	}
	if t == nil {
		return Client{}, errBadToken
	}
	return Client{Name: t.Name}, nil
}

// login checks a name and a password, which may be one of the name's bearer tokens: some clients can send nothing else.
func (a *Access) login(ctx context.Context, p *peer.Peer, name, password string) (*Token, error) {
	now := time.Now()
	mac := hmac.New(sha256.New, a.key[:])
	mac.Write([]byte(name + "\x00" + password))
	known := [32]byte(mac.Sum(nil))
	a.mu.Lock()
	fp, ok := a.verified[known]
	a.mu.Unlock()
	if ok {
		if t := a.tokens.byFingerprint(fp, now); t != nil {
			return t, nil
		}
	}
	if !a.attempts.take(peerHost(p), now) {
		return nil, status.Error(codes.ResourceExhausted, "too many passwords were tried from this address: wait some seconds; use the token that the first answer gave for the calls that follow")
	}
	if len(password) > maxPassword {
		return nil, errBadLogin
	}
	if t := a.tokens.bearer(password, now); t != nil && t.Name == name {
		return t, nil
	}
	select {
	case a.hashing <- struct{}{}:
		defer func() { <-a.hashing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	candidates := a.tokens.passwords(name, now)
	if len(candidates) == 0 {
		decoy().matches(password)
	}
	for _, t := range candidates {
		h, err := parseArgon2(t.Hash)
		if err != nil {
			return nil, errs.Errorf(errs.ErrInternal, "%w", err) // it was read before
		}
		if h.matches(password) {
			a.mu.Lock()
			if len(a.verified) >= 1024 {
				clear(a.verified)
			}
			a.verified[known] = t.fingerprint()
			a.mu.Unlock()
			return &t, nil
		}
	}
	return nil, errBadLogin
}

// A session's token is sealed, not stored:
//
//	prefix base64(expires, 8 bytes | fingerprint of the token's line, 16 | HMAC-SHA-256 of both, 32)
const sessionPrefix = "arrowio-session_"

func (a *Access) session(t *Token) string {
	until := time.Now().Add(a.o.Session)
	if !t.Expires.IsZero() && t.Expires.Before(until) {
		until = t.Expires
	}
	fp := t.fingerprint()
	b := append(binary.BigEndian.AppendUint64(nil, uint64(until.Unix())), fp[:]...)
	return sessionPrefix + base64.RawURLEncoding.EncodeToString(append(b, a.seal(b)...))
}

func (a *Access) seal(b []byte) []byte {
	mac := hmac.New(sha256.New, a.key[:])
	mac.Write([]byte(sessionPrefix)) // the key has another use
	mac.Write(b)
	return mac.Sum(nil)
}

func (a *Access) openSession(token string, now time.Time) (fp [16]byte, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != 8+16+sha256.Size || !hmac.Equal(b[24:], a.seal(b[:24])) {
		return fp, false
	}
	return [16]byte(b[8:24]), now.Unix() < int64(binary.BigEndian.Uint64(b))
}

// handshake implements the RPC for clients that send their name and password as its payload, and not as a header.
func (a *Access) handshake(stream flight.FlightService_HandshakeServer) error {
	ctx := stream.Context()
	if c := CallFrom(ctx); a.tokens == nil || c != nil && c.Client.Name != "" {
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
		return unauthenticated(errNoToken)
	}
	if got.err != nil {
		return unauthenticated(errNoToken)
	}
	var basic flight.BasicAuth
	if len(got.r.GetPayload()) > 4*maxPassword || proto.Unmarshal(got.r.GetPayload(), &basic) != nil {
		return unauthenticated(errBadLogin)
	}
	p, _ := peer.FromContext(ctx)
	t, err := a.login(ctx, p, basic.Username, basic.Password)
	if err != nil {
		return unauthenticated(err)
	}
	return stream.Send(&flight.HandshakeResponse{Payload: []byte(a.session(t))})
}

// handshakeTimeout is how long a client may take to say who it is.
const handshakeTimeout = 20 * time.Second

// Authorize implements Authorizer.
func (a *Access) Authorize(_ context.Context, c *Call, p Permission, dataset string) error {
	if len(a.o.Rules) == 0 {
		if p == PermitRead || p == PermitManage && !a.Known() {
			return nil
		}
	}
	if p == PermitRead && dataset == "" { // what every server has, of no dataset
		return nil
	}
	for i := range a.o.Rules {
		if a.o.Rules[i].permits(c.Client.Name, p, dataset) {
			return nil
		}
	}
	who := c.Client.Name
	if who == "" {
		who = "a client without a name"
	}
	if dataset == "" {
		return rpcerr.Errorf(codes.PermissionDenied, "%s may not %s the server", who, p)
	}
	return rpcerr.Errorf(codes.PermissionDenied, "%s may not %s %s", who, p, dataset)
}

func peerCertificate(p *peer.Peer) string {
	if p == nil {
		return ""
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(info.State.VerifiedChains) == 0 || len(info.State.VerifiedChains[0]) == 0 {
		return ""
	}
	return certificateName(info.State.VerifiedChains[0][0])
}

// peerHost returns the address that limits count by: without the port, and of IPv6 the network.
func peerHost(p *peer.Peer) string {
	if p == nil || p.Addr == nil {
		return ""
	}
	return hostOf(p.Addr.String())
}

func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return "unix" // sockets have no addresses
	}
	ip := net.ParseIP(host)
	if ip != nil && ip.To4() == nil {
		return ip.Mask(net.CIDRMask(64, 128)).String()
	}
	return host
}

// buckets lets each key do something a number of times a second.
type buckets struct {
	rate, burst float64
	mu          sync.Mutex
	by          map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newBuckets(rate, burst float64) *buckets {
	return &buckets{rate: rate, burst: burst, by: map[string]*bucket{}}
}

const maxBuckets = 4096

func (b *buckets) take(key string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.by[key]
	if k == nil {
		if len(b.by) >= maxBuckets {
			for name, old := range b.by {
				if old.left+now.Sub(old.at).Seconds()*b.rate >= b.burst {
					delete(b.by, name)
				}
			}
		}
		if len(b.by) >= maxBuckets { // so many that try at once have one bucket together
			key = ""
		}
		if k = b.by[key]; k == nil {
			k = &bucket{b.burst, now}
			b.by[key] = k
		}
	}
	k.left = min(b.burst, k.left+now.Sub(k.at).Seconds()*b.rate)
	k.at = now
	if k.left < 1 {
		return false
	}
	k.left--
	return true
}
