package auth

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// Options says how an Access authenticates clients, and what it permits them. With the zero value every client may read.
type Options struct {
	// Tokens is the path of a token file. If it is set, every client needs a bearer token, or a name and a password, from this
	// file. Exceptions are clients of Unix sockets and, if Certificates is set, clients with a certificate.
	Tokens string
	// JWTs lists issuers of JSON Web Tokens. If there are any, every client needs a token of one of them, or what Tokens and
	// Certificates say.
	JWTs []JWTIssuer
	// Certificates says that clients have the names in their certificates, which the server's credentials verify.
	Certificates bool
	// Rules say what clients may do. If there are rules, clients may do only what some rule permits. Without rules they may read
	// everything and write nothing; if clients need not authenticate, they may also refresh.
	Rules []Rule
	// Restrictions narrow what clients may read of datasets. Access only says which of them concern a client.
	Restrictions []Restriction
	// Attempts is how many passwords one address may try per second; default 5.
	Attempts float64
	Session  time.Duration // how long the token is valid that a client gets for its password; default 12 h
	Logger   *slog.Logger  // default slog.Default()
	Reloader *Reloader     // reads the token file again on request; nil = it is read again only when it changes
}

// Access authenticates clients by tokens, passwords, JWTs and certificates, in the ways that Flight clients use: the header
// authorization with Bearer or Basic on any call, and the RPC Handshake, which returns a token for a name and a password. Later
// calls send that token.
type Access struct {
	o        Options
	tokens   *tokenFile // nil = none are asked for
	issuers  []*issuer
	key      [32]byte // of the tokens of sessions; dies with the process
	attempts *buckets
	hashing  chan struct{} // argon2 takes memory: few at once

	mu       sync.Mutex
	verified map[[32]byte][16]byte // of passwords that were right: what they opened
}

// LocalClient is the name of clients that connect by a Unix socket and send no token.
const LocalClient = "local"

// New reads the token file and begins to fetch the keys of JWTs.
func New(o Options) (*Access, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Attempts <= 0 {
		o.Attempts = 5
	}
	if o.Session <= 0 {
		o.Session = 12 * time.Hour
	}
	for i := range o.Restrictions {
		if err := o.Restrictions[i].check(); err != nil {
			return nil, err
		}
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
		o.Reloader.add(a.tokens.renew)
	}
	var err error
	if a.issuers, err = openIssuers(o.JWTs, o.Logger, o.Reloader); err != nil {
		return nil, err
	}
	return a, nil
}

// Known reports whether clients must authenticate.
func (a *Access) Known() bool { return a.bearers() || a.o.Certificates }

// bearers reports whether clients may send tokens.
func (a *Access) bearers() bool { return a.tokens != nil || len(a.issuers) > 0 }

var (
	errNoToken   = errors.New("authentication required: send a bearer token, or a name and a password, in the header authorization")
	errBadToken  = errors.New("the token is unknown, has expired or was withdrawn")
	errBadLogin  = errors.New("the name or the password is wrong")
	errBadHeader = errors.New("invalid header authorization: want Bearer TOKEN or Basic NAME:PASSWORD")
)

// healthPrefix is of the calls that need nobody's name: those who watch a server have no token, and learn nothing else.
const healthPrefix = "/grpc.health.v1.Health/"

// Authenticate returns the client that calls a method, such as "DoGet". ctx is the context of the RPC.
func (a *Access) Authenticate(ctx context.Context, method string) (Identity, error) {
	if !a.Known() {
		return Identity{}, nil
	}
	if full, _ := grpc.Method(ctx); strings.HasPrefix(full, healthPrefix) {
		return Identity{}, nil
	}
	p, _ := peer.FromContext(ctx)
	if a.bearers() {
		id, err := a.shown(ctx, p)
		if id.Name != "" || err != nil {
			return id, err
		}
	}
	if name := peerCertificate(p); a.o.Certificates && name != "" {
		return Identity{Name: name}, nil
	}
	if p != nil && p.Addr != nil && p.Addr.Network() == "unix" {
		return Identity{Name: LocalClient}, nil
	}
	if !a.bearers() {
		return Identity{}, errors.New("authentication required: send a client certificate with a name")
	}
	if method == "Handshake" { // it is asked there
		return Identity{}, nil
	}
	return Identity{}, errNoToken
}

