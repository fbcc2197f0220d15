package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/s3fake"
)

const inBucket = "s3://" + s3fake.Bucket + "/"

// Every command takes URLs, and convert writes to them.
func TestCommandsOnS3(t *testing.T) {
	s := s3fake.New(t)
	local := filepath.Join(t.TempDir(), "people.arrow")
	writeIPC(t, local, personSchema, people(t, 0, 3000)...)
	b, err := os.ReadFile(local)
	if err != nil {
		t.Fatal(err)
	}
	s.Put(t, "in/people.arrow", b)
	url := inBucket + "in/people.arrow"
	for _, args := range [][]string{{"cat", "--limit", "5"}, {"scan"}, {"inspect"}, {"verify"}} {
		want, got := ok(t, append(args, local)...), ok(t, append(args, url)...)
		if args[0] != "scan" && strings.ReplaceAll(got, url, local) != want {
			t.Errorf("%v: got\n%s\nwant\n%s", args, got, want)
		}
	}
	if got := ok(t, "schema", url); !strings.HasPrefix(got, url+": ipc, 4 columns") {
		t.Error(got)
	}
	var scan struct {
		FileSize  int64 `json:"file_size"`
		FileBytes int64 `json:"file_bytes"`
		Rows      int64
	}
	if err := json.Unmarshal([]byte(ok(t, "scan", "--json", url)), &scan); err != nil {
		t.Fatal(err)
	}
	if scan.Rows != 3000 || scan.FileSize != int64(len(b)) || scan.FileBytes < int64(len(b))/2 {
		t.Errorf("%+v", scan)
	}

	ok(t, "convert", url, inBucket+"out/people.parquet")
	ok(t, "convert", local, inBucket+"out/people.trv")
	ok(t, "convert", inBucket+"out/people.parquet", filepath.Join(t.TempDir(), "back.jsonl"))
	want := ok(t, "cat", "--format", "jsonl", "--columns", "id,name", local)
	for _, from := range []string{"people.parquet", "people.trv", "*.trv", ""} {
		args := []string{"cat", "--format", "jsonl", "--columns", "id,name", inBucket + "out/" + from}
		if got := ok(t, args...); got != want && from != "" || from == "" && len(got) != 2*len(want) {
			t.Errorf("%s: %d bytes, want %d", from, len(got), len(want))
		}
	}
	fails(t, do(t, "convert", local, inBucket+"out/people.trv"), 2, inBucket+"out/people.trv: ", "--force")
	ok(t, "convert", "--force", "--rows", "0:10", local, inBucket+"out/people.trv")
	if got := ok(t, "cat", "--format", "csv", "--columns", "id", inBucket+"out/people.trv"); strings.Count(got, "\n") != 11 {
		t.Error(got)
	}
	ok(t, "convert", "--max-file-bytes", "20000", "--to", "ipc", local, inBucket+"parts/")
	if got := ok(t, "cat", "--format", "jsonl", "--columns", "id,name", inBucket+"parts"); got != want {
		t.Errorf("parts: %d bytes", len(got))
	}
}

