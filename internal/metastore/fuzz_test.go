package metastore

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// said is a connection on which the server says what a fuzzer made up.
type said struct{ io.Reader }

func (said) Write(p []byte) (int, error)      { return len(p), nil }
func (said) Close() error                     { return nil }
func (said) LocalAddr() net.Addr              { return nil }
func (said) RemoteAddr() net.Addr             { return nil }
func (said) SetDeadline(time.Time) error      { return nil }
func (said) SetReadDeadline(time.Time) error  { return nil }
func (said) SetWriteDeadline(time.Time) error { return nil }

// FuzzAnswers has each call read an answer: an error is of a kind of this module.
func FuzzAnswers(f *testing.F) {
	begin := "\x80\x01\x00\x02\x00\x00\x00\x01x\x00\x00\x00\x01"
	for _, seed := range []string{
		"", begin, begin + "\x00",
		begin + "\x0c\x00\x00\x0a\x00\x01\x00\x00\x00\x00\x00\x00\x00\x05\x0f\x00\x02\x0a\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x0b\x00\x04\x00\x00\x00\x01\x01\x00\x00",
		begin + "\x0c\x00\x02\x0b\x00\x01\x00\x00\x00\x01x\x00\x00",
		begin + "\x0f\x00\x00\x0b\x00\x00\x00\x02\x00\x00\x00\x01a\x00\x00\x00\x01b\x00",
		"\x80\x01\x00\x03\x00\x00\x00\x01x\x00\x00\x00\x01\x0b\x00\x01\x00\x00\x00\x01y\x08\x00\x02\x00\x00\x00\x01\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		client := func() *Client {
			const most = 1 << 16
			c := &Client{o: Options{Bytes: most}.withDefaults(), addr: "x:1", conn: said{bytes.NewReader(b)}}
			c.line = &bounded{conn: c.conn}
			c.proto = thrift.NewTBinaryProtocolConf(thrift.NewStreamTransportRW(c.line), &thrift.TConfiguration{MaxMessageSize: most, MaxFrameSize: most})
			return c
		}
		ctx := t.Context()
		for _, call := range []func() error{
			func() error { _, err := client().Table(ctx, Name{"c", "d", "t"}); return err },
			func() error { _, err := client().PartitionNames(ctx, Name{"", "d", "t"}); return err },
			func() error { _, err := client().Partitions(ctx, Name{"", "d", "t"}, []string{"p=1"}); return err },
			func() error { _, err := client().Transactions(ctx); return err },
			func() error { _, err := client().WriteIDs(ctx, "d", "t", &IDs{}); return err },
		} {
			var e *errs.Error
			err := call()
			cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) // the connection ended: no kind
			if err != nil && !cut && !errors.As(err, &e) || errors.Is(err, errs.ErrInternal) {
				t.Errorf("%v", err)
			}
		}
	})
}
