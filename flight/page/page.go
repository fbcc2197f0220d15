package page

import (
	"context"
	"embed"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
)

// Server is the part of *flight.Server that a page uses.
type Server interface {
	Visit(ctx context.Context, v flight.Visitor, do func(ctx context.Context, v *flight.Visit) error) error
}

// Options says which server a page shows, and with which limits. Only Server must be set.
type Options struct {
	Server    Server
	Addresses []string      // addresses for Flight clients, which the page shows
	Timeout   time.Duration // how long a request waits for files to be read; default 10 s
	// AnyHost answers requests for any host name; otherwise only those for loopback addresses and localhost are answered. This
	// protects against pages of other sites whose host names resolve to a loopback address (DNS rebinding). Set it only for
	// servers that authenticate their clients.
	AnyHost bool
	Logger  *slog.Logger // default slog.Default()
}

// Page answers HTTP requests. It is safe for concurrent use.
type Page struct {
	o     Options
	mux   *http.ServeMux
	infos *infos
	reads chan struct{} // those who read rows: few at once
	sends senders
	stall time.Duration // in which a client takes a piece of a download
}

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed icon.svg
var icon []byte

var templates = sync.OnceValue(func() *template.Template {
	t := template.New("").Funcs(drawing.Funcs()).Funcs(template.FuncMap{"stamp": stamp, "rfc": rfc, "ago": ago, "adbc": adbc, "python": strconv.QuoteToASCII})
	return template.Must(drawing.AddTemplates(template.Must(t.ParseFS(templateFiles, "templates/*.html"))))
})

// New returns the handler of all URLs of the page.
func New(o Options) *Page {
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	templates() // parsed before the first page is asked for
	p := &Page{o: o, mux: http.NewServeMux(), infos: newInfos(), reads: make(chan struct{}, maxReads), stall: bodyStall}
	p.mux.HandleFunc("GET /{$}", p.view(p.catalog, false))
	p.mux.HandleFunc("GET /datasets/{name}", p.view(p.dataset, false))
	p.mux.HandleFunc("GET /datasets/{name}/rows", p.view(p.rows, true))
	for _, f := range downloadable {
		p.mux.HandleFunc("GET /datasets/{name}/rows"+f.extension, p.download(f))
	}
	p.mux.HandleFunc("GET /datasets/{name}/files/{file}", p.view(p.file, true))
	p.mux.HandleFunc("GET /sql", p.view(p.ask, false))
	p.mux.HandleFunc("POST /sql", p.view(p.asked, true))
	p.mux.HandleFunc("GET /streams", p.view(p.streams, false))
	p.mux.HandleFunc("POST /streams/cancel", p.view(p.cancel, false))
	p.mux.HandleFunc("GET /style.css", asset("text/css; charset=utf-8", []byte(drawing.Style)))
	p.mux.HandleFunc("GET /icon.svg", asset("image/svg+xml", icon))
	p.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p.fail(w, r, &frame{}, http.StatusNotFound, "There is no page at this address.")
	})
	return p
}

// Close cancels what is still being read for requests that have ended, and waits for it. The page must not be used afterwards.
func (p *Page) Close() {
	p.infos.close()
	for range maxReads {
		p.reads <- struct{}{}
	}
}

// maxReads is how many requests read rows at once.
const maxReads = 4

// policy keeps a page that something has slipped into from doing anything.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !p.o.AnyHost && !localHost(r.Host) {
		http.Error(w, "This page is served to its own machine only, by the name localhost or a loopback address.", http.StatusMisdirectedRequest)
		return
	}
	// What browsers send along unasked, certificates and passwords, must not work for pages of others.
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		http.Error(w, "A page of another site cannot do this.", http.StatusForbidden)
		return
	}
	if r.ContentLength > maxForm || r.ContentLength < 0 {
		http.Error(w, "The request is too large.", http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	p.mux.ServeHTTP(w, r)
}

// maxForm is the size of the largest form.
const maxForm = 16 << 10

// localHost reports whether the name that a request is for means this machine, whatever a name server says.
func localHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

func asset(kind string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "max-age=300")
		_, _ = w.Write(content) // a client that is gone cannot be told
	}
}

// frame is what every page has around it.
type frame struct {
	Title     string
	At        string // which entry of the navigation
	Client    string
	Shows     bool // the client has shown a token or a password, as Flight clients must
	Addresses []string
	RequestID string
	Refresh   int  // seconds; 0 = never
	SQL       bool // whether there is a box for it
}

// answer is what a view makes of a request.
type answer struct {
	template string // "" = go to location
	location string // a path of this page
	data     any
	frame    frame
}

type view func(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error)

