package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// output is a buffer that is read while it is written to.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// serving runs `arrowio serve` until stop is called, which returns its exit code.
func serving(t *testing.T, args ...string) (out, errs *output, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	out, errs = &output{}, &output{}
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, append([]string{"serve"}, args...), strings.NewReader(""), out, errs) }()
	stop = sync.OnceValue(func() int {
		cancel(errInterrupted)
		select {
		case code := <-ended:
			return code
		case <-time.After(time.Minute):
			t.Error("serve does not end")
			return -1
		}
	})
	t.Cleanup(func() { stop() })
	for end := time.Now().Add(time.Minute); !strings.HasSuffix(strings.TrimSpace(out.String()), "}") && strings.Count(out.String(), "\n") == 0; {
		if time.Now().After(end) {
			t.Fatalf("serve is not ready: %s", errs)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return out, errs, stop
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	peopleFile(t, dir, "a.arrow", 0, 2500)
	peopleFile(t, dir, "b.arrow", 2500, 3000)
	sock := filepath.Join(t.TempDir(), "s")
	out, errs, stop := serving(t, "--json", "--listen", "grpc://127.0.0.1:0", "--listen", "unix://"+sock, "--advertise", "grpc://elsewhere:1",
		"people="+dir, "first="+filepath.Join(dir, "a.arrow"), "twice="+filepath.Join(dir, "a.arrow"), "twice="+filepath.Join(dir, "b.arrow"))
	var ready served
	for end := time.Now().Add(time.Minute); json.Unmarshal([]byte(out.String()), &ready) != nil; {
		if time.Now().After(end) {
			t.Fatal(out)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(ready.Addresses) != 2 || ready.Addresses[1] != "grpc+unix://"+sock || len(ready.Datasets) != 3 {
		t.Fatalf("%+v", ready)
	}
	if d := ready.Datasets[1]; d.Name != "people" || d.Format != "ipc" || d.Fragments != 2 || *d.Rows != 3000 || d.Bytes <= 0 {
		t.Errorf("%+v", d)
	}
	for _, addr := range []string{strings.TrimPrefix(ready.Addresses[0], "grpc://"), "unix:" + sock} {
		c, err := flight.NewClientWithMiddleware(addr, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		info, err := c.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`{"dataset":"twice","where":"id >= 2490","columns":["id","name"]}`)})
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Endpoint) != 1 || info.Endpoint[0].Location[0].Uri != "grpc://elsewhere:1" {
			t.Fatal(info.Endpoint)
		}
		st, err := c.DoGet(t.Context(), info.Endpoint[0].Ticket)
		if err != nil {
			t.Fatal(err)
		}
		r, err := flight.NewRecordReader(st)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for r.Next() {
			n += r.Record().NumRows()
		}
		if err := r.Err(); err != nil && err != io.EOF || n != 510 || r.Schema().NumFields() != 2 {
			t.Errorf("%d rows of %v, %v", n, r.Schema(), err)
		}
		r.Release()
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"no security is configured", "method=DoGet", "rows=510", "drained"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("the log does not tell %q:\n%s", want, errs)
		}
	}
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	file := peopleFile(t, dir, "a.arrow", 0, 10)
	fails(t, do(t, "serve"), 2, "datasets are missing")
	fails(t, do(t, "serve", file), 2, "is not NAME=PATH")
	fails(t, do(t, "serve", "a="), 2, "is not NAME=PATH")
	fails(t, do(t, "serve", "../a="+file), 2, "cannot be a name")
	fails(t, do(t, "serve", "a=-"), 2, "standard input")
	fails(t, do(t, "serve", "a="+dir+"/nope"), 3, "nope")
	fails(t, do(t, "serve", "--log", "none", "--listen", "http://127.0.0.1:0", "a="+file), 2, "is no address to listen at")
	fails(t, do(t, "serve", "--log", "none", "--listen", "grpc://0.0.0.0:0", "a="+file), 2, "without security only loopback addresses")
	fails(t, do(t, "serve", "--log", "none", "--listen", "unix://"+file, "a="+file), 2, "is no socket")
}
