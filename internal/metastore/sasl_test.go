package metastore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	krb "github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/service"
	"github.com/jcmturner/gokrb5/v8/spnego"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// serve runs a server's side of a connection, and returns the client's.
func serve(t *testing.T, side func(conn net.Conn) error) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- errors.Join(side(server), server.Close()) }()
	t.Cleanup(func() {
		_ = client.Close() // of a pipe
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return client
}

// expect reads a message, which must have a status.
func expect(conn io.Reader, status byte) ([]byte, error) {
	got, text, err := readSASL(conn)
	if err == nil && got != status {
		err = errors.New("another status")
	}
	return text, err
}

func TestPlain(t *testing.T) {
	for _, last := range []byte{saslComplete, saslBad} {
		conn := serve(t, func(conn net.Conn) error {
			name, err := expect(conn, saslStart)
			if err != nil || string(name) != "PLAIN" {
				return errors.Join(err, errors.New(string(name)))
			}
			if said, err := expect(conn, saslOK); err != nil || string(said) != "\x00me\x00secret" {
				return errors.Join(err, errors.New(string(said)))
			}
			return sendSASL(conn, last, []byte("who is me?"))
		})
		err := negotiate(conn, userPassword{"me", "secret"})
		if last == saslComplete && err != nil || last == saslBad && (!errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "who is me?")) {
			t.Error(err)
		}
	}
}

// ticket makes a ticket for a server whose key is in a keytab, as a KDC does.
func ticket(t *testing.T) (*gss, *keytab.Keytab) {
	t.Helper()
	const realm = "R"
	kt := keytab.New()
	if err := kt.AddEntry("hive/h", realm, "password", time.Now(), 1, etypeID.AES256_CTS_HMAC_SHA1_96); err != nil {
		t.Fatal(err)
	}
	conf, err := config.NewFromString("[libdefaults]\n default_realm = R\n")
	if err != nil {
		t.Fatal(err)
	}
	g := &gss{client: krb.NewWithPassword("alice", realm, "x", conf)}
	now := time.Now().UTC()
	g.ticket, g.key, err = messages.NewTicket(types.NewPrincipalName(1, "alice"), realm, types.NewPrincipalName(2, "hive/h"), realm,
		types.NewKrbFlags(), kt, etypeID.AES256_CTS_HMAC_SHA1_96, 1, now, now, now.Add(time.Hour), now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return g, kt
}

// acceptor is a server's side of Kerberos, which offers layers.
func acceptor(conn net.Conn, kt *keytab.Keytab, key types.EncryptionKey, layers byte) error {
	if _, err := expect(conn, saslStart); err != nil {
		return err
	}
	b, err := expect(conn, saslOK)
	if err != nil {
		return err
	}
	var token spnego.KRB5Token
	if err := token.Unmarshal(b); err != nil {
		return err
	}
	if ok, _, err := service.VerifyAPREQ(&token.APReq, service.NewSettings(kt)); err != nil || !ok {
		return errors.Join(err, errors.New("the ticket is not valid"))
	}
	offer := gssapi.WrapToken{Flags: 1, EC: 12, Payload: []byte{layers, 0, 255, 255}} // 1: from the acceptor
	if err := offer.SetCheckSum(key, keyusage.GSSAPI_ACCEPTOR_SEAL); err != nil {
		return err
	}
	if b, err = offer.Marshal(); err != nil {
		return err
	}
	if err := sendSASL(conn, saslOK, b); err != nil {
		return err
	}
	if b, err = expect(conn, saslOK); err != nil {
		if layers&authOnly == 0 {
			return nil // the client went away
		}
		return err
	}
	var choice gssapi.WrapToken
	if err := choice.Unmarshal(b, false); err != nil {
		return err
	}
	if ok, err := choice.Verify(key, keyusage.GSSAPI_INITIATOR_SEAL); err != nil || !ok || !bytes.Equal(choice.Payload, []byte{authOnly, 0, 0, 0}) {
		return errors.Join(err, errors.New("the choice is not valid"))
	}
	return sendSASL(conn, saslComplete, nil)
}

func TestKerberos(t *testing.T) {
	g, kt := ticket(t)
	conn := serve(t, func(conn net.Conn) error { return acceptor(conn, kt, g.key, 7) })
	if err := negotiate(conn, g); err != nil {
		t.Error(err)
	}
	g, kt = ticket(t)
	conn = serve(t, func(conn net.Conn) error { return acceptor(conn, kt, g.key, 6) })
	err := negotiate(conn, g)
	if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "integrity") {
		t.Error(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	for _, challenge := range []string{"x", "\x05\x04\x01\xff\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00aaaaaaaaaaaa"} {
		if _, err := g.next([]byte(challenge)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%q: %v", challenge, err)
		}
	}
}

// What comes in frames is read over their ends, and what is written is one each.
func TestFrames(t *testing.T) {
	conn := serve(t, func(conn net.Conn) error {
		var b [6]byte
		if _, err := io.ReadFull(conn, b[:]); err != nil || string(b[:]) != "\x00\x00\x00\x02hi" {
			return errors.Join(err, errors.New(string(b[:])))
		}
		_, err := conn.Write([]byte("\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc\xff\xff\xff\xff"))
		return err
	})
	f := &framed{Conn: conn}
	if n, err := f.Write([]byte("hi")); n != 2 || err != nil {
		t.Error(n, err)
	}
	var b [3]byte
	if _, err := io.ReadFull(f, b[:]); err != nil || string(b[:]) != "abc" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := f.Read(b[:]); !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
}

// A server without SASL closes the connection, or says nothing.
func TestNoSASL(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := Options{User: "me", Password: "x", Connect: 100 * time.Millisecond}
	if _, err := Dial(context.Background(), l.Addr().String(), o); err == nil || !strings.Contains(err.Error(), "says nothing") {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	t.Setenv(passwordKey, "")
	for _, given := range []map[string]string{
		{optionUser: "me"}, {optionPrincipal: "hive"}, {optionUser: "me", optionPrincipal: "hive/_HOST"},
	} {
		if err := (&Options{}).Read(given); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%v: %v", given, err)
		}
	}
	t.Setenv(passwordKey, "secret")
	var o Options
	if err := o.Read(map[string]string{optionUser: "me", optionTLS: "x.pem"}); err != nil || o.Password != "secret" || !o.TLS || o.Certificates != "x.pem" {
		t.Errorf("%v, %v", o, err)
	}
}
