package page

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowflight "github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

const fixtures = "../../testdata/"

// site is a page under test.
type site struct {
	*Page
	t       *testing.T
	catalog *flight.Catalog
	flight  *flight.Server
	header  http.Header
}

func newSite(t *testing.T, o flight.Options, specs map[string]flight.Spec) *site {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	o.Catalog, o.Logger = flight.NewCatalog(flight.CatalogOptions{Logger: log}), log
	for name, s := range specs {
		if err := o.Catalog.Add(t.Context(), name, s); err != nil {
			t.Fatal(err)
		}
	}
	server, err := flight.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p := New(Options{Server: server, Logger: log, Addresses: []string{"grpc://127.0.0.1:1"}})
	t.Cleanup(p.Close)
	return &site{Page: p, t: t, catalog: o.Catalog, flight: server, header: http.Header{}}
}

func files(paths ...string) flight.Spec { return flight.Spec{Paths: paths} }

// do sends a request, as a browser on this machine would.
func (s *site) do(method, target string, form url.Values) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(form.Encode()))
	r.Host, r.RemoteAddr = "localhost:8080", "127.0.0.1:5555"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, v := range s.header {
		r.Header[k] = v
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// get returns a page that is well formed, whatever is in it.
func (s *site) get(target string, code int) string {
	s.t.Helper()
	w := s.do("GET", target, nil)
	body := w.Body.String()
	if w.Code != code {
		s.t.Fatalf("%s: %d, want %d\n%s", target, w.Code, code, body)
	}
	if got := w.Header().Get("Content-Security-Policy"); got != policy {
		s.t.Errorf("%s: policy %q", target, got)
	}
	wellFormed(s.t, target, body)
	return body
}

// allowed are the elements that templates have.
var allowed = strings.Fields("html head meta title link body a header nav img p main h1 h2 h3 span div section table thead tbody tr th td small code dl dt dd ul li form label input textarea button figure figcaption svg g rect text desc details summary strong time footer pre meter fieldset legend")

// wellFormed checks that elements nest, and that there is none, and no attribute, that a template has not.
func wellFormed(t *testing.T, target, body string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids := map[string]bool{}
	var open []string
	var refs []string
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if !slices.Contains(allowed, e.Name.Local) {
				t.Errorf("%s: an element %q", target, e.Name.Local)
			}
			open = append(open, e.Name.Local)
			for _, a := range e.Attr {
				switch name := a.Name.Local; {
				case name == "style" || strings.HasPrefix(name, "on"):
					t.Errorf("%s: %s has an attribute %s", target, e.Name.Local, name)
				case name == "href" || name == "action" || name == "src":
					if !strings.HasPrefix(a.Value, "/") && !strings.HasPrefix(a.Value, "#") || strings.HasPrefix(a.Value, "//") {
						t.Errorf("%s: a way out, %s", target, a.Value)
					}
				case name == "id":
					if ids[a.Value] {
						t.Errorf("%s: two elements %q", target, a.Value)
					}
					ids[a.Value] = true
				case name == "for" || name == "aria-labelledby" || name == "aria-describedby":
					refs = append(refs, strings.Fields(a.Value)...)
				}
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != e.Name.Local {
				t.Fatalf("%s: </%s> in %v", target, e.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	for _, r := range refs {
		if !ids[r] {
			t.Errorf("%s: nothing is called %q", target, r)
		}
	}
	if n := strings.Count(body, "<h1"); n != 1 {
		t.Errorf("%s: %d headings of the first order", target, n)
	}
}

// fileOf returns the address of a dataset's first file.
func (s *site) fileOf(name string) string {
	s.t.Helper()
	m := regexp.MustCompile(`/datasets/` + name + `/files/[0-9a-f]+`).FindString(s.get("/datasets/"+name, 200))
	if m == "" {
		s.t.Fatalf("%s has no file", name)
	}
	return m
}

func contains(t *testing.T, what, body string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(body, want) {
			t.Errorf("%s does not say %q:\n%.3000s", what, want, body)
		}
	}
}

// record makes a record of columns of strings; "\x00" stands for null.
func record(t *testing.T, columns ...[]string) arrow.Record {
	t.Helper()
	fields := make([]arrow.Field, len(columns))
	for k, c := range columns {
		fields[k] = arrow.Field{Name: c[0], Type: arrow.BinaryTypes.String, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for k, c := range columns {
		for _, v := range c[1:] {
			if v == "\x00" {
				b.Field(k).AppendNull()
			} else {
				b.Field(k).(*array.StringBuilder).Append(v)
			}
		}
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

func write(t *testing.T, path string, recs ...arrow.Record) {
	t.Helper()
	w, err := writers.Create(t.Context(), path, recs[0].Schema(), writers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestPages(t *testing.T) {
	s := newSite(t, flight.Options{}, map[string]flight.Spec{
		"stripes": files(fixtures + "orc/java-2.3.1/many-stripes.orc"),
		"nested":  files(fixtures + "orc/java-2.3.1/nested-v12.orc"),
		"blocks":  files(fixtures + "trevni/java-1.12.1/blocks-plain.trv"),
		"groups":  files(fixtures + "parquet/pyarrow-26.0.1/groups.parquet"),
		"none":    files(fixtures + "orc/java-2.3.1/zero-rows.orc"),
	})
	catalog := s.get("/", 200)
	contains(t, "the catalog", catalog, "5 datasets, 5 files", `<a href="/datasets/stripes">stripes</a>`, "17,000", "trevni", "grpc://127.0.0.1:1")

	contains(t, "a dataset", s.get("/datasets/nested", 200), `class="d1"`, "struct")
	rows := s.get("/datasets/blocks/rows", 200)
	contains(t, "rows", rows, "Rows 0 to 49 of 17,000", `<small>int64</small>`, "/datasets/blocks/rows?from=50")
	contains(t, "the last rows", s.get("/datasets/blocks/rows?from=16980", 200), "Rows 16,980 to 16,999 of 17,000", "/datasets/blocks/rows?from=16930", `<span class="off">next rows`)
	contains(t, "rows behind the end", s.get("/datasets/blocks/rows?from=99999999999999999999", 200), "Rows 0 to 49")
	contains(t, "rows behind the end", s.get("/datasets/blocks/rows?from=18000", 200), "No row")
	contains(t, "no rows", s.get("/datasets/none/rows", 200), "No row")

	file := s.get(s.fileOf("stripes"), 200)
	contains(t, "an ORC file", file, "ORC Java 2.3.1", "40 stripes", "stripe 39", "b__dict", "whole numbers", "The picture as a table", "row groups of 1000 rows")
	if n := strings.Count(file, "<rect"); n != 40*4+4 {
		t.Errorf("%d rectangles for 40 stripes of 3 columns and a rest, and 4 colours", n)
	}
	for _, by := range []string{"codec", "nulls", "ratio", "type"} {
		contains(t, by, s.get(s.fileOf("stripes")+"?colour="+by, 200), `aria-current="true">`+map[string]string{"codec": "codec", "nulls": "null share", "ratio": "compression", "type": "type"}[by])
	}
	contains(t, "a Trevni file", s.get(s.fileOf("blocks"), 200), "block 0", "f64", "4 columns", "trevni.codec")
	contains(t, "a Parquet file", s.get(s.fileOf("groups"), 200), "l.list.element", "10 row groups", ">row group 9</text>")
	contains(t, "an empty file", s.get(s.fileOf("none"), 200), "zero-rows.orc")
	contains(t, "streams", s.get("/streams", 200), "Nothing is being sent", "Streams of all clients")
	contains(t, "streams", s.get("/streams?every=5", 200), "stop that")

	for target, code := range map[string]int{
		"/nope": 404, "/datasets/": 404, "/datasets/nope": 404, "/datasets/nope/rows": 404, "/datasets/stripes/files/0": 404,
		"/datasets/..%2f..%2fetc": 404, "/datasets/stripes/files/..%2f..": 404, "/streams/cancel": 404, "/%00": 404,
	} {
		s.get(target, code)
	}
	for _, asset := range []string{"/style.css", "/icon.svg"} {
		if w := s.do("GET", asset, nil); w.Code != 200 || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", asset, w.Code, w.Header())
		}
	}
}

func TestFilter(t *testing.T) {
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(fixtures + "orc/java-2.3.1/many-stripes.orc")})
	page := s.get("/datasets/d/rows?where="+url.QueryEscape("b__dict = 'k3' AND a__mono < 100"), 200)
	contains(t, "a filter", page, "that the filter leaves", ">k3</td>", `value="b__dict = &#39;k3&#39; AND a__mono &lt; 100"`)
	if strings.Contains(page, ">k4</td>") {
		t.Error("rows that the filter does not leave")
	}
	contains(t, "no match", s.get("/datasets/d/rows?where=a__mono+%3C+0", 200), "No row that the filter leaves")
	contains(t, "a bad filter", s.get("/datasets/d/rows?where=a__mono+%3E", 200), `role="alert"`, "expected a value")
	contains(t, "an unknown column", s.get("/datasets/d/rows?where=zz+%3E+1", 200), `role="alert"`, "zz")
	contains(t, "a filter of markup", s.get("/datasets/d/rows?where="+url.QueryEscape(`"><script>alert(1)</script>`), 200), `role="alert"`)
	contains(t, "a long filter", s.get("/datasets/d/rows?where="+strings.Repeat("x", maxWhere+1), 200), "longer than 2000")
}

// Names of columns, files and codecs, and values, come from whoever has written the file.
func TestHostileText(t *testing.T) {
	dir := t.TempDir()
	nasty := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "\u202egpj.exe", "a\x00b\x1b[31m\r\n", `{{.}}`,
		`javascript:alert(1)`, `</title></svg><script>`, `<!--`, `]]>`, "\xff\xfe", strings.Repeat("é", 5000), "", "&lt;b&gt;", "\u2028\u200b",
	}
	columns := make([][]string, len(nasty))
	for i, n := range nasty {
		name := fmt.Sprintf("%d%s", i, strings.ToValidUTF8(n, "?"))
		columns[i] = append([]string{name}, nasty[i], nasty[(i+1)%len(nasty)], "\x00")
	}
	names := []string{`<img src=x onerror=alert(1)>.arrow`, "\u202ecod.arrow", `"onload="x.arrow`, "a%2fb?c#d.arrow"}
	rec := record(t, columns...)
	for _, n := range names {
		write(t, filepath.Join(dir, n), rec)
	}
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"h": files(dir)})
	for _, target := range []string{"/datasets/h", "/datasets/h/rows", "/datasets/h/rows?where=" + url.QueryEscape(nasty[0]), "/nope" + url.PathEscape(nasty[1])} {
		code := 200
		if strings.HasPrefix(target, "/nope") {
			code = 404
		}
		body := s.get(target, code)
		for _, bad := range []string{"<script", "<img src=x", "\u202e", "\x1b", "\x00", "\u2028", "\u200b", dir} {
			if strings.Contains(body, bad) {
				t.Errorf("%s says %q", target, bad)
			}
		}
	}
	seen := 0
	for _, m := range regexp.MustCompile(`/datasets/h/files/[0-9a-f]+`).FindAllString(s.get("/datasets/h", 200), -1) {
		body := s.get(m, 200)
		seen++
		if strings.Contains(body, "<img src=x") || strings.Contains(body, "\u202e") || strings.Contains(body, dir) {
			t.Errorf("%s:\n%s", m, body)
		}
	}
	if seen != len(names) {
		t.Errorf("%d files of %d", seen, len(names))
	}
}

// A value of any size, and any number of columns, costs a page no more than what it shows.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	var wide [][]string
	for i := range 3000 {
		wide = append(wide, []string{fmt.Sprintf("c%d", i), "x"})
	}
	write(t, filepath.Join(dir, "wide.arrow"), record(t, wide...))
	write(t, filepath.Join(dir, "long.arrow"), record(t, []string{"a", strings.Repeat("<", 4<<20)}))
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"wide": files(dir + "/wide.arrow"), "long": files(dir + "/long.arrow")})
	if body := s.get("/datasets/long/rows", 200); len(body) > 8000 {
		t.Errorf("%d bytes for a cell", len(body))
	}
	body := s.get("/datasets/wide/rows?column=2990", 200)
	contains(t, "the last columns", body, "Columns 2991 to 3000 of 3000", "c2999", "/datasets/wide/rows?column=2950")
	if strings.Contains(body, ">c1<") {
		t.Error("columns that were not asked for")
	}
	contains(t, "a wide schema", s.get("/datasets/wide", 200), "The first 1000 lines; there are more.")
	contains(t, "a wide file", s.get(s.fileOf("wide"), 200), "The first 1,000 of 3,000")
}

