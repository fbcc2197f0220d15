package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/fixtures"
)

const sample = "../../testdata/orc/java-2.3.1/all-none-v12.orc"

// done runs a call to its end.
func done(t *testing.T, request string) (any, error) {
	t.Helper()
	id := start(request, nil, nil)
	c := callOf(id)
	<-c.done
	forget(id)
	return c.value, c.err
}

func opening(t *testing.T, path string) *opened {
	t.Helper()
	v, err := done(t, fmt.Sprintf(`{"call": "open", "paths": [%q]}`, path))
	if err != nil {
		t.Fatal(err)
	}
	return v.(*opened)
}

// A format may fail with a nil file of its type.
func TestFailedDirectory(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	if _, err := done(t, fmt.Sprintf(`{"call": "open", "paths": [%q], "from": "kudu"}`, dir)); err == nil || !strings.Contains(err.Error(), "several tables") {
		t.Error(err)
	}
}

// scanned counts the rows of a scan.
func scanned(id uint64, request string) (rows int64, err error) {
	h, err := take(id)
	if err != nil {
		return 0, err
	}
	s, err := h.scan(request)
	if err != nil {
		h.release()
		return 0, err
	}
	for s.Reader.Next() {
		rows += s.Reader.Record().NumRows()
	}
	err = s.Reader.Err()
	s.Reader.Release()
	s.Done()
	return rows, err
}

func TestOpenAndScan(t *testing.T) {
	before := arrowc.Allocated()
	o := opening(t, sample)
	v, err := done(t, fmt.Sprintf(`{"call": "describe", "handle": %d, "rows": true, "info": true}`, o.Handle))
	if err != nil {
		t.Fatal(err)
	}
	d := v.(*description)
	if d.Rows == nil || *d.Rows == 0 || len(d.Info) != 1 || d.Info[0].Format != "orc" {
		t.Fatalf("%+v", d)
	}
	var wg sync.WaitGroup
	for i := range 8 { // of one handle, which is closed while they run
		wg.Go(func() {
			if n, err := scanned(o.Handle, fmt.Sprintf(`{"jobs": %d, "batch_rows": %d}`, i%3, 100*i)); err == nil && n != *d.Rows {
				t.Errorf("%d rows, want %d", n, *d.Rows)
			} else if err != nil && !errors.Is(err, errClosed) {
				t.Error(err)
			}
		})
	}
	closeHandle(o.Handle)
	wg.Wait()
	closeHandle(o.Handle)
	if _, err := scanned(o.Handle, "{}"); !errors.Is(err, errClosed) {
		t.Errorf("a closed handle: %v", err)
	}
	if n := arrowc.Allocated(); n != before {
		t.Errorf("%d bytes left", n-before)
	}
}

func TestRefused(t *testing.T) {
	o := opening(t, sample)
	defer closeHandle(o.Handle)
	for request, kind := range map[string]string{
		`{`:                 errs.ErrOption.Error(),
		`{"call": "dance"}`: errs.ErrOption.Error(),
		`{"call": "open", "paths": ["x"], "colums": []}`:                       errs.ErrOption.Error(),
		`{"call": "open", "paths": ["nowhere.orc"]}`:                           "system",
		`{"call": "open", "paths": [""]}`:                                      errs.ErrOption.Error(),
		`{"call": "open", "paths": ["doc.go"]}`:                                errs.ErrUnsupported.Error(),
		fmt.Sprintf(`{"call": "open", "paths": [%q], "where": "a >"}`, sample): errs.ErrOption.Error(),
		`{"call": "describe", "handle": 999999}`:                               "closed",
		`{"call": "write", "path": "x.orc"}`:                                   errs.ErrOption.Error(),
	} {
		if _, err := done(t, request); err == nil {
			t.Errorf("%s was answered", request)
		} else if f := describe(err); f.Kind != kind || f.Message == "" {
			t.Errorf("%s: %+v, want %s", request, f, kind)
		}
	}
	for _, request := range []string{`{"columns": ["no such"]}`, `{"where": "nosuch = 1"}`, `{"rows": [5, 1]}`, `{"jobs": -1}`, `[]`} {
		if _, err := scanned(o.Handle, request); err == nil {
			t.Errorf("a scan with %s", request)
		}
	}
}

func TestPanic(t *testing.T) {
	if err := guarded(func() error { panic("x") }); !errors.Is(err, errs.ErrInternal) {
		t.Error(err)
	}
}

