package metastore_test

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
)

// listen serves connections until the test ends, and returns the address.
func listen(t testing.TB, serve func(l net.Listener)) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); serve(l) }()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

func dial(t testing.TB, addr string, o metastore.Options) *metastore.Client {
	t.Helper()
	c, err := metastore.Dial(t.Context(), addr, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCalls(t *testing.T) {
	columns := []metastore.Column{{Name: "id", Type: "bigint"}}
	s := &metastorefake.Server{
		Tables: map[string]*metastore.Table{"d.t": {
			Database: "d", Name: "t", Kind: "MANAGED_TABLE", Keys: []metastore.Column{{Name: "p", Type: "string"}}, Parameters: map[string]string{"a": "b"},
			Storage: metastore.Storage{Columns: columns, Location: "/t", InputFormat: "in", SerDe: "serde"},
		}},
		Partitions:   map[string][]metastore.Partition{"d.t": {{Values: []string{"b"}}, {Values: []string{"a/1"}, Storage: metastore.Storage{Location: "/t/a"}}}},
		Transactions: metastore.IDs{High: 20, Open: []int64{11, 19}, Aborted: []int64{3, 12}},
		WriteIDs:     map[string]metastore.IDs{"d.t": {High: 9, Open: []int64{8}, Aborted: []int64{2, 4, 7}}},
	}
	c := dial(t, s.Start(t), metastore.Options{})
	ctx := t.Context()
	got, err := c.Table(ctx, metastore.Name{Database: "d", Table: "t"})
	if err != nil || !reflect.DeepEqual(got, s.Tables["d.t"]) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.Table(ctx, metastore.Name{Database: "d", Table: "none"}); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "has no table d.none") {
		t.Error(err)
	}
	names, err := c.PartitionNames(ctx, got.Named())
	if want := []string{"p=b", "p=a%2F1"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("%q, %v", names, err)
	}
	parts, err := c.Partitions(ctx, got.Named(), names)
	if err != nil || len(parts) != 2 || parts[0].Values[0] != "a/1" || parts[0].Storage.Location != "/t/a" {
		t.Errorf("%+v, %v", parts, err)
	}
	txns, err := c.Transactions(ctx)
	if err != nil || txns.Text() != "20:11,19:3,12" || txns.Valid(11) || txns.Valid(12) || txns.Valid(21) || !txns.Valid(20) {
		t.Errorf("%+v, %v", txns, err)
	}
	writes, err := c.WriteIDs(ctx, "D", "t", txns)
	if err != nil || writes.Text() != "9:8:2,4,7" {
		t.Errorf("%+v, %v", writes, err)
	}
}

// Answers that are damaged, too long, late or missing are errors that name the server and the call.
func TestBadAnswers(t *testing.T) {
	begin := "\x80\x01\x00\x02\x00\x00\x00\x0dget_open_txns\x00\x00\x00\x01"
	for name, k := range map[string]struct {
		answer string
		kind   errs.Kind
		want   string
	}{
		"nothing":            {"", 0, "closed before the whole answer came"},
		"cut off":            {begin + "\x0c\x00\x00\x0a", 0, "closed before the whole answer came"},
		"text":               {"HTTP/1.1 400 Bad Request\r\n\r\n", errs.ErrCorrupt, "Thrift"},
		"another call":       {strings.Replace(begin, "\x00\x00\x00\x01", "\x00\x00\x00\x07", 1), errs.ErrCorrupt, "call 7"},
		"a long text":        {begin + "\x0c\x00\x00\x0b\x00\x04\x7f\xff\xff\xff", errs.ErrCorrupt, "get_open_txns"},
		"a long list":        {begin + "\x0c\x00\x00\x0f\x00\x02\x0a\x7f\xff\xff\xff", errs.ErrCorrupt, "get_open_txns"},
		"a negative list":    {begin + "\x0c\x00\x00\x0f\x00\x02\x0a\xff\xff\xff\xff", errs.ErrCorrupt, "get_open_txns"},
		"a wrong type":       {begin + "\x0c\x00\x00\x0b\x00\x01\x00\x00\x00\x01x\x00\x00", errs.ErrCorrupt, "type"},
		"a long refusal":     {begin + "\x0c\x00\x01\x0b\x00\x01\x00\x00\x05\xdc" + strings.Repeat("x", 1500) + "\x00\x00", errs.ErrUnsupported, strings.Repeat("x", 1000) + "…"},
		"no result":          {begin + "\x00", errs.ErrCorrupt, "no result"},
		"structs in structs": {begin + strings.Repeat("\x0c\x00\x09", 2000), errs.ErrCorrupt, "get_open_txns"},
		"too many bytes":     {begin + "\x0c\x00\x00" + strings.Repeat("\x0a\x00\x09........", 400), errs.ErrLimit, "MetadataBytes"},
	} {
		addr := listen(t, func(l net.Listener) {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			// The client may be gone at any time: it has the error that is looked at.
			_, _ = conn.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(conn, k.answer)
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		})
		c := dial(t, addr, metastore.Options{Bytes: 2048})
		_, err := c.Transactions(t.Context())
		if kind(err) != k.kind || !strings.Contains(err.Error(), k.want) || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s: %v", name, err)
		}
		if _, again := c.Transactions(t.Context()); again == nil {
			t.Errorf("%s: the connection is used again", name)
		}
	}
}

// kind returns the kind of an error, 0 = it has none.
func kind(err error) (k errs.Kind) {
	errors.As(err, &k)
	return k
}

// A server that cannot be reached says nothing about the data.
func TestNotReached(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, err = metastore.Dial(t.Context(), addr, metastore.Options{})
	if err == nil || kind(err) != 0 || !strings.Contains(err.Error(), addr+" cannot be reached") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := metastore.Dial(ctx, addr, metastore.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A server that closes the connection at once, without a word, is told from one whose answer is damaged.
func TestReset(t *testing.T) {
	addr := listen(t, func(l net.Listener) {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 1)) // the request
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	})
	_, err := dial(t, addr, metastore.Options{}).Transactions(t.Context())
	if err == nil || kind(err) != 0 || !strings.Contains(err.Error(), "closed before the whole answer came") {
		t.Error(err)
	}
}

// A server that does not answer is waited for as long as the options say, or until the caller gives up.
func TestNoAnswer(t *testing.T) {
	addr := listen(t, func(l net.Listener) {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
		}
	})
	_, err := dial(t, addr, metastore.Options{Call: time.Millisecond}).Transactions(t.Context())
	if err == nil || kind(err) != 0 || !strings.Contains(err.Error(), "within 1ms") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dial(t, addr, metastore.Options{}).Transactions(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := dial(t, addr, metastore.Options{}).Transactions(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
