package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// JWTIssuer says which JSON Web Tokens (RFC 7519) of one issuer are taken as bearer tokens, and what their claims mean. Tokens
// must be signed with an asymmetric key, and must have the claims iss, aud and exp.
type JWTIssuer struct {
	Issuer    string   // the claim iss, exactly
	Audiences []string // the claim aud must have one of them
	// Keys is the URL or the path of a JSON Web Key Set; "" = the one that Issuer/.well-known/openid-configuration names. A URL must
	// be https, except on loopback addresses. Keys are read again every 10 minutes and when a token has a key that is not known.
	Keys       string
	CA         string        // PEM file of certificate authorities for the URL; "" = those of the system
	Algorithms []string      // of signatures; nil = all of JWTAlgorithms
	Name       string        // the claim that is the client's name; default "sub"
	Prefix     string        // is put before the name and before each role
	Roles      []string      // claims that list roles, in arrays or separated by blanks; "a.b" is the claim b within the claim a
	Skew       time.Duration // how far the clocks of issuer and server may differ; default 30 s, -1 = not at all
}

// JWTAlgorithms returns the algorithms of signatures that JWTs may have.
func JWTAlgorithms() []string {
	return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

// maxJWT is how long a JWT may be.
const maxJWT = 16 << 10

// issuer is a JWTIssuer in use.
type issuer struct {
	JWTIssuer
	algorithms []jose.SignatureAlgorithm
	keys       keySource
}

// keySource finds the public keys that may have signed a token; kid "" = the token does not say. Errors are for clients.
type keySource interface {
	find(ctx context.Context, kid string, algorithm jose.SignatureAlgorithm) ([]any, error)
}

// checkIssuers checks what can be checked without the keys, and sets the defaults.
func checkIssuers(given []JWTIssuer) ([]*issuer, error) {
	var out []*issuer
	for _, j := range given {
		bad := func(format string, args ...any) ([]*issuer, error) {
			return nil, errs.Errorf(errs.ErrOption, "JWTs of %q: %w", j.Issuer, fmt.Errorf(format, args...))
		}
		if j.Issuer == "" {
			return nil, errs.Errorf(errs.ErrOption, "JWTs without an issuer")
		}
		if len(j.Audiences) == 0 || slices.Contains(j.Audiences, "") {
			return bad("the audience is missing: without it tokens for other services would be taken")
		}
		if j.Algorithms == nil {
			j.Algorithms = JWTAlgorithms()
		}
		i := &issuer{JWTIssuer: j}
		for _, a := range j.Algorithms {
			if !slices.Contains(JWTAlgorithms(), a) {
				return bad("the algorithm %q is not one of %s", a, strings.Join(JWTAlgorithms(), ", "))
			}
			i.algorithms = append(i.algorithms, jose.SignatureAlgorithm(a))
		}
		if i.Name == "" {
			i.Name = "sub"
		}
		switch {
		case i.Skew < 0:
			i.Skew = 0
		case i.Skew == 0:
			i.Skew = 30 * time.Second
		case i.Skew > maxSkew:
			return bad("clocks that differ by %s; the most is %s", i.Skew, maxSkew)
		}
		if i.Prefix != "" {
			if err := checkName(i.Prefix); err != nil {
				return bad("the prefix of names: %w", err)
			}
		}
		for _, o := range out {
			if o.Issuer == i.Issuer {
				return bad("this issuer is given twice")
			}
			if strings.HasPrefix(o.Prefix, i.Prefix) || strings.HasPrefix(i.Prefix, o.Prefix) {
				return bad("names of different issuers could be the same: give each a prefix of its own that does not begin with another's, not %q and %q", o.Prefix, i.Prefix)
			}
		}
		out = append(out, i)
	}
	return out, nil
}

const maxSkew = 10 * time.Minute

// openIssuers checks issuers and begins to read their keys.
func openIssuers(given []JWTIssuer, logger *slog.Logger, r *Reloader) ([]*issuer, error) {
	out, err := checkIssuers(given)
	if err != nil {
		return nil, err
	}
	for _, i := range out {
		if i.keys, err = openKeys(&i.JWTIssuer, logger, r); err != nil {
			return nil, errs.Errorf(errs.ErrOption, "JWTs of %q: %w", i.Issuer, err)
		}
	}
	return out, nil
}

// looksLikeJWT reports whether a bearer token has the form of a signed JWT, which no other token of this package has.
func looksLikeJWT(token string) bool { return strings.Count(token, ".") == 2 }

var (
	errLongJWT     = fmt.Errorf("JWT: it is longer than %d bytes", maxJWT)
	errNoJWT       = errors.New("JWT: it cannot be read, or its algorithm is not allowed")
	errJWTIssuer   = errors.New("JWT: its issuer is not known here")
	errJWTType     = errors.New("JWT: its type (typ) is not that of an access token")
	errJWTKey      = errors.New("JWT: its key is not one of its issuer's")
	errJWTBad      = errors.New("JWT: its signature is wrong")
	errJWTAudience = errors.New("JWT: it is for another audience")
	errJWTExpired  = errors.New("JWT: it has expired")
	errJWTEarly    = errors.New("JWT: it is not valid yet")
	errJWTForever  = errors.New("JWT: it does not say when it expires")
	// errNoKeys has a code: the client has done nothing wrong.
	errNoKeys = status.Error(codes.Unavailable, "JWT: the keys of its issuer cannot be had now: try again")
)

// openJWT returns the client that a token was made for.
func openJWT(ctx context.Context, issuers []*issuer, token string, now time.Time) (Identity, error) {
	if len(token) > maxJWT {
		return Identity{}, errLongJWT
	}
	var all []jose.SignatureAlgorithm
	for _, a := range JWTAlgorithms() {
		all = append(all, jose.SignatureAlgorithm(a))
	}
	parsed, err := jwt.ParseSigned(token, all)
	if err != nil || len(parsed.Headers) != 1 {
		return Identity{}, errNoJWT
	}
	var says struct {
		Issuer string `json:"iss"`
	}
	if err := parsed.UnsafeClaimsWithoutVerification(&says); err != nil {
		return Identity{}, errNoJWT
	}
	for _, i := range issuers {
		if i.Issuer == says.Issuer {
			return i.open(ctx, parsed, now)
		}
	}
	return Identity{}, errJWTIssuer
}

func (i *issuer) open(ctx context.Context, token *jwt.JSONWebToken, now time.Time) (id Identity, err error) {
	h := token.Headers[0]
	algorithm := jose.SignatureAlgorithm(h.Algorithm)
	if !slices.Contains(i.algorithms, algorithm) {
		return id, errNoJWT
	}
	if typ, ok := h.ExtraHeaders[jose.HeaderType]; ok && !accessToken(typ) {
		return id, errJWTType
	}
	keys, err := i.keys.find(ctx, h.KeyID, algorithm)
	if err != nil {
		return id, err
	}
	var claims jwt.Claims
	var others map[string]any
	err = errJWTBad
	for _, key := range keys {
		if token.Claims(key, &claims, &others) == nil {
			err = nil
			break
		}
	}
	if err != nil {
		return id, err
	}
	if err := i.check(&claims, now); err != nil {
		return id, err
	}
	id.Until = claims.Expiry.Time().Add(i.Skew)
	if id.Name, err = i.name(others); err != nil {
		return id, err
	}
	id.Roles, err = i.roles(others)
	return id, err
}

// accessToken reports whether a typ is one of an access token (RFC 9068) or says nothing. Others, such as "logout+jwt", have the same
// issuer and perhaps the same audience, and mean something else.
func accessToken(typ any) bool {
	s, ok := typ.(string)
	return ok && slices.Contains([]string{"", "jwt", "at+jwt"}, strings.TrimPrefix(strings.ToLower(s), "application/"))
}

// check checks claims whose signature is right.
func (i *issuer) check(c *jwt.Claims, now time.Time) error {
	if c.Expiry == nil {
		return errJWTForever
	}
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: i.Issuer, AnyAudience: i.Audiences, Time: now}, i.Skew)
	switch {
	case errors.Is(err, jwt.ErrInvalidAudience):
		return errJWTAudience
	case errors.Is(err, jwt.ErrExpired):
		return errJWTExpired
	case err != nil:
		return errJWTEarly // nbf or iat
	}
	if !now.Before(c.Expiry.Time().Add(i.Skew)) { // RFC 7519: "on or after"
		return errJWTExpired
	}
	return nil
}

// CheckKeys waits until the keys of all JWTIssuers were fetched, and returns an error unless they could be.
func (a *Access) CheckKeys(ctx context.Context) error {
	for _, i := range a.issuers {
		if k, ok := i.keys.(*fetchedKeys); ok {
			if err := k.check(ctx); err != nil {
				return errs.Errorf(errs.ErrOption, "JWTs of %q: %w", i.Issuer, err)
			}
		}
	}
	return nil
}
