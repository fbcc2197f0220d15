package icebergcatalog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// longest is how long a request may take.
const longest = 2 * time.Minute

// server is a catalog that speaks Iceberg's REST protocol.
type server struct {
	uri   string // without a slash at its end
	props Properties
	token string
	most  int64
	start string // of the paths of the catalog, behind /v1/
	// storage are the properties of the catalog that say how S3 is asked, by the names of loanSettings.
	storage map[string]string
}

// rest asks a server for the metadata of a table, and for how its files are asked for. The protocol is that of Iceberg's
// rest-catalog-open-api.yaml.
func (p Properties) rest(ctx context.Context, name []string, most int64) (string, []Loan, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	s, err := p.connect(ctx, most)
	if err != nil {
		return "", nil, err
	}
	var table answered
	if err := s.get(ctx, s.table(name), &table); err != nil {
		return "", nil, err
	}
	if table.Location == "" {
		return "", nil, errs.Errorf(errs.ErrUnsupported, "the catalog at %s does not say where the metadata of the table are (metadata-location)", s.uri)
	}
	loans, err := table.loans(s.storage)
	return table.Location, loans, err
}

// connect asks a server how it wants to be asked.
func (p Properties) connect(ctx context.Context, most int64) (*server, error) {
	u, err := url.Parse(p["uri"])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errs.Errorf(errs.ErrOption, "the uri of the catalog is no URL of http or https without a user")
	}
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16); err != nil || port == 0 {
		return nil, errs.Errorf(errs.ErrOption, "the port in the uri of the catalog is not a number from 1 to 65535")
	}
	if strings.EqualFold(p["rest.sigv4-enabled"], "true") {
		return nil, errs.Errorf(errs.ErrUnsupported, "the catalog wants requests signed as AWS has it (rest.sigv4-enabled), which cannot be done")
	}
	s := &server{uri: strings.TrimRight(p["uri"], "/"), props: p, token: p["token"], most: most}
	if s.token == "" && s.props["credential"] != "" {
		if err := s.authorise(ctx); err != nil {
			return nil, err
		}
	}
	at := "/v1/config"
	if w := s.props["warehouse"]; w != "" {
		at += "?warehouse=" + url.QueryEscape(w)
	}
	var config struct{ Defaults, Overrides map[string]string }
	if err := s.get(ctx, at, &config); err != nil {
		return nil, err
	}
	prefix := s.props["prefix"]
	if d := config.Defaults["prefix"]; prefix == "" {
		prefix = d
	}
	if o := config.Overrides["prefix"]; o != "" {
		prefix = o
	}
	if prefix != "" {
		prefix = strings.Trim(prefix, "/") + "/"
	}
	s.start = "/v1/" + prefix
	s.storage = map[string]string{}
	for _, from := range []map[string]string{config.Defaults, p, config.Overrides} {
		merge(s.storage, from)
	}
	return s, nil
}

// tables returns the path of the tables of the namespace that a table is in.
func (s *server) tables(name []string) string {
	return s.start + "namespaces/" + url.PathEscape(strings.Join(name[:len(name)-1], "\x1f")) + "/tables"
}

// table returns the path of a table.
func (s *server) table(name []string) string {
	return s.tables(name) + "/" + url.PathEscape(name[len(name)-1])
}

// authorise exchanges the credential for a token, as OAuth2 has it for clients.
func (s *server) authorise(ctx context.Context) error {
	id, secret, ok := strings.Cut(s.props["credential"], ":")
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"catalog"}, "client_id": {id}, "client_secret": {secret}}
	if !ok {
		form.Del("client_id")
		form.Set("client_secret", id)
	}
	if scope := s.props["scope"]; scope != "" {
		form.Set("scope", scope)
	}
	where := s.props["oauth2-server-uri"]
	if where == "" {
		where = s.uri + "/v1/oauth/tokens"
	}
	if u, err := url.Parse(where); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errs.Errorf(errs.ErrOption, "the property oauth2-server-uri is not http://HOST/PATH or https://HOST/PATH")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, where, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var out struct {
		Token string `json:"access_token"`
	}
	if err := s.do(r, &out); err != nil {
		return err
	}
	if out.Token == "" {
		return errs.Errorf(errs.ErrUnsupported, "%s gave no access_token", place(r.URL))
	}
	s.token = out.Token
	return nil
}

func (s *server) get(ctx context.Context, at string, to any) error {
	return s.ask(ctx, http.MethodGet, at, nil, to)
}

