package metastore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// States of Thrift's messages of SASL.
const (
	saslStart    = 1
	saslOK       = 2
	saslBad      = 3
	saslError    = 4
	saslComplete = 5
)

// mostFrame bounds a message of SASL, and a frame behind it. Servers send answers in frames of 16 MiB at most, unless told otherwise.
const mostFrame = 1 << 28

// mechanism is a way to log in.
type mechanism interface {
	name() string
	first() ([]byte, error)                          // what is sent first
	next(challenge []byte) (reply []byte, err error) // the answer to a challenge
}

// authenticate logs in, if the options say so. All later bytes are in frames.
func (c *Client) authenticate(ctx context.Context) error {
	var m mechanism
	switch {
	case c.o.Principal != "":
		host, _, err := net.SplitHostPort(c.addr)
		if err != nil {
			return err
		}
		if m, err = newKerberos(c.o.Principal, host); err != nil {
			return err
		}
	case c.o.User != "":
		m = userPassword{c.o.User, c.o.Password}
	default:
		return nil
	}
	if err := c.conn.SetDeadline(time.Now().Add(c.o.Connect)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) }) // of a closed connection alone it fails
	defer stop()
	err := negotiate(c.conn, m)
	var known *errs.Error
	switch {
	case err == nil:
		c.conn = &framed{Conn: c.conn}
		c.line.conn = c.conn
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return errs.Errorf(known.Kind, "logging in to the metastore at %s with %s: %w", c.addr, m.name(), err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("logging in to the metastore at %s with %s: no answer came within %s; a server without SASL says nothing", c.addr, m.name(), c.o.Connect)
	}
	return fmt.Errorf("logging in to the metastore at %s with %s: the connection was closed; a server without SASL does so: %w", c.addr, m.name(), err)
}

// negotiate is what both say before the first call.
func negotiate(conn io.ReadWriter, m mechanism) error {
	response, err := m.first()
	if err != nil {
		return err
	}
	if err := sendSASL(conn, saslStart, []byte(m.name())); err != nil {
		return err
	}
	if err := sendSASL(conn, saslOK, response); err != nil {
		return err
	}
	const most = 8 // messages; each mechanism needs fewer
	for range most {
		status, text, err := readSASL(conn)
		if err != nil {
			return err
		}
		switch status {
		case saslComplete:
			return nil
		case saslOK:
			if response, err = m.next(text); err != nil {
				return err
			}
			if err := sendSASL(conn, saslOK, response); err != nil {
				return err
			}
		case saslBad, saslError:
			return errs.Errorf(errs.ErrOption, "the server refuses it: %s", shortened(string(text)))
		default:
			return errs.Errorf(errs.ErrCorrupt, "its answer is no message of SASL")
		}
	}
	return errs.Errorf(errs.ErrCorrupt, "the server does not come to an end")
}

func sendSASL(w io.Writer, status byte, payload []byte) error {
	b := append(binary.BigEndian.AppendUint32([]byte{status}, uint32(len(payload))), payload...)
	_, err := w.Write(b)
	return err
}

func readSASL(r io.Reader) (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	const most = 1 << 20
	n := binary.BigEndian.Uint32(head[1:])
	if n > most {
		return 0, nil, errs.Errorf(errs.ErrLimit, "its answer has %d bytes", n)
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return head[0], b, err
}

// userPassword is the mechanism PLAIN: it sends a name and a password.
type userPassword struct{ user, password string }

func (userPassword) name() string { return "PLAIN" }

func (p userPassword) first() ([]byte, error) {
	return []byte("\x00" + p.user + "\x00" + p.password), nil
}

func (userPassword) next([]byte) ([]byte, error) {
	return nil, errs.Errorf(errs.ErrCorrupt, "the server asks more than a name and a password")
}

// framed is a connection whose bytes are in frames, each behind its length.
type framed struct {
	net.Conn
	left uint32 // of the frame that is being read
}

func (f *framed) Read(p []byte) (int, error) {
	for f.left == 0 {
		var head [4]byte
		if _, err := io.ReadFull(f.Conn, head[:]); err != nil {
			return 0, err
		}
		if f.left = binary.BigEndian.Uint32(head[:]); f.left > mostFrame {
			return 0, errs.Errorf(errs.ErrCorrupt, "its answer has a frame of %d bytes", f.left)
		}
	}
	n, err := f.Conn.Read(p[:min(len(p), int(f.left))])
	f.left -= uint32(n)
	return n, err
}

func (f *framed) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := f.Conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(p))), p...))
	return max(0, n-4), err
}
