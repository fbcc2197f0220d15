package metastore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Options say how to reach a metastore. The zero value is the default.
type Options struct {
	TLS bool
	// Certificates is the path of a PEM file with the certificates that the server's certificate is checked against; "" = those of the
	// system.
	Certificates string
	Principal    string // of the server, in Kerberos: hive/_HOST@REALM; "" = without Kerberos
	User         string // with Password: what SASL PLAIN sends; "" = nothing
	Password     string
	Connect      time.Duration // longest wait for a connection; default 20 s
	Call         time.Duration // longest time of one call; default 2 min
	Bytes        int64         // of one answer; default 64 MiB
}

func (o Options) withDefaults() Options {
	if o.Connect == 0 {
		o.Connect = 20 * time.Second
	}
	if o.Call == 0 {
		o.Call = 2 * time.Minute
	}
	if o.Bytes == 0 {
		o.Bytes = 64 << 20
	}
	return o
}

// config returns the settings of TLS; nil = without.
func (o Options) config() (*tls.Config, error) {
	if !o.TLS {
		return nil, nil //nolint:nilnil // the comment says so
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.Certificates == "" {
		return c, nil
	}
	b, err := os.ReadFile(o.Certificates)
	if err != nil {
		return nil, err
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(b) {
		return nil, errs.Errorf(errs.ErrOption, "the file %s has no certificates in PEM", o.Certificates)
	}
	return c, nil
}

// Client is a connection to a metastore. Its methods may be called concurrently; the calls take turns.
type Client struct {
	o    Options
	addr string

	mu    sync.Mutex
	conn  net.Conn
	line  *bounded
	proto *thrift.TBinaryProtocol
	calls int32
}

// Dial connects to the metastore at HOST:PORT. The error of a metastore that cannot be reached has no errs.Kind, as other I/O errors.
func Dial(ctx context.Context, addr string, o Options) (*Client, error) {
	o = o.withDefaults()
	c := &Client{o: o, addr: addr}
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, o.Connect)
	defer cancel()
	if config != nil {
		c.conn, err = (&tls.Dialer{Config: config}).DialContext(limited, "tcp", addr)
	} else {
		c.conn, err = (&net.Dialer{}).DialContext(limited, "tcp", addr)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil, fmt.Errorf("the metastore at %s cannot be reached: no connection was made within %s", addr, o.Connect)
	case err != nil:
		return nil, fmt.Errorf("the metastore at %s cannot be reached: %w", addr, err)
	}
	c.line = &bounded{conn: c.conn}
	if err := c.authenticate(ctx); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	most := int32(min(o.Bytes, math.MaxInt32))
	c.proto = thrift.NewTBinaryProtocolConf(thrift.NewStreamTransportRW(c.line), &thrift.TConfiguration{MaxMessageSize: most, MaxFrameSize: most})
	return c, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

// bounded is a connection of which a call may read so many bytes.
type bounded struct {
	conn net.Conn
	left int64
	err  error // the first
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = errs.Errorf(errs.ErrLimit, "its answer is longer than the limit MetadataBytes")
		return 0, b.err
	}
	n, err := b.conn.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && b.err == nil {
		b.err = err
	}
	return n, err
}

func (b *bounded) Write(p []byte) (int, error) {
	n, err := b.conn.Write(p)
	if err != nil && b.err == nil {
		b.err = err
	}
	return n, err
}

// call makes a call. args writes the fields of its arguments, result reads the field that is its result; nil = it has none.
func (c *Client) call(ctx context.Context, method string, args func(w *encoder), result func(r *decoder)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line.err != nil {
		return c.failed(ctx, method, c.line.err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.line.left = c.o.Bytes
	if err := c.conn.SetDeadline(time.Now().Add(c.o.Call)); err != nil {
		return c.failed(ctx, method, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) }) // of a closed connection alone it fails
	defer stop()
	c.calls++
	w := &encoder{p: c.proto}
	w.ok(c.proto.WriteMessageBegin(ctx, method, thrift.CALL, c.calls))
	args(w)
	w.end()
	w.ok(c.proto.WriteMessageEnd(ctx))
	w.ok(c.proto.Flush(ctx))
	if w.err != nil {
		return c.failed(ctx, method, w.err)
	}
	err := c.answer(ctx, result)
	var refused *Refused
	if err != nil && !errors.As(err, &refused) {
		if c.line.err == nil { // what follows in the stream is not known
			c.line.err = err
		}
		return c.failed(ctx, method, c.line.err)
	}
	return c.failed(ctx, method, err)
}

// answer reads the answer to a call.
func (c *Client) answer(ctx context.Context, result func(r *decoder)) error {
	_, kind, id, err := c.proto.ReadMessageBegin(ctx)
	switch {
	case err != nil:
		return err
	case id != c.calls:
		return errs.Errorf(errs.ErrCorrupt, "its answer is to call %d, and was expected to be to call %d", id, c.calls)
	case kind == thrift.EXCEPTION:
		x := thrift.NewTApplicationException(0, "")
		if err := x.Read(ctx, c.proto); err != nil {
			return err
		}
		return &Refused{Unknown: x.TypeId() == thrift.UNKNOWN_METHOD, Text: shortened(x.Error())}
	case kind != thrift.REPLY:
		return errs.Errorf(errs.ErrCorrupt, "its answer is a message of kind %d", kind)
	}
	r := &decoder{p: c.proto}
	var refused *Refused
	found := false
	r.fields(func(id int16, t thrift.TType) {
		if id == 0 && result != nil {
			found = true
			r.field = t
			result(r)
			return
		}
		refused = &Refused{Exception: id}
		r.field = t
		r.structure(func(id int16) {
			if id == 1 && r.field == thrift.STRING {
				r.text(&refused.Text)
			}
		})
		refused.Text = shortened(refused.Text)
	})
	switch {
	case r.err != nil:
		return r.err
	case refused != nil:
		return refused
	case !found && result != nil:
		return errs.Errorf(errs.ErrCorrupt, "its answer has no result")
	}
	return c.proto.ReadMessageEnd(ctx)
}

// shortened returns the beginning of what a server says, which may be long and hold anything.
func shortened(text string) string {
	const most = 1000
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strings.ToValidUTF8(text, "?")
}

// failed says which call failed, and where. Errors of the connection have no kind.
func (c *Client) failed(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *errs.Error
	var refused *Refused
	var network *net.OpError
	switch {
	case errors.As(err, &refused), errors.As(err, &known):
		return errs.Errorf(kindOf(err), "the metastore at %s, call %s: %w", c.addr, method, err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the metastore at %s, call %s: no whole answer came within %s", c.addr, method, c.o.Call)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network):
		return fmt.Errorf("the metastore at %s, call %s: the connection was closed before the whole answer came; a server that wants TLS or Kerberos does so: %w", c.addr, method, err)
	}
	return errs.Errorf(errs.ErrCorrupt, "the metastore at %s, call %s: the answer is not of Thrift's binary protocol: %w", c.addr, method, err)
}

func kindOf(err error) errs.Kind {
	for _, k := range []errs.Kind{errs.ErrLimit, errs.ErrCorrupt, errs.ErrOption} {
		if errors.Is(err, k) {
			return k
		}
	}
	return errs.ErrUnsupported
}

// Refused is an answer that says why there is no result.
type Refused struct {
	Unknown   bool  // the server does not know the call
	Exception int16 // number of the exception among those of the call; 0 = it is none of them
	Text      string
}

func (r *Refused) Error() string {
	switch {
	case r.Text != "":
		return r.Text
	case r.Unknown:
		return "the server does not know this call"
	}
	return "the server refused it without a reason"
}
