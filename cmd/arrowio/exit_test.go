package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

func TestDescribe(t *testing.T) {
	located := arrowio.Locate(arrowio.Errorf(arrowio.ErrCorrupt, "varint of 11 bytes"),
		arrowio.At{Format: "trevni", Op: "block 3", Column: "a.b", Split: 2, Off: 4182})
	missing := &fs.PathError{Op: "open", Path: "x.trv", Err: syscall.ENOENT}
	for _, c := range []struct {
		name string
		err  error
		code int
		kind string
		line string
	}{
		{"corrupt", inFile("x.trv", located), 1, "corrupt", "arrowio: x.trv: trevni: split 2: column a.b: block 3 at 4182: varint of 11 bytes"},
		{"unsupported", arrowio.Errorf(arrowio.ErrUnsupported, "codec lzo"), 1, "unsupported", "arrowio: codec lzo"},
		{"limit", arrowio.Errorf(arrowio.ErrLimit, "too many columns"), 1, "limit", "arrowio: too many columns"},
		{"schema", inFile("out.trv", arrowio.Errorf(arrowio.ErrSchema, "no unions")), 1, "schema", "arrowio: out.trv: no unions"},
		{"internal", arrowio.Errorf(arrowio.ErrInternal, "a bug\ngoroutine 1"), 1, "internal", "arrowio: a bug"},
		{"option", arrowio.Errorf(arrowio.ErrOption, "no such option"), 2, "option", "arrowio: no such option"},
		{"usage", usagef("unknown flag"), 2, "usage", "arrowio: unknown flag"},
		{"a column of the command line", asUsage(arrowio.Errorf(arrowio.ErrSchema, "no column x")), 2, "usage", "arrowio: no column x"},
		{"exists", inFile("out", &fs.PathError{Op: "create", Path: "out", Err: fs.ErrExist}), 2, "usage", "arrowio: out: file already exists"},
		{"not found", inFile("x.trv", missing), 3, "system", "arrowio: x.trv: no such file or directory"},
		{"not found, wrapped", inFile("x.trv", fmt.Errorf("fragment: %w", missing)), 3, "system", "arrowio: x.trv: fragment: no such file or directory"},
		{"permission", missingWith(syscall.EACCES), 3, "system", "arrowio: x.trv: permission denied"},
		{"disk full", inFile("out", &fs.PathError{Op: "write", Path: "out", Err: syscall.ENOSPC}), 3, "system", "arrowio: out: no space left on device"},
		{"other", io.ErrUnexpectedEOF, 3, "system", "arrowio: unexpected EOF"},
		{"control characters", inFile("a\nb\x1b[31m", errors.New("x\ty\u202e\xff")), 3, "system", `arrowio: a\nb\x1b[31m: x\ty\u{202e}\xff`},
	} {
		f := describe(context.Background(), c.err)
		if f.code != c.code || f.Kind != c.kind || f.String() != c.line {
			t.Errorf("%s: code %d, kind %s, %q; want %d, %s, %q", c.name, f.code, f.Kind, f.String(), c.code, c.kind, c.line)
		}
	}
}

func missingWith(errno syscall.Errno) error {
	return inFile("x.trv", &fs.PathError{Op: "open", Path: "x.trv", Err: errno})
}

func TestDescribeInterruption(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errInterrupted)
	f := describe(ctx, fmt.Errorf("read: %w", fs.ErrClosed))
	if f.code != exitInterrupted || f.Kind != "interrupted" || f.String() != "arrowio: interrupted" {
		t.Errorf("%+v", f)
	}
}

func TestDescribeClosedPipe(t *testing.T) {
	f := describe(context.Background(), &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE})
	if f.code != exitSystem || !f.silent {
		t.Errorf("%+v", f)
	}
}

func TestFailureJSON(t *testing.T) {
	var buf bytes.Buffer
	err := arrowio.Locate(arrowio.Errorf(arrowio.ErrCorrupt, "odd <bytes>"), arrowio.At{Format: "trevni", Column: "a", Split: 0, Off: 12})
	describe(context.Background(), inFile("x.trv", err)).print(&buf, true)
	if n := strings.Count(buf.String(), "\n"); n != 1 {
		t.Errorf("%d lines: %s", n, buf.String())
	}
	var got map[string]any
	if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"kind": "corrupt", "file": "x.trv", "format": "trevni", "column": "a", "split": 0.0, "offset": 12.0,
		"message": "trevni: split 0: column a: at 12: odd <bytes>",
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s = %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("keys: %v", got)
	}
	buf.Reset()
	describe(context.Background(), usagef("x")).print(&buf, true)
	if !strings.Contains(buf.String(), `"split":null,"offset":null`) {
		t.Errorf("unknown places: %s", buf.String())
	}
}
