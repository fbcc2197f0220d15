package s3store

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/remote"
)

// Options says where a store is. The zero value is Amazon's, with the credentials that Amazon's own tools would find.
type Options struct {
	Endpoint  string // a host, with a port or without, or a URL; "" = Amazon's
	Region    string // "" = asked of Amazon; other endpoints are told us-east-1
	PathStyle bool   // the bucket stands in the path, not in the host; other endpoints than Amazon's are always asked so
	Insecure  bool   // without TLS, where the endpoint is no URL that says so

	AccessKey, SecretKey, SessionToken string // credentials; "" = they are looked for

	Profile   string // whose credentials in the files of Amazon's tools are used; "" = as AWS_PROFILE says
	Anonymous bool   // no credentials are looked for

	Requests  int           // at once; default 16
	PartBytes int64         // of an upload; default 8 MiB, at least 5
	Retry     remote.Policy //
}

// FromEnvironment returns the options that the environment gives, by the names of Amazon's tools.
func FromEnvironment() Options {
	first := func(names ...string) string {
		for _, n := range names {
			if v := os.Getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	return Options{
		Endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
		Region:   first("AWS_REGION", "AWS_DEFAULT_REGION"),
	}
}

const (
	amazonHost    = "s3.amazonaws.com"
	minPartBytes  = 5 << 20 // what S3 allows but for the last part
	defaultRegion = "us-east-1"
)

// Client is a store. Its methods may be called concurrently.
type Client struct {
	o    Options
	host *remote.Host

	lent  *Lent // nil = credentials are found as Options says
	dial  sync.Mutex
	ready *session // nil before the first request
	// creates has the buckets that look at the condition of CreateNew.
	creates map[string]bool
}

// session is what requests need, once the credentials are found.
type session struct {
	transport *http.Transport
	creds     found
	once      minio.Core // each request is made once: Fetch goes on where one broke off
	api       minio.Core // requests are tried again
}

// New returns a client; nothing is asked of anybody yet.
func New(o Options) *Client {
	o.Retry = o.Retry.WithDefaults()
	if o.Requests <= 0 {
		o.Requests = 16
	}
	if o.PartBytes <= 0 {
		o.PartBytes = 8 << 20
	}
	o.PartBytes = max(o.PartBytes, minPartBytes)
	return &Client{o: o, host: remote.NewHost(o.Requests)}
}

// Stop ends reads that are under way, and those to come.
func (c *Client) Stop() { c.host.Stop() }

// Close lets go of all connections. What was opened must be closed before.
func (c *Client) Close() error {
	c.host.Stop()
	c.dial.Lock()
	defer c.dial.Unlock()
	if c.ready != nil {
		c.ready.transport.CloseIdleConnections()
	}
	return nil
}

// endpoint returns the host to talk to, whether by TLS, and whether it is Amazon's.
func (o *Options) endpoint() (host string, secure, amazon bool, err error) {
	if o.Endpoint == "" {
		return amazonHost, !o.Insecure, true, nil
	}
	host, secure = o.Endpoint, !o.Insecure
	if strings.Contains(host, "://") {
		u, err := url.Parse(host)
		if err == nil {
			host = u.Redacted() // for the message
		} else {
			host = "..." // it may have a password, too
		}
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
			return "", false, false, errs.Errorf(errs.ErrOption, "the S3 endpoint %q is not a host or http(s)://HOST[:PORT]", host)
		}
		host, secure = u.Host, u.Scheme == "https"
	}
	name := strings.ToLower(host)
	return host, secure, strings.HasSuffix(name, ".amazonaws.com") || strings.HasSuffix(name, ".amazonaws.com.cn"), nil
}

// session finds the credentials, once.
func (c *Client) session(ctx context.Context) (*session, error) {
	c.dial.Lock()
	defer c.dial.Unlock()
	if c.ready != nil {
		return c.ready, nil
	}
	host, secure, amazon, err := c.o.endpoint()
	if err != nil {
		return nil, err
	}
	s := &session{}
	if c.lent != nil {
		s.creds = found{Credentials: credentials.New(c.lent)}
	} else if s.creds, err = findCredentials(ctx, amazon, c.o); err != nil {
		return nil, err
	}
	if s.transport, err = minio.DefaultTransport(secure); err != nil {
		return nil, err
	}
	if t := s.transport.TLSClientConfig; t != nil && t.RootCAs == nil {
		if t.RootCAs, err = rootsWithout(x509.SystemCertPool()); err != nil {
			return nil, err
		}
	}
	s.transport.ResponseHeaderTimeout = c.o.Retry.Stall
	s.transport.MaxIdleConnsPerHost = max(s.transport.MaxIdleConnsPerHost, c.o.Requests)
	o := minio.Options{Creds: s.creds.Credentials, Secure: secure, Transport: s.transport, Region: c.o.Region}
	if o.Region == "" && !amazon {
		o.Region = defaultRegion
	}
	if c.o.PathStyle {
		o.BucketLookup = minio.BucketLookupPath
	}
	for _, x := range []struct {
		core     *minio.Core
		attempts int
	}{{&s.once, 1}, {&s.api, c.o.Retry.Attempts}} {
		o := o
		o.MaxRetries = x.attempts
		if x.core.Client, err = minio.New(host, &o); err != nil {
			return nil, errs.Errorf(errs.ErrOption, "the S3 endpoint %q: %w", host, err)
		}
		x.core.SetAppInfo("arrowio", "1")
	}
	c.ready = s
	return s, nil
}