// Whoever is not permitted a dataset sees nothing of it, and does not learn whether it is there.
func TestAccess(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	secret, token, err := flight.NewToken("alice", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := flight.AddToken(tokens, token); err != nil {
		t.Fatal(err)
	}
	rule, err := flight.ParseRule("alice:read=open")
	if err != nil {
		t.Fatal(err)
	}
	access, err := flight.NewAccess(flight.AccessOptions{Tokens: tokens, Rules: []flight.Rule{rule}, Logger: slog.New(slog.DiscardHandler), Attempts: 1000})
	if err != nil {
		t.Fatal(err)
	}
	orc := files(fixtures + "orc/java-2.3.1/many-stripes.orc")
	s := newSite(t, flight.Options{Authorizer: access}, map[string]flight.Spec{"open": orc, "shut": orc})
	for _, target := range []string{"/", "/datasets/open", "/datasets/open/rows", "/datasets/open/files/0", "/streams"} {
		s.get(target, 401)
		w := s.do("GET", target, nil)
		if got := w.Header().Get("WWW-Authenticate"); got != `Basic realm="arrowio", charset="UTF-8"` {
			t.Errorf("%s: %q", target, got)
		}
	}
	s.header.Set("Authorization", "Bearer wrong")
	s.get("/", 401)
	basic := httptest.NewRequest("GET", "/", nil)
	basic.SetBasicAuth("alice", secret)
	for _, header := range []string{"Bearer " + secret, basic.Header.Get("Authorization")} {
		s.header.Set("Authorization", header)
		body := s.get("/", 200)
		contains(t, "the catalog", body, "open", `<p class="who">alice</p>`)
		if strings.Contains(body, "shut") {
			t.Error("a dataset that may not be read is listed")
		}
		file := s.fileOf("open")
		s.get(file, 200)
		shut := s.get("/datasets/shut", 403)
		missing := s.get("/datasets/gone", 403)
		strip := regexp.MustCompile(`shut|gone|<code>[0-9a-f]+</code>`)
		if strip.ReplaceAllString(shut, "") != strip.ReplaceAllString(missing, "") {
			t.Error("what is not permitted looks different from what is not there")
		}
		s.get("/datasets/shut/rows", 403)
		s.get(strings.Replace(file, "open", "shut", 1), 403)
		contains(t, "streams", s.get("/streams", 200), "Your streams")
	}
}

// Pages of others cannot make a browser do anything here, or lend it their name.
func TestOthers(t *testing.T) {
	s := newSite(t, flight.Options{}, nil)
	for host, ok := range map[string]bool{
		"localhost": true, "LOCALHOST:1": true, "127.0.0.1:8080": true, "[::1]:80": true, "127.3.4.5": true, "[::ffff:127.0.0.1]:1": true,
		"": false, "evil.example": false, "localhost.evil.example:80": false, "10.0.0.1": false, "[::]": false, "0.0.0.0": false, "localhost@evil.example": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host, r.RemoteAddr = host, "127.0.0.1:1"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if (w.Code == 200) != ok {
			t.Errorf("host %q: %d", host, w.Code)
		}
	}
	for _, h := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"http://evil.example"}}, {"Origin": {"null"}}} {
		s.header = h
		if w := s.do("POST", "/streams/cancel", url.Values{"id": {"x"}}); w.Code != 403 {
			t.Errorf("%v: %d", h, w.Code)
		}
	}
	s.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if w := s.do("POST", "/streams/cancel", url.Values{"id": {"x"}}); w.Code != 404 {
		t.Errorf("a stream that is not there: %d", w.Code)
	}
	if w := s.do("POST", "/streams/cancel", url.Values{"id": {strings.Repeat("x", maxForm)}}); w.Code != 413 {
		t.Errorf("a large form: %d", w.Code)
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "POST"} {
		if w := s.do(method, "/", nil); w.Code != 404 && w.Code != 405 {
			t.Errorf("%s /: %d", method, w.Code)
		}
	}
	s.o.AnyHost = true
	r := httptest.NewRequest("GET", "http://data.example/", nil)
	r.RemoteAddr = "10.0.0.1:1"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 200 {
		t.Errorf("a host that was let in: %d", w.Code)
	}
}

