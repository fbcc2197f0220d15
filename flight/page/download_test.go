package page

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/readers"
)

// namesIn reads the columns of a file that was downloaded, and the values of the one called name, CSV and Arrow by libraries of others.
func namesIn(t *testing.T, format string, content []byte) (columns, names []string) {
	t.Helper()
	add := func(rec arrow.Record) {
		i := rec.Schema().FieldIndices("name")
		a := rec.Column(i[0]).(*array.String)
		for k := range a.Len() {
			names = append(names, a.Value(k))
		}
	}
	fields := func(s *arrow.Schema) {
		for _, f := range s.Fields() {
			columns = append(columns, f.Name)
		}
	}
	switch format {
	case "csv":
		all, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		columns = all[0]
		for _, r := range all[1:] {
			names = append(names, r[slices.Index(columns, "name")])
		}
	case "arrow":
		r, err := ipc.NewFileReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		fields(r.Schema())
		for i := range r.NumRecords() {
			rec, err := r.Record(i)
			if err != nil {
				t.Fatal(err)
			}
			add(rec)
		}
	case "parquet":
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := readers.OpenDataset(t.Context(), []string{path}, readers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		scan, err := d.Scan(t.Context(), arrowio.ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer scan.Release()
		fields(scan.Schema())
		for scan.Next() {
			add(scan.Record())
		}
		if scan.Err() != nil {
			t.Fatal(scan.Err())
		}
	}
	return columns, names
}

func namesOf(ids []int) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = fmt.Sprintf("n%d", id)
	}
	return out
}

// A download has all rows that are shown, the columns and the order.
func TestDownload(t *testing.T) {
	const rows = 30_000
	path := filepath.Join(t.TempDir(), "rows.arrow")
	numbered(t, path, rows, 7_000)
	observed := &ended{}
	s := newSite(t, flight.Options{Observers: []flight.Observer{observed}}, map[string]flight.Spec{"d": files(path)})
	keep := func(i int) bool { return i%7 != 0 && keyOf(i) >= 100 }
	var plain []int
	for i := range rows {
		if keep(i) {
			plain = append(plain, i)
		}
	}
	for _, f := range []string{"parquet", "csv", "arrow"} {
		for query, want := range map[string][]int{
			"where=k+%3E%3D+100&show=name&show=id":   plain,
			"where=k+%3E%3D+100&show=name&sort=-k":   sortedIDs(rows, true, keep),
			"show=name&show=k&sort=k":                sortedIDs(rows, false, func(int) bool { return true }),
			"show=name&where=k+%3C+0":                nil,
			"show=name&show=id&where=id+%3D+7&x=%00": {7},
		} {
			w := s.do("GET", "/datasets/d/rows."+f+"?"+query, nil)
			if w.Code != 200 {
				t.Fatalf("%s %s: %d\n%s", f, query, w.Code, w.Body)
			}
			columns, names := namesIn(t, f, w.Body.Bytes())
			if !slices.Equal(names, namesOf(want)) {
				t.Errorf("%s %s: %d rows, want %d", f, query, len(names), len(want))
			}
			wantColumns := []string{"id", "k", "name"}
			wantColumns = slices.DeleteFunc(wantColumns, func(c string) bool { return !strings.Contains(query, "show="+c) })
			if !slices.Equal(columns, wantColumns) {
				t.Errorf("%s %s: columns %v", f, query, columns)
			}
			if n, _, bytes := observed.last.Sent(); n != int64(len(want)) || bytes != int64(w.Body.Len()) || observed.last.Method != "VisitSend" || observed.last.Dataset() != "d" {
				t.Errorf("%s %s: %s of %s is said to have sent %d rows, %d bytes of %d", f, query, observed.last.Method, observed.last.Dataset(), n, bytes, w.Body.Len())
			}
			_, p, err := mime.ParseMediaType(w.Header().Get("Content-Disposition"))
			if err != nil || p["filename"] != "d."+f || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%v: %v", err, w.Header())
			}
		}
		head := s.do("HEAD", "/datasets/d/rows."+f, nil)
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Disposition") == "" {
			t.Errorf("HEAD: %d %d bytes, %v", head.Code, head.Body.Len(), head.Header())
		}
	}
	for target, code := range map[string]int{
		"/datasets/d/rows.csv?where=nope+%3D+1": 400, "/datasets/d/rows.csv?show=nope": 400, "/datasets/d/rows.csv?sort=list": 400, "/datasets/nope/rows.csv": 404,
		"/datasets/d/rows.xlsx": 404,
	} {
		if body := s.get(target, code); !strings.Contains(body, "<h1>") {
			t.Errorf("%s: %s", target, body)
		}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		s.header.Set("Sec-Fetch-Site", site)
		s.get("/datasets/d/rows.csv", 403)
	}
	s.header.Set("Sec-Fetch-Site", "same-origin")
	if w := s.do("GET", "/datasets/d/rows.csv", nil); w.Code != 200 {
		t.Error(w.Code)
	}
	r := httptest.NewRequest("GET", "/datasets/d/rows.csv", nil)
	r.Host, r.RemoteAddr, r.ProtoMinor = "localhost", "127.0.0.1:1", 0
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusHTTPVersionNotSupported {
		t.Errorf("HTTP/1.0: %d", w.Code)
	}
}

