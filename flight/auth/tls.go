package auth

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"

	"google.golang.org/grpc/credentials"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// TLSFiles names the PEM files of a server's certificates.
type TLSFiles struct {
	Cert, Key string // the server's own; Cert may hold the chain
	// ClientCA holds the certificates of the authorities that sign clients' certificates. If it is set, every client must have a
	// certificate, unless ClientOptional is set.
	ClientCA       string
	ClientOptional bool
	Logger         *slog.Logger // default slog.Default()
	Reloader       *Reloader    // reads the files again on request; nil = only changed files are read again
}

// TLSCredentials returns credentials of TLS 1.3 for a gRPC server. When clients connect, at most once a second, the files are
// checked for changes. New connections use the new files. If these cannot be used, the error is logged, and the last good files
// stay in use.
func TLSCredentials(f TLSFiles) (credentials.TransportCredentials, error) {
	c, err := TLSConfig(f, "h2")
	if err != nil {
		return nil, err
	}
	return credentials.NewTLS(c), nil
}

// TLSConfig is TLSCredentials for servers of other protocols, whose ALPN names are given.
func TLSConfig(f TLSFiles, protocols ...string) (*tls.Config, error) {
	if f.Cert == "" || f.Key == "" {
		return nil, errs.Errorf(errs.ErrOption, "TLS needs a certificate and its key")
	}
	if f.Logger == nil {
		f.Logger = slog.Default()
	}
	paths := []string{f.Cert, f.Key}
	if f.ClientCA != "" {
		paths = append(paths, f.ClientCA)
	}
	w := &watched[*tls.Config]{paths: paths, logger: f.Logger, load: func() (*tls.Config, error) {
		c, err := f.config()
		if err == nil {
			c.NextProtos = protocols
		}
		return c, err
	}}
	if err := w.reload(); err != nil {
		return nil, err
	}
	f.Reloader.add(w.renew)
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		NextProtos:         protocols,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return w.get(), nil },
	}, nil
}

func (f TLSFiles) config() (*tls.Config, error) {
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "%s, %s: %w", f.Cert, f.Key, err)
	}
	c := &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{cert},
		NextProtos:   []string{"h2"},
		// A resumed session would not be checked against a new ClientCA.
		SessionTicketsDisabled: true,
	}
	if f.ClientCA == "" {
		return c, nil
	}
	pem, err := os.ReadFile(f.ClientCA)
	if err != nil {
		return nil, err
	}
	c.ClientCAs = x509.NewCertPool()
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, errs.Errorf(errs.ErrOption, "%s holds no certificate", f.ClientCA)
	}
	c.ClientAuth = tls.RequireAndVerifyClientCert
	if f.ClientOptional {
		c.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return c, nil
}

// certificateName returns who a verified certificate is of: the CN of its subject, or else its first URI, DNS name or
// e-mail address.
func certificateName(c *x509.Certificate) string {
	switch {
	case c.Subject.CommonName != "":
		return c.Subject.CommonName
	case len(c.URIs) > 0:
		return c.URIs[0].String()
	case len(c.DNSNames) > 0:
		return c.DNSNames[0]
	case len(c.EmailAddresses) > 0:
		return c.EmailAddresses[0]
	}
	return ""
}
