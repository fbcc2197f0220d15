package flight

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/auth"
)

// Permission is a kind of access to a dataset or to the server.
type Permission = auth.Permission

// Permissions.
const (
	PermitRead   = auth.PermitRead   // its schema and rows, and what is known of its files
	PermitWrite  = auth.PermitWrite  // put rows under its name
	PermitManage = auth.PermitManage // refresh it; the calls of others
)

// AccessOptions says how an Access authenticates clients, and what it permits them; see auth.Options.
type AccessOptions = auth.Options

// Rule grants a permission to clients; see auth.Rule.
type Rule = auth.Rule

// JWTIssuer says which JWTs of an issuer are taken; see auth.JWTIssuer.
type JWTIssuer = auth.JWTIssuer

// Token is a line of a token file; see auth.Token.
type Token = auth.Token

// TokenKind says what a client must send.
type TokenKind = auth.TokenKind

// TLSFiles names the files of a server's certificates; see auth.TLSFiles.
type TLSFiles = auth.TLSFiles

// Reloader reads files of tokens, certificates and keys again on request; see auth.Reloader.
type Reloader = auth.Reloader

// Constants of package auth.
const (
	BearerToken   = auth.BearerToken
	PasswordToken = auth.PasswordToken
	LocalClient   = auth.LocalClient
)

// Access is an Authorizer for tokens, passwords, JWTs and certificates; see auth.Access.
type Access struct {
	a            *auth.Access
	restrictions []Restriction
	where        []expr.Expr // of restrictions; nil = all rows
}

// NewAccess reads the token file and begins to fetch the keys of JWTs.
func NewAccess(o AccessOptions) (*Access, error) {
	where, err := parseRestrictions(o.Restrictions)
	if err != nil {
		return nil, err
	}
	a, err := auth.New(o)
	if err != nil {
		return nil, err
	}
	return &Access{a, o.Restrictions, where}, nil
}

// Known reports whether clients must authenticate.
func (a *Access) Known() bool { return a.a.Known() }

// CheckKeys is auth.Access.CheckKeys.
func (a *Access) CheckKeys(ctx context.Context) error { return a.a.CheckKeys(ctx) }

// Authenticate implements Authorizer.
func (a *Access) Authenticate(ctx context.Context, c *Call) (Client, error) {
	id, err := a.a.Authenticate(ctx, c.Method)
	return Client{Name: id.Name, Roles: id.Roles, Until: id.Until}, err
}

// Authorize implements Authorizer.
func (a *Access) Authorize(_ context.Context, c *Call, p Permission, dataset string) error {
	return a.a.Authorize(identity(c), p, dataset)
}

// loginName returns the name with which a client has tried a password that was refused; "" = none.
func loginName(err error) string {
	var login *auth.LoginError
	if !errors.As(err, &login) {
		return ""
	}
	return shortenedTo(strings.ToValidUTF8(login.Name, "\uFFFD"), maxLoginName)
}

// maxLoginName is how much is logged of a name that nobody may have, in bytes.
const maxLoginName = 128

// identity is the client of a call as package auth knows it.
func identity(c *Call) auth.Identity {
	return auth.Identity{Name: c.Client.Name, Roles: c.Client.Roles, Until: c.Client.Until}
}

// JWTAlgorithms is auth.JWTAlgorithms.
func JWTAlgorithms() []string { return auth.JWTAlgorithms() }

// ParseRule is auth.ParseRule.
func ParseRule(s string) (Rule, error) { return auth.ParseRule(s) }

// NewToken is auth.NewToken.
func NewToken(name string, expires time.Time) (secret string, t Token, err error) {
	return auth.NewToken(name, expires)
}

// NewPassword is auth.NewPassword.
func NewPassword(name, password string, expires time.Time) (Token, error) {
	return auth.NewPassword(name, password, expires)
}

// ReadTokens is auth.ReadTokens.
func ReadTokens(path string) ([]Token, error) { return auth.ReadTokens(path) }

// AddToken is auth.AddToken.
func AddToken(path string, t Token) error { return auth.AddToken(path, t) }

// RemoveTokens is auth.RemoveTokens.
func RemoveTokens(path, name string) (removed int, err error) { return auth.RemoveTokens(path, name) }

// TLSCredentials is auth.TLSCredentials, for Options.Credentials.
func TLSCredentials(f TLSFiles) (credentials.TransportCredentials, error) {
	return auth.TLSCredentials(f)
}

// TLSConfig is auth.TLSConfig.
func TLSConfig(f TLSFiles, protocols ...string) (*tls.Config, error) {
	return auth.TLSConfig(f, protocols...)
}