// ended is an Observer that keeps the call that ended last.
type ended struct{ last *flight.Call }

func (*ended) Started(*flight.Call)            {}
func (e *ended) Ended(c *flight.Call, _ error) { e.last = c }

// Nobody downloads what he may not read, nor without saying who he is.
func TestDownloadAccess(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	secret, token, err := flight.NewToken("alice", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := flight.AddToken(tokens, token); err != nil {
		t.Fatal(err)
	}
	access, err := flight.NewAccess(flight.AccessOptions{Tokens: tokens, Rules: []flight.Rule{{Client: "alice", Permission: flight.PermitRead, Datasets: []string{"open"}}}, Logger: slog.New(slog.DiscardHandler), Attempts: 1000})
	if err != nil {
		t.Fatal(err)
	}
	orc := files(fixtures + "orc/java-2.3.1/many-stripes.orc")
	s := newSite(t, flight.Options{Authorizer: access}, map[string]flight.Spec{"open": orc, "shut": orc})
	for _, f := range []string{"parquet", "csv", "arrow"} {
		s.header.Del("Authorization")
		s.get("/datasets/open/rows."+f, 401)
		s.header.Set("Authorization", "Bearer "+secret)
		if w := s.do("GET", "/datasets/open/rows."+f, nil); w.Code != 200 || w.Body.Len() < 5_000 {
			t.Errorf("%s: %d, %d bytes", f, w.Code, w.Body.Len())
		}
		s.get("/datasets/shut/rows."+f, 403)
		s.get("/datasets/gone/rows."+f, 403)
	}
}

// failing is a dataset of two files, the second of which cannot be opened when it is read.
func failing(dir string) flight.Spec {
	return flight.Spec{Open: func(ctx context.Context, _ map[string]string) (*dataset.Dataset, error) {
		d, err := readers.OpenDataset(ctx, []string{dir}, readers.Options{})
		if err != nil {
			return nil, err
		}
		opened := 0
		open := d.Fragments[1].Open
		d.Fragments[1].Open = func(ctx context.Context) (arrowio.File, error) {
			if opened++; opened > 1 { // the first is for the catalog
				return nil, io.ErrUnexpectedEOF
			}
			return open(ctx)
		}
		return d, nil
	}}
}

// A download that fails in its midst is no whole file for its client, over HTTP/1.1 and HTTP/2; one that fails before is a page.
func TestDownloadBroken(t *testing.T) {
	dir, small := t.TempDir(), t.TempDir()
	numbered(t, filepath.Join(dir, "a.arrow"), 200_000, 20_000)
	numbered(t, filepath.Join(dir, "b.arrow"), 10, 10)
	numbered(t, filepath.Join(small, "a.arrow"), 100, 100)
	numbered(t, filepath.Join(small, "b.arrow"), 10, 10)
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": failing(dir), "small": failing(small), "whole": files(dir)})
	for _, h2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(s.Page)
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		server.Config.ReadTimeout, server.Config.WriteTimeout = 10*time.Second, 30*time.Second
		server.EnableHTTP2 = h2
		server.StartTLS()
		for target, code := range map[string]int{
			"d/rows.csv?show=id&show=k&show=name": 200, "d/rows.arrow": 200, "d/rows.parquet": 500, // a group of rows is written when it is whole
			"small/rows.csv?show=id": 500, "d/rows.csv?show=id&sort=k": 500,
			"whole/rows.csv?show=id&show=name": 0,
		} {
			r, err := server.Client().Get(server.URL + "/datasets/" + target)
			if err != nil {
				t.Fatal(target, err)
			}
			if (r.ProtoMajor == 2) != h2 {
				t.Fatal(r.Proto)
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			switch {
			case code == 0:
				if _, names := namesIn(t, "csv", body); err != nil || r.StatusCode != 200 || len(names) != 200_010 {
					t.Errorf("%s: %d, %d rows, %v", target, r.StatusCode, len(names), err)
				}
			case r.StatusCode != code && (code != 500 || r.StatusCode < 400):
				t.Errorf("%s: %d, want %d", target, r.StatusCode, code)
			case code == 200 && (err == nil || len(body) < bodyPiece):
				t.Errorf("%s: %d bytes look whole: %v", target, len(body), err)
			case code == 500 && (err != nil || !bytes.Contains(body, []byte("<h1>")) || r.Header.Get("Content-Disposition") != ""):
				t.Errorf("%s: %v\n%s", target, err, body)
			}
		}
		server.Close()
	}
}

// Rows that are too many to be sorted are refused before anything is sent; those of one client who takes nothing keep no others back.
func TestDownloadLimits(t *testing.T) {
	dir := t.TempDir()
	var recs []arrow.Record
	for i := range 24 {
		recs = append(recs, record(t, []string{"a", strings.Repeat(string(rune('a'+i)), 4<<20)}))
	}
	write(t, filepath.Join(dir, "large.arrow"), recs...)
	limits, err := flight.NewLimits(flight.LimitOptions{Streams: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, flight.Options{Limiter: limits}, map[string]flight.Spec{"d": files(dir)})
	large := s.get("/datasets/d/rows.csv?sort=a", 400)
	if contains(t, "a large sort", large, "too many to be sorted"); strings.Contains(large, "rpc error") {
		t.Error(large)
	}
	server := httptest.NewServer(s.Page)
	defer server.Close()
	r, err := http.Get(server.URL + "/datasets/d/rows.csv") // one stream is all that a client may have here
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	contains(t, "streams", s.get("/streams", 200), "VisitSend", ">d</td>")
	s.get("/datasets/d/rows.csv", 429)
	s.get("/datasets/d/rows", 429)
	w := s.do("POST", "/streams/cancel", url.Values{"id": {r.Header.Get(flight.RequestIDHeader)}})
	if w.Code != 303 {
		t.Errorf("cancel: %d", w.Code)
	}
	if n, err := io.Copy(io.Discard, r.Body); err == nil {
		t.Errorf("a download that was cancelled looks whole: %d bytes", n)
	}
	free := func() {
		t.Helper()
		for end := time.Now().Add(time.Minute); limits.Usage().Streams > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("its place is not given back")
			}
		}
	}
	free()
	s.stall = 20 * time.Millisecond
	idle, err := http.Get(server.URL + "/datasets/d/rows.arrow")
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Body.Close()
	free()
	if n, err := io.Copy(io.Discard, idle.Body); err == nil {
		t.Errorf("a download that nobody took looks whole: %d bytes", n)
	}
	s.stall = bodyStall
	var leaves []func()
	for i := range maxSends + 1 {
		leave, err := s.sends.enter(&flight.Call{Client: flight.Client{Name: fmt.Sprint(i / maxClientSends)}})
		if (err == nil) != (i < maxSends) {
			t.Errorf("download %d: %v", i, err)
		}
		if err == nil {
			leaves = append(leaves, leave)
		}
	}
	s.get("/datasets/d/rows.csv", 429)
	for _, leave := range leaves {
		leave()
	}
	if w := s.do("GET", "/datasets/d/rows.arrow", nil); w.Code != 200 || w.Body.Len() < 24*4<<20 {
		t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
	}
}