// A stream is listed while it runs, and ends when it is cancelled.
func TestStreams(t *testing.T) {
	spec := flight.Spec{Open: func(context.Context, map[string]string) (*dataset.Dataset, error) {
		return readers.OpenDataset(t.Context(), []string{fixtures + "orc/java-2.3.1/many-stripes.orc"}, readers.Options{})
	}}
	held := &holder{reached: make(chan struct{})}
	s := newSite(t, flight.Options{Limiter: held}, map[string]flight.Spec{"d": spec})
	l, err := flight.Listen("grpc://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.flight.Serve(ctx, l) }()
	defer func() { stop(); <-ended }()
	c, err := arrowflight.NewClientWithMiddleware(l.Addr().String(), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wait, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := c.DoGet(wait, &arrowflight.Ticket{Ticket: []byte(`{"dataset":"d"}`)})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-held.reached:
	case <-wait.Done():
		t.Fatal("nothing is sent")
	}
	body := s.get("/streams", 200)
	contains(t, "streams", body, "DoGet", ">d</td>", "Cancel")
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(body)
	if id == nil {
		t.Fatal(body)
	}
	w := s.do("POST", "/streams/cancel", url.Values{"id": {id[1]}, "to": {"//evil.example"}})
	if w.Code != 303 || w.Header().Get("Location") != "/streams" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	for err == nil {
		_, err = stream.Recv()
	}
	if !strings.Contains(err.Error(), "cancelled on request") {
		t.Error(err)
	}
}

// holder is a Limiter that keeps streams from sending until they are cancelled.
type holder struct{ reached chan struct{} }

func (h *holder) Begin(context.Context, *flight.Call) (flight.Lease, error) { return h, nil }
func (h *holder) Scan(*arrowio.ScanOptions)                                 {}
func (h *holder) Free(int64)                                                {}
func (h *holder) End()                                                      {}

func (h *holder) Hold(ctx context.Context, _ int64) error {
	close(h.reached)
	<-ctx.Done()
	return context.Cause(ctx)
}

// What was read of a file is kept; a file that has changed is read again, by another address.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.arrow")
	write(t, path, record(t, []string{"one", "1"}))
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(path)})
	first := s.fileOf("d")
	s.get(first, 200)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	contains(t, "what was kept", s.get(first+"?colour=codec", 200), "one")
	for _, target := range []string{"/datasets/d/rows.csv", "/datasets/d/rows"} { // the first is told that the file is gone
		w := s.do("GET", target, nil)
		if w.Code == 500 || strings.Contains(w.Body.String(), dir) || strings.Contains(w.Body.String(), "FlightInfo") {
			t.Errorf("rows of a file that is gone: %d\n%s", w.Code, w.Body)
		}
		if strings.HasSuffix(target, ".csv") && (w.Code != 409 || !strings.Contains(w.Body.String(), "Files of the dataset have changed, or are gone, since the server looked at them: load the page again.")) {
			t.Errorf("a download of a file that is gone: %d\n%s", w.Code, w.Body)
		}
	}
	write(t, path, record(t, []string{"two", "1", "2"}))
	if _, _, err := s.catalog.Refresh(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	contains(t, "an address of what was", s.get(first, 404), "not any more")
	contains(t, "the new file", s.get(s.fileOf("d"), 200), "two")
}