func TestStoreErrors(t *testing.T) {
	s := s3fake.New(t)
	s.Put(t, "dir/notes", []byte("x"))
	url := inBucket + "none.csv"
	fails(t, do(t, "cat", url), 3, "arrowio: "+url+": ", "not exist")
	fails(t, do(t, "cat", "s3://nobucket/x.csv"), 3, "s3://nobucket/x.csv: ")
	fails(t, do(t, "cat", inBucket+"dir"), 1, inBucket+"dir", "readable format")
	fails(t, do(t, "cat", "gs://bucket/x"), 2, "gs://bucket/x: ", "s3://", "hdfs://")
	fails(t, do(t, "cat", "--from", "kudu", "--kudu-table", "x", inBucket+"dir"), 1, "kudu", "s3://")
	fails(t, do(t, "cat", "--s3-endpoint", "ftp://x", url), 2, "endpoint")
	fails(t, do(t, "cat", "--s3-endpoint", "http://127.0.0.1:1", "--s3-region", "x", url), 3, url)
	s.Put(t, "x.csv", []byte("x\n"+strings.Repeat("1\n", 1<<20)))
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") {
			s3fake.Refuse(w, 403, "AccessDenied")
			return
		}
		next.ServeHTTP(w, r)
	})
	o := do(t, "--json-errors", "cat", inBucket+"x.csv")
	var f failure
	if err := json.Unmarshal([]byte(o.err), &f); err != nil || o.code != 3 || f.Kind != "system" || f.File != inBucket+"x.csv" || f.Offset != errs.N(0) {
		t.Errorf("%d: %s", o.code, o.err)
	}
	fails(t, do(t, "cat", inBucket+"x.csv"), 3, inBucket+"x.csv: at 0: permission denied", "403")
	s.Fault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 403, "AccessDenied") })
	out := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(out, []byte("x\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "convert", out, inBucket+"y.csv"), 3, inBucket+"y.csv: ", "permission")
}

// An interruption ends what waits for a store, also what has no context of its own, and leaves no upload behind.
func TestInterruptedOnS3(t *testing.T) {
	s := s3fake.New(t)
	s.Put(t, "x.csv", []byte("x\n"+strings.Repeat("1\n", 1<<20)))
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	ctx, cancel := context.WithCancelCause(t.Context())
	s.Fault(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") {
			cancel(errInterrupted)
			<-ended
			return
		}
		next.ServeHTTP(w, r)
	})
	start := time.Now()
	o := doWith(t, ctx, nil, "convert", inBucket+"x.csv", inBucket+"y.arrow")
	if o.code != exitInterrupted || time.Since(start) > time.Minute {
		t.Errorf("%d after %v: %s", o.code, time.Since(start), o.err)
	}
	s.Fault(nil)
	if _, there := s.Objects(t)["y.arrow"]; there {
		t.Error("the output is there")
	}
}

func TestPartitionFlags(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"d=2024-01-01/k=1", "d=2024-01-02/k=02"} {
		path := filepath.Join(dir, filepath.FromSlash(d))
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "f.csv"), []byte("x,k\n7,8\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := do(t, "cat", "--format", "csv", dir)
	if o.code != 0 || o.out != "x,d,k\n7,2024-01-01,1\n7,2024-01-02,02\n" || strings.Count(o.err, "warning: column k") != 1 {
		t.Errorf("%+v", o)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"d,k\n2024-01-02,2\n", []string{"--columns", "d,k", "--partition-types", "k=int64", "--where", "k > 1"}},
		{"x,k\n7,8\n7,8\n", []string{"--partitions", "none"}},
		{"x,k\n7,8\n", []string{"--partitions=none", "--rows", "1:"}},
		{"d\n2024-01-02\n", []string{"--columns", "d", "--where", "d > DATE '2024-01-01'", "--partition-types", "k=utf8"}},
	} {
		if o := do(t, append([]string{"cat", "--format", "csv", dir}, c.args...)...); o.code != 0 || o.out != c.want {
			t.Errorf("%v: %+v", c.args, o)
		}
	}
	fails(t, do(t, "cat", "--partition-types", "k=x", dir), 2, `"x"`)
	fails(t, do(t, "cat", "--partition-types", "z=utf8", dir), 2, `"z"`)
	fails(t, do(t, "cat", "--partition-types", "d=int32", dir), 1, "d=2024-01-01", "int32")
	fails(t, do(t, "cat", "--partitions", "x", dir), 2, "--partitions")
	if got := ok(t, "verify", dir); strings.Count(got, ": ok") != 2 {
		t.Error(got)
	}
	out := filepath.Join(t.TempDir(), "out.arrow")
	if o := do(t, "convert", dir, out); o.code != 0 {
		t.Fatal(o.err)
	}
	if got := ok(t, "cat", "--format", "csv", out); got != "x,d,k\n7,2024-01-01,1\n7,2024-01-02,02\n" {
		t.Error(got)
	}
}