// view runs a view as a visit, and writes what it answers.
func (p *Page) view(run view, reads bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		visitor := visitorOf(r)
		visitor.Reads = reads
		ctx, cancel := context.WithTimeout(r.Context(), p.o.Timeout)
		defer cancel()
		var a *answer
		var body string
		f := frame{}
		err := p.o.Server.Visit(ctx, visitor, func(ctx context.Context, v *flight.Visit) (err error) {
			f.Client, f.RequestID, f.SQL = v.Call().Client.Name, v.Call().ID, v.HasSQL()
			w.Header().Set(flight.RequestIDHeader, f.RequestID)
			if a, err = run(ctx, v, r); err != nil || a.template == "" {
				return err
			}
			a.frame.Shows = f.Client != "" && len(visitor.Authorization) > 0
			a.frame.Client, a.frame.RequestID, a.frame.Addresses, a.frame.SQL = f.Client, f.RequestID, p.o.Addresses, f.SQL
			if body, err = a.render(); err != nil {
				return errs.Errorf(errs.ErrInternal, "the page %s: %w", a.template, err)
			}
			v.Sent(0, 0, int64(len(body)))
			return nil
		})
		switch {
		case r.Context().Err() != nil: // the client is gone
		case err != nil:
			p.failed(w, r, &f, err, p.o.Timeout)
		case a.template == "":
			http.Redirect(w, r, a.location, http.StatusSeeOther)
		default:
			p.sendPage(w, http.StatusOK, a, body)
		}
	}
}

// visitorOf is who has sent a request.
func visitorOf(r *http.Request) flight.Visitor {
	return flight.Visitor{Addr: remoteAddr(r), TLS: r.TLS, Authorization: r.Header.Values("Authorization"), RequestID: r.Header.Get(flight.RequestIDHeader)}
}

func remoteAddr(r *http.Request) net.Addr {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return nil
	}
	return net.TCPAddrFromAddrPort(a)
}

// render makes a page as a whole, before the first byte of it is sent.
func (a *answer) render() (string, error) {
	var b strings.Builder
	err := templates().ExecuteTemplate(&b, a.template, struct {
		*frame
		Page any
	}{&a.frame, a.data})
	return b.String(), err
}

// write renders and sends a page.
func (p *Page) write(w http.ResponseWriter, code int, a *answer) {
	body, err := a.render()
	if err != nil {
		p.o.Logger.Error("page", "template", a.template, "error", err.Error())
		http.Error(w, "The page cannot be made; the server's log has more.", http.StatusInternalServerError)
		return
	}
	p.sendPage(w, code, a, body)
}

func (p *Page) sendPage(w http.ResponseWriter, code int, a *answer, body string) {
	if a.frame.Refresh > 0 {
		w.Header().Set("Refresh", strconv.Itoa(a.frame.Refresh))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body)) // a client that is gone cannot be told
}

// errGone: the files changed since their address was made.
var errGone = status.Error(codes.NotFound, "the dataset has no such file, or not any more")

// failed answers a status of a visit, which could take as long as within.
func (p *Page) failed(w http.ResponseWriter, r *http.Request, f *frame, err error, within time.Duration) {
	st := status.Convert(err)
	code := map[codes.Code]int{
		codes.Unauthenticated: http.StatusUnauthorized, codes.PermissionDenied: http.StatusForbidden, codes.NotFound: http.StatusNotFound,
		codes.InvalidArgument: http.StatusBadRequest, codes.FailedPrecondition: http.StatusConflict, codes.Unimplemented: http.StatusNotImplemented,
		codes.ResourceExhausted: http.StatusTooManyRequests, codes.Unavailable: http.StatusServiceUnavailable,
		codes.DeadlineExceeded: http.StatusGatewayTimeout,
	}[st.Code()]
	message := st.Message()
	switch code {
	case 0:
		code = http.StatusInternalServerError
	case http.StatusConflict:
		if changed(st) {
			message = "Files of the dataset have changed, or are gone, since the server looked at them: load the page again."
		}
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="arrowio", charset="UTF-8"`)
	case http.StatusGatewayTimeout:
		message = "This takes longer than " + within.String() + ". It may be there when the page is loaded again."
	}
	p.fail(w, r, f, code, message)
}

// changed reports whether a status is that of files that are not what they were.
func changed(st *status.Status) bool {
	return slices.ContainsFunc(st.Details(), func(d any) bool {
		info, ok := d.(*errdetails.ErrorInfo)
		return ok && info.GetReason() == "CHANGED"
	})
}

type failure struct {
	Code    int
	What    string
	Message string
}

func (p *Page) fail(w http.ResponseWriter, _ *http.Request, f *frame, code int, message string) {
	f.Title = http.StatusText(code)
	p.write(w, code, &answer{template: "error.html", frame: *f, data: failure{code, http.StatusText(code), message}})
}
