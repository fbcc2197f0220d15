package s3store

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/s3fake"
)

func TestEndpoint(t *testing.T) {
	for _, c := range []struct {
		o              Options
		host           string
		secure, amazon bool
	}{
		{Options{}, "s3.amazonaws.com", true, true},
		{Options{Endpoint: "s3.eu-west-1.amazonaws.com"}, "s3.eu-west-1.amazonaws.com", true, true},
		{Options{Endpoint: "minio:9000"}, "minio:9000", true, false},
		{Options{Endpoint: "minio:9000", Insecure: true}, "minio:9000", false, false},
		{Options{Endpoint: "http://minio:9000/"}, "minio:9000", false, false},
		{Options{Endpoint: "https://minio", Insecure: true}, "minio", true, false},
		{Options{Endpoint: "https://evil.example/s3.amazonaws.com"}, "", false, false},
		{Options{Endpoint: "ftp://minio"}, "", false, false},
		{Options{Endpoint: "https://key:secret@minio"}, "", false, false},
	} {
		host, secure, amazon, err := c.o.endpoint()
		if host != c.host || secure != c.secure || amazon != c.amazon || (err == nil) != (c.host != "") {
			t.Errorf("%+v: %s, %v, %v, %v", c.o, host, secure, amazon, err)
		}
	}
	c := New(Options{Endpoint: "ftp://x"})
	if _, err := c.Stat(t.Context(), at("x")); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}

// authorized tells what a request was signed with.
func authorized(t *testing.T, s *s3fake.Server, c *Client) string {
	t.Helper()
	got := ""
	s.Fault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		got = r.Header.Get("Authorization") + " " + r.Header.Get("X-Amz-Security-Token")
		s3fake.Refuse(w, 403, "AccessDenied")
	})
	_, err := c.Open(t.Context(), at("x"))
	if !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
	if strings.TrimSpace(got) == "" != strings.Contains(err.Error(), "no credentials were found") {
		t.Errorf("%q: %v", got, err)
	}
	return got
}

// What a program says of credentials is used, whatever the environment says.
func TestGivenCredentials(t *testing.T) {
	s := s3fake.New(t)
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[work]\naws_access_key_id = two\naws_secret_access_key = x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	with := func(edit func(o *Options)) string { return authorized(t, s, newClient(t, s, edit)) }
	if got := with(func(o *Options) { o.AccessKey, o.SecretKey, o.SessionToken = "mine", "x", "token" }); !strings.Contains(got, "Credential=mine/") || !strings.HasSuffix(got, " token") {
		t.Errorf("keys: %s", got)
	}
	if got := with(func(o *Options) { o.Profile = "work" }); !strings.Contains(got, "Credential=two/") {
		t.Errorf("profile: %s", got)
	}
	if got := with(func(o *Options) { o.Anonymous = true }); got != " " {
		t.Errorf("anonymous: %q", got)
	}
	for _, edit := range []func(o *Options){
		func(o *Options) { o.AccessKey = "mine" },
		func(o *Options) { o.SecretKey = "x" },
		func(o *Options) { o.SessionToken = "x" },
		func(o *Options) { o.AccessKey, o.SecretKey, o.Anonymous = "mine", "x", true },
		func(o *Options) { o.AccessKey, o.SecretKey, o.Profile = "mine", "x", "work" },
		func(o *Options) { o.Profile, o.Anonymous = "work", true },
		func(o *Options) { o.Profile = "none" },
	} {
		if _, err := newClient(t, s, edit).Open(t.Context(), at("x")); !errors.Is(err, errs.ErrOption) {
			t.Error(err)
		}
	}
}

func TestCredentials(t *testing.T) {
	s := s3fake.New(t)
	if got := authorized(t, s, newClient(t, s)); !strings.Contains(got, "Credential=key/") || !strings.Contains(got, "us-east-1") {
		t.Errorf("environment: %s", got)
	}
	t.Setenv("AWS_SESSION_TOKEN", "token")
	if got := authorized(t, s, newClient(t, s, func(o *Options) { o.Region = "eu-north-1" })); !strings.Contains(got, "/eu-north-1/s3/") || !strings.HasSuffix(got, " token") {
		t.Errorf("environment: %s", got)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if got := authorized(t, s, newClient(t, s)); got != " " {
		t.Errorf("none: %q", got)
	}
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = one\naws_secret_access_key = x\n[work]\naws_access_key_id = two\naws_secret_access_key = x\n[half]\naws_access_key_id = three\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	if got := authorized(t, s, newClient(t, s)); !strings.Contains(got, "Credential=one/") {
		t.Errorf("file: %s", got)
	}
	t.Setenv("AWS_PROFILE", "work")
	if got := authorized(t, s, newClient(t, s)); !strings.Contains(got, "Credential=two/") {
		t.Errorf("profile: %s", got)
	}
	for _, profile := range []string{"half", "none"} { // somebody meant to have credentials
		t.Setenv("AWS_PROFILE", profile)
		if _, err := newClient(t, s).Open(t.Context(), at("x")); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "shared files") {
			t.Errorf("profile %s: %v", profile, err)
		}
	}
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere")
	if _, err := newClient(t, s).Open(t.Context(), at("x")); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "role") {
		t.Errorf("role: %v", err)
	}
}

func TestFromEnvironment(t *testing.T) {
	s := s3fake.New(t)
	t.Setenv("AWS_DEFAULT_REGION", "a")
	if o := FromEnvironment(); o.Endpoint != s.URL || o.Region != "a" {
		t.Errorf("%+v", o)
	}
	t.Setenv("AWS_REGION", "b")
	t.Setenv("AWS_ENDPOINT_URL_S3", "c")
	if o := FromEnvironment(); o.Endpoint != "c" || o.Region != "b" {
		t.Errorf("%+v", o)
	}
}

// Nobody listens, a name that does not exist, no TLS where it is wanted.
func TestUnreachable(t *testing.T) {
	s := s3fake.New(t)
	for endpoint, again := range map[string]bool{
		"http://127.0.0.1:1": true, "http://no.such.host.invalid": false, strings.Replace(s.URL, "http", "https", 1): false,
	} {
		c := newClient(t, s, func(o *Options) { o.Endpoint = endpoint })
		_, err := c.Open(t.Context(), at("x"))
		if err == nil || errors.Is(err, remote.ErrUnavailable) != again && endpoint != "http://no.such.host.invalid" {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