// Memory that the system does not give is no bug of this module.
func TestNoMemory(t *testing.T) {
	err := guarded(func() error {
		arrowc.Memory().Allocate(1 << 60)
		return nil
	})
	if !errors.Is(err, arrowc.ErrNoMemory) {
		t.Fatal(err)
	}
	if f := describe(about("t.orc", err)); f.Kind != "memory" || f.File != "t.orc" || strings.Contains(f.Message, "goroutine") {
		t.Errorf("%+v", f)
	}
	if code := arrowc.Code(err); code != int(syscall.ENOMEM) {
		t.Errorf("errno %d", code)
	}
}

// What os.environ says after the library was loaded is how stores are reached from then on.
func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "")
	before, _ := storeRequest{}.places(nil)
	if again, _ := (storeRequest{}).places(nil); again != before {
		t.Error("stores are made for each dataset")
	}
	if _, err := done(t, `{"call": "environment", "variables": {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_PROFILE": null}}`); err != nil {
		t.Fatal(err)
	}
	if got := os.Getenv("AWS_ENDPOINT_URL"); got != "http://127.0.0.1:1" {
		t.Errorf("AWS_ENDPOINT_URL is %q", got)
	}
	if after, _ := (storeRequest{}).places(nil); after == before {
		t.Error("the stores know nothing of the change")
	}
	if _, err := done(t, `{"call": "environment", "variables": {"": "x"}}`); err == nil {
		t.Error("a variable without a name was set")
	}
}

// Parts do not hold keys.
func TestPartWithoutSecrets(t *testing.T) {
	v, err := done(t, fmt.Sprintf(`{"call": "open", "paths": [%q], "stores": {"s3-access-key": "open", "s3-secret-key": "sesame", "s3-region": "eu"}}`, sample))
	if err != nil {
		t.Fatal(err)
	}
	o := v.(*opened)
	defer closeHandle(o.Handle)
	if v, err = done(t, fmt.Sprintf(`{"call": "plan", "handle": %d, "parts": 1}`, o.Handle)); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "sesame") || !strings.Contains(string(b), `"eu"`) {
		t.Errorf("%s", b)
	}
}

func TestDescribe(t *testing.T) {
	at := errs.Locate(errs.Errorf(errs.ErrCorrupt, "bad"), errs.At{Format: "orc", Column: "a.b", Split: errs.N(3), Off: errs.N(9)})
	f := describe(about("f.orc", about("other", at)))
	if f.Kind != errs.ErrCorrupt.Error() || f.Column != "a.b" || f.Split != errs.N(3) || f.Offset != errs.N(9) {
		t.Errorf("%+v", f)
	}
	if f := describe(context.Canceled); f.Kind != "cancelled" {
		t.Errorf("%+v", f)
	}
	if f := describe(&fs.PathError{Op: "stat", Err: fs.ErrNotExist}); f.Kind != "system" || f.Errno == 0 || f.File != "" {
		t.Errorf("an empty path: %+v", f)
	}
	if f := describe(&fs.PathError{Op: "open", Path: "p", Err: fs.ErrPermission}); f.Kind != "system" || f.Errno == 0 || f.File != "p" || strings.Contains(f.Message, "p:") {
		t.Errorf("%+v", f)
	}
}

func TestCancelled(t *testing.T) {
	id := start(fmt.Sprintf(`{"call": "open", "paths": [%q]}`, filepath.Dir(sample)), nil, nil)
	c := callOf(id)
	c.cancel()
	<-c.done
	forget(id)
	if c.err == nil {
		closeHandle(c.value.(*opened).Handle) // it was there already
	}
	if callOf(id) != nil {
		t.Error("a call that was forgotten is there")
	}
}

// A part is of files that are what they were when the work was planned, those that options name among them.
func TestStaleSideFile(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	b, err := os.ReadFile("../../testdata/orc/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keys, b, 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := done(t, fmt.Sprintf(`{"call": "open", "paths": [%q], "options": {"orc-keys": %q}}`, sample, keys))
	if err != nil {
		t.Fatal(err)
	}
	o := v.(*opened)
	defer closeHandle(o.Handle)
	v, err = done(t, fmt.Sprintf(`{"call": "plan", "handle": %d, "parts": 1}`, o.Handle))
	if err != nil {
		t.Fatal(err)
	}
	p := v.(*planned)
	request, err := json.Marshal(partRequest{Call: "open_part", Whole: p.Whole, Files: p.Parts[0].Files})
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		v, err := done(t, string(request))
		if err != nil {
			return err
		}
		id := v.(*opened).Handle
		defer closeHandle(id)
		_, err = scanned(id, `{}`)
		return err
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(keys, append(b, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read(); !errors.Is(err, syscall.ESTALE) {
		t.Errorf("after a change of the keys: %v", err)
	}
}