// shown returns who the headers say; no name = they do not say.
func (a *Access) shown(ctx context.Context, p *peer.Peer) (Identity, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	values := md.Get("authorization")
	if len(values) == 0 {
		if values = md.Get("auth-token-bin"); len(values) == 0 { // what Handshake has answered
			return Identity{}, nil
		}
		if len(values) > 1 {
			return Identity{}, errBadHeader
		}
		return a.bearer(ctx, values[0])
	}
	if len(values) > 1 {
		return Identity{}, errBadHeader
	}
	scheme, value, _ := strings.Cut(values[0], " ")
	value = strings.TrimSpace(value)
	switch strings.ToLower(scheme) {
	case "bearer":
		return a.bearer(ctx, value)
	case "basic":
		b, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			if b, err = base64.RawStdEncoding.DecodeString(value); err != nil {
				return Identity{}, errBadHeader
			}
		}
		name, password, ok := strings.Cut(string(b), ":")
		if !ok {
			return Identity{}, errBadHeader
		}
		id, token, err := a.login(ctx, p, name, password)
		if err != nil {
			return Identity{}, err
		}
		// Fails only where the answer has begun, which it has not.
		_ = grpc.SetHeader(ctx, metadata.Pairs("authorization", "Bearer "+token))
		return id, nil
	}
	return Identity{}, errBadHeader
}

func (a *Access) bearer(ctx context.Context, token string) (Identity, error) {
	now := time.Now()
	if len(a.issuers) > 0 && looksLikeJWT(token) {
		return openJWT(ctx, a.issuers, token, now)
	}
	if a.tokens == nil {
		return Identity{}, errBadToken
	}
	var t *Token
	until := time.Time{}
	if rest, ok := strings.CutPrefix(token, sessionPrefix); ok {
		var fp [16]byte
		if fp, until, ok = a.openSession(rest, now); ok {
			t = a.tokens.byFingerprint(fp, now)
		}
	} else {
		t = a.tokens.bearer(token, now)
	}
	if t == nil {
		return Identity{}, errBadToken
	}
	if until.IsZero() {
		until = t.Expires
	}
	return Identity{Name: t.Name, Until: until}, nil
}

// login checks a name and a password, and returns the token that the client is to send from now on. The password may be one of the
// name's bearer tokens: some clients can send nothing else.
func (a *Access) login(ctx context.Context, p *peer.Peer, name, password string) (id Identity, token string, err error) {
	if len(a.issuers) > 0 && looksLikeJWT(password) {
		id, err = openJWT(ctx, a.issuers, password, time.Now())
		if err == nil && id.Name == name {
			return id, password, nil
		}
		if err == nil || a.tokens == nil {
			return Identity{}, "", &LoginError{name, cmp.Or(err, errBadLogin)}
		}
	}
	if a.tokens == nil {
		return Identity{}, "", &LoginError{name, errBadLogin}
	}
	t, err := a.password(ctx, p, name, password)
	if err != nil {
		return Identity{}, "", &LoginError{name, err}
	}
	return Identity{Name: t.Name, Until: t.Expires}, a.session(t), nil
}

// LoginError is the error of a name whose password is wrong, or was not looked at.
type LoginError struct {
	Name string // as the client gave it
	err  error
}

func (e *LoginError) Error() string { return e.err.Error() }

// Unwrap returns why.
func (e *LoginError) Unwrap() error { return e.err }

// password checks a name and a password, which may be one of the name's bearer tokens.
func (a *Access) password(ctx context.Context, p *peer.Peer, name, password string) (*Token, error) {
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

// Authorize returns an error unless a client has permission p for a dataset; dataset "" is the server itself.
func (a *Access) Authorize(client Identity, p Permission, dataset string) error {
	if len(a.o.Rules) == 0 {
		if p == PermitRead || p == PermitManage && !a.Known() {
			return nil
		}
	}
	if p == PermitRead && dataset == "" { // what every server has, of no dataset
		return nil
	}
	for i := range a.o.Rules {
		if a.o.Rules[i].permits(&client, p, dataset) {
			return nil
		}
	}
	who := client.Name
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

// peerHost returns the Host of a peer.
func peerHost(p *peer.Peer) string {
	if p == nil || p.Addr == nil {
		return ""
	}
	return Host(p.Addr.String())
}

// Host returns the part of an address by which limits tell clients apart: the address without the port, or the network of an IPv6
// address.
func Host(addr string) string {
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