// ask makes a request with the token of the catalog. nil = it has no body.
func (s *server) ask(ctx context.Context, method, at string, body []byte, to any) error {
	r, err := http.NewRequestWithContext(ctx, method, s.uri+at, bytes.NewReader(body))
	if err != nil {
		return errs.Errorf(errs.ErrOption, "the uri of the catalog is no URL")
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	r.Header.Set(delegation, "vended-credentials")
	for name, value := range s.props {
		if h, ok := strings.CutPrefix(name, headerPrefix); ok {
			r.Header.Set(h, value)
		}
	}
	return s.do(r, to)
}

// place is a URL for messages, without what may be secret in it.
func place(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// StatusError is the answer of a catalog that did not do what it was asked for.
type StatusError struct {
	Code int // of HTTP
	err  error
}

func (e *StatusError) Error() string { return e.err.Error() }

// Unwrap returns the error with its kind.
func (e *StatusError) Unwrap() error { return e.err }

// do makes a request and reads the JSON of its answer. The error of a catalog that does not answer, or that cannot answer now (5xx, 429),
// has no errs.Kind, as other I/O errors.
func (s *server) do(r *http.Request, to any) error {
	client := http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if to.URL.Host != r.URL.Host || to.URL.Scheme != r.URL.Scheme || len(via) > 5 { // it would get what is secret
			return errs.Errorf(errs.ErrUnsupported, "it redirects to %s, which is not followed: name that as the uri", place(to.URL))
		}
		if to.Method != r.Method { // as after 301 and 302: nothing would be changed
			return errs.Errorf(errs.ErrUnsupported, "it redirects a %s to %s: name that as the uri", r.Method, place(to.URL))
		}
		return nil
	}}
	begun := time.Now()
	answer, err := client.Do(r)
	if err != nil {
		var e *url.Error
		if r.Context().Err() == nil && errors.As(err, &e) { // without its URL
			err = e.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return tooLate(r, begun)
		}
		var known *errs.Error
		if errors.As(err, &known) {
			return errs.Errorf(known.Kind, "the catalog does not answer at %s: %w", place(r.URL), err)
		}
		return fmt.Errorf("the catalog does not answer at %s: %w", place(r.URL), err)
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, s.most+1))
	_ = answer.Body.Close() // it was only read
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return tooLate(r, begun)
	case err != nil:
		return fmt.Errorf("the answer of %s was cut off: %w", place(r.URL), err)
	case int64(len(b)) > s.most:
		return errs.Errorf(errs.ErrLimit, "the answer of %s has more than %d bytes (Limits.MetadataBytes)", place(r.URL), s.most)
	case answer.StatusCode != http.StatusOK && (answer.StatusCode != http.StatusNoContent || to != nil):
		return &StatusError{answer.StatusCode, refusal(r.URL, answer, b)}
	case to == nil:
		return nil
	}
	if json.Unmarshal(b, to) != nil { // its error is about Go's types
		return errs.Errorf(errs.ErrCorrupt, "the answer of %s is not the JSON of Iceberg's REST protocol", place(r.URL))
	}
	return nil
}

// refusal is the error of an answer with another status than 200.
func refusal(u *url.URL, answer *http.Response, b []byte) error {
	switch code := answer.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return errs.Errorf(errs.ErrOption, "%s answers %s%s; the catalog's token or credential says who asks", place(u), answer.Status, said(b))
	case code == http.StatusNotFound:
		text := said(b)
		if text == "" {
			text = "; perhaps the uri of the catalog lacks a path"
		}
		return errs.Errorf(errs.ErrOption, "%s answers %s%s", place(u), answer.Status, text)
	case code >= 500 && code != http.StatusNotImplemented, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return fmt.Errorf("%s answers %s%s", place(u), answer.Status, said(b))
	}
	return errs.Errorf(errs.ErrUnsupported, "%s answers %s%s", place(u), answer.Status, said(b))
}

// tooLate is the error of an answer that did not come in time. The time may be the caller's, or be used up in part by requests before.
func tooLate(r *http.Request, begun time.Time) error {
	return fmt.Errorf("no whole answer of %s came within %s", place(r.URL), max(time.Since(begun), time.Millisecond).Round(time.Millisecond))
}

// said returns what the server says of an error.
func said(b []byte) string {
	var doc struct{ Error json.RawMessage }
	var e struct{ Message string }
	if json.Unmarshal(b, &doc) != nil || json.Unmarshal(doc.Error, &e) != nil || e.Message == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(e.Message[:min(len(e.Message), 300)], "?")
}
