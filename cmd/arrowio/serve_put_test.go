package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/internal/s3fake"
)

// What is put is served by the server that took it, and by the next one over the same directory.
func TestServeWritable(t *testing.T) {
	dir := t.TempDir()
	file := peopleFile(t, t.TempDir(), "a.arrow", 0, 100)
	serve := func(args ...string) (served, flight.Client, func() int) {
		out, errs, stop := serving(t, append([]string{"--json", "--listen", "grpc://127.0.0.1:0", "--writable", "in-*=" + dir}, args...)...)
		var ready served
		for end := time.Now().Add(10 * time.Second); json.Unmarshal([]byte(out.String()), &ready) != nil; {
			if time.Now().After(end) {
				t.Fatal(out, errs)
			}
			time.Sleep(5 * time.Millisecond)
		}
		c, err := flight.NewClientWithMiddleware(strings.TrimPrefix(ready.Addresses[0], "grpc://"), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return ready, c, stop
	}
	put := func(c flight.Client, name string) error {
		st, err := c.DoPut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := flight.NewRecordWriter(st, ipc.WithSchema(personSchema))
		w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`{"dataset":"` + name + `","format":"orc"}`)})
		for _, rec := range people(t, 0, 3000) {
			_ = w.Write(rec) // Recv says why
		}
		_ = st.CloseSend()
		_, err = st.Recv()
		return err
	}
	ready, c, stop := serve("a=" + file)
	if len(ready.Datasets) != 1 {
		t.Errorf("%+v", ready)
	}
	if err := put(c, "in-x"); err != nil {
		t.Fatal(err)
	}
	if err := put(c, "in-x"); status.Code(err) != codes.AlreadyExists {
		t.Error(err)
	}
	if err := put(c, "b"); status.Code(err) != codes.PermissionDenied {
		t.Error(err)
	}
	if code := stop(); code != 0 {
		t.Error(code)
	}
	if err := os.Mkdir(filepath.Join(dir, "not-ours"), 0o755); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, ".in-x.0123456789.tmp") // by a server that was killed
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	ready, c, _ = serve()
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left is there still: %v", err)
	}
	if len(ready.Datasets) != 1 || ready.Datasets[0].Name != "in-x" || *ready.Datasets[0].Rows != 3000 || ready.Datasets[0].Format != "orc" {
		t.Errorf("%+v", ready.Datasets)
	}
	if err := put(c, "in-y"); err != nil {
		t.Error(err)
	}
	_, c, _ = serve("--permit", "*:read=*")
	if err := put(c, "in-z"); status.Code(err) != codes.PermissionDenied {
		t.Error(err)
	}
}

func TestServeWritableRefuses(t *testing.T) {
	dir := t.TempDir()
	file := peopleFile(t, dir, "a.arrow", 0, 10)
	fails(t, do(t, "serve", "--writable", "x", "a="+file), 2, "is not NAME=DIR")
	fails(t, do(t, "serve", "--writable", "../x="+dir, "a="+file), 2, "is not NAME=DIR")
	fails(t, do(t, "serve", "--writable", "x="+file, "a="+file), 2, "is not a directory")
	fails(t, do(t, "serve", "--writable", "x=gs://bucket/prefix", "a="+file), 2, "s3:// or hdfs://, not to gs://")
	fails(t, do(t, "serve", "--writable", "x="+dir+"/none", "a="+file), 3, "none")
}

// What is put to a store is served by the next server over the same place, too.
func TestServeWritableStore(t *testing.T) {
	s3fake.New(t)
	place := "in-*=s3://" + s3fake.Bucket + "/staging/"
	c, _, stop := serveClient(t, "--writable", place)
	st, err := c.DoPut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := flight.NewRecordWriter(st, ipc.WithSchema(personSchema))
	w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`{"dataset":"in-x","format":"orc"}`)})
	for _, rec := range people(t, 0, 3000) {
		_ = w.Write(rec) // Recv says why
	}
	_ = st.CloseSend()
	if _, err := st.Recv(); err != nil {
		t.Fatal(err)
	}
	if code := stop(); code != 0 {
		t.Error(code)
	}
	c, _, _ = serveClient(t, "--writable", place)
	if info, err := ask(t, c, `{"dataset":"in-x"}`); err != nil || info.TotalRecords != 3000 {
		t.Error(info, err)
	}
}
