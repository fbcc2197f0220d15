package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// keyURL fetches a JSON Web Key Set over HTTP. What answers is not trusted to be quick, short or right.
type keyURL struct {
	client    *http.Client
	issuer    string
	url       string // of the set, or of what names it
	discovers bool   // url is that of the issuer's configuration (OpenID Connect Discovery 1.0)
}

func newKeyURL(i *JWTIssuer) (*keyURL, error) {
	u := &keyURL{issuer: i.Issuer, url: i.Keys}
	if u.url == "" {
		u.url, u.discovers = strings.TrimSuffix(i.Issuer, "/")+"/.well-known/openid-configuration", true
	}
	if err := checkKeyURL(u.url); err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		TLSHandshakeTimeout:    fetchTime,
		ResponseHeaderTimeout:  fetchTime,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConns:           1,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if i.CA != "" {
		pem, err := os.ReadFile(i.CA)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", i.CA)
		}
	}
	u.client = &http.Client{Transport: t, Timeout: fetchTime, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("it leads elsewhere, which is not followed")
	}}
	return u, nil
}

// checkKeyURL returns an error unless keys from a URL are those of its host.
func checkKeyURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil {
		return fmt.Errorf("%q is no URL of keys", s)
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback) {
		return fmt.Errorf("%s: keys are fetched by https only, except from loopback addresses", s)
	}
	return nil
}

func (u *keyURL) fetch(ctx context.Context) (keySet, error) {
	at := u.url
	if u.discovers {
		b, err := u.get(ctx, at)
		if err != nil {
			return nil, err
		}
		var c struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if err := json.Unmarshal(b, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if c.Issuer != u.issuer {
			return nil, fmt.Errorf("%s: it is the configuration of another issuer, %q", at, c.Issuer)
		}
		if err := checkKeyURL(c.Keys); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		at = c.Keys
	}
	b, err := u.get(ctx, at)
	if err != nil {
		return nil, err
	}
	s, err := parseKeySet(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return s, nil
}

// get returns the body of a response of maxKeySet bytes at most.
func (u *keyURL) get(ctx context.Context, at string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := u.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", at, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxKeySet+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", at, err)
	case len(b) > maxKeySet:
		return nil, fmt.Errorf("%s: more than %d bytes", at, maxKeySet)
	}
	return b, nil
}