// A file that takes long holds a request no longer than it may, and is there later.
func TestSlow(t *testing.T) {
	gate := make(chan struct{})
	var opened atomic.Int32
	spec := flight.Spec{Open: func(ctx context.Context, _ map[string]string) (*dataset.Dataset, error) {
		d, err := readers.OpenDataset(ctx, []string{fixtures + "orc/java-2.3.1/many-stripes.orc"}, readers.Options{})
		if err != nil {
			return nil, err
		}
		open := d.Fragments[0].Open
		d.Fragments[0].Open = func(ctx context.Context) (arrowio.File, error) {
			if opened.Add(1) > 1 { // the first is for the catalog
				select {
				case <-gate:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return open(ctx)
		}
		return d, nil
	}}
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": spec})
	s.o.Timeout = 50 * time.Millisecond
	file := s.fileOf("d")
	contains(t, "a slow file", s.get(file, 504), "longer than 50ms")
	contains(t, "slow rows", s.get("/datasets/d/rows", 200), "stopped after 50ms")
	close(gate)
	for end := time.Now().Add(time.Minute); s.do("GET", file, nil).Code != 200; {
		if time.Now().After(end) {
			t.Fatal("the file is not there later")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// What goes wrong inside is for the log.
func TestPanic(t *testing.T) {
	spec := func(after int32) flight.Spec {
		var n atomic.Int32
		return flight.Spec{Open: func(ctx context.Context, _ map[string]string) (*dataset.Dataset, error) {
			d, err := readers.OpenDataset(ctx, []string{fixtures + "orc/java-2.3.1/many-stripes.orc"}, readers.Options{})
			if err != nil {
				return nil, err
			}
			open := d.Fragments[0].Open
			d.Fragments[0].Open = func(ctx context.Context) (arrowio.File, error) {
				if n.Add(1) > after {
					panic("secret inside")
				}
				return open(ctx)
			}
			return d, nil
		}}
	}
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": spec(1)})
	for _, target := range []string{s.fileOf("d"), "/datasets/d/rows"} {
		if body := s.get(target, 500); strings.Contains(body, "secret") || !strings.Contains(body, "request id") {
			t.Errorf("%s:\n%s", target, body)
		}
	}
	failing := New(Options{Server: failingServer{}, Logger: slog.New(slog.DiscardHandler)})
	defer failing.Close()
	s.Page = failing
	s.get("/", 500)
}

type failingServer struct{}

func (failingServer) Visit(context.Context, flight.Visitor, func(context.Context, *flight.Visit) error) error {
	return errors.New("<b>no</b>")
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "<b>", "\u202e", "\xff", strings.Repeat("世", 300), "a\x00\r\n\t\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := drawing.Text(s)
		if len(out) > 10*2000 || strings.ContainsAny(out, "\x00\x1b\r\n\u202e\u2028") {
			t.Errorf("%q", out)
		}
		var b bytes.Buffer
		if err := templates().ExecuteTemplate(&b, "error.html", struct {
			*frame
			Page any
		}{&frame{Title: s, Client: s}, failure{400, "x", s}}); err != nil {
			t.Fatal(err)
		}
	})
}

// The catalog can be searched, long values open, columns have bars of their size, and the page says how to read a dataset elsewhere.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.arrow"), record(t, []string{"short", "x"}, []string{"long", strings.Repeat("<é", 600)}))
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"prices": files(dir), "other": files(dir)})
	body := s.get("/?name=RIC", 200)
	contains(t, "a search", body, ">prices<", `value="RIC"`, "1 dataset,")
	if strings.Contains(body, ">other<") {
		t.Error("the search finds what has not the name")
	}
	contains(t, "a search for nothing", s.get("/?name="+url.QueryEscape(`"><b>`), 200), "No name of a dataset", "&#34;&gt;&lt;b&gt;")
	body = s.get("/datasets/prices/rows", 200)
	if strings.Count(body, "><details>") != 1 || strings.Count(body, "é") < 300 || strings.Count(body, "é") > 500 {
		t.Errorf("%d values open, %d letters", strings.Count(body, "><details>"), strings.Count(body, "é"))
	}
	contains(t, "a dataset", s.get("/datasets/prices", 200), `for_path("prices")`, `connect("grpc://127.0.0.1:1")`, `connect("grpc&#43;tcp://127.0.0.1:1"`)
}
