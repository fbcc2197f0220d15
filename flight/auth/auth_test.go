package auth

import (
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tokenFileOf stores a token of each name, and returns the secrets.
func tokenFileOf(t testing.TB, names ...string) (path string, secrets map[string]string) {
	t.Helper()
	path, secrets = filepath.Join(t.TempDir(), "tokens"), map[string]string{}
	for _, name := range names {
		secret, line, err := NewToken(name, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if err := AddToken(path, line); err != nil {
			t.Fatal(err)
		}
		secrets[name] = secret
	}
	return path, secrets
}

func rules(t testing.TB, texts ...string) (out []Rule) {
	t.Helper()
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func access(t testing.TB, o Options) *Access {
	t.Helper()
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A token that is removed, or that has expired, is worth nothing; one that is added works without a restart.
func TestTokensChange(t *testing.T) {
	path, secrets := tokenFileOf(t, "alice", "bob")
	old, line, err := NewToken("carol", time.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := AddToken(path, line); err != nil {
		t.Fatal(err)
	}
	a := access(t, Options{Tokens: path})
	known := func(secret string) bool { _, err := a.bearer(t.Context(), secret); return err == nil }
	if !known(secrets["alice"]) || !known(secrets["bob"]) || known(old) {
		t.Error("alice and bob have tokens, carol's has expired")
	}
	session := a.session(a.tokens.bearer(secrets["alice"], time.Now()))
	if !known(session) {
		t.Error("the session of a token")
	}
	if n, err := RemoveTokens(path, "alice"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	a.tokens.checked = time.Time{} // a second later
	if known(secrets["alice"]) || known(session) || !known(secrets["bob"]) {
		t.Error("alice's token was removed")
	}
	// A file that is no token file does not put everybody out, nor in.
	if err := os.WriteFile(path, []byte("alice token "+secrets["alice"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTokens(path); err == nil || strings.Contains(err.Error(), secrets["alice"]) {
		t.Errorf("a file with a secret in it: %v", err)
	}
	a.tokens.checked = time.Time{}
	if known(secrets["alice"]) || !known(secrets["bob"]) {
		t.Error("the last good file stays in use")
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
}

// A session ends when it says so, and cannot be made by others.
func TestSession(t *testing.T) {
	path, secrets := tokenFileOf(t, "alice")
	a := access(t, Options{Tokens: path, Session: time.Hour})
	s := strings.TrimPrefix(a.session(a.tokens.bearer(secrets["alice"], time.Now())), sessionPrefix)
	if _, _, ok := a.openSession(s, time.Now().Add(59*time.Minute)); !ok {
		t.Error("it ends too early")
	}
	if _, _, ok := a.openSession(s, time.Now().Add(61*time.Minute)); ok {
		t.Error("it does not end")
	}
	if _, _, ok := access(t, Options{Tokens: path}).openSession(s, time.Now()); ok {
		t.Error("another process takes it")
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] ^= 1
		if _, _, ok := a.openSession(base64.RawURLEncoding.EncodeToString(b), time.Now()); ok {
			t.Errorf("byte %d may be anything", i)
		}
		b[i] ^= 1
		if _, _, ok := a.openSession(base64.RawURLEncoding.EncodeToString(b[:i]), time.Now()); ok {
			t.Errorf("%d bytes are enough", i)
		}
	}
}

func TestBuckets(t *testing.T) {
	b, now := newBuckets(1, 2), time.Now()
	for i, want := range []bool{true, true, false, true} {
		if i == 3 {
			now = now.Add(time.Second)
		}
		if got := b.take("a", now); got != want {
			t.Errorf("%d: %t", i, got)
		}
	}
	for i := range 3 * maxBuckets {
		b.take(strings.Repeat("x", i%7)+string(rune('a'+i%26))+rand.Text(), now)
	}
	if len(b.by) > maxBuckets+1 {
		t.Errorf("%d buckets", len(b.by))
	}
}

func TestParseRule(t *testing.T) {
	for _, text := range []string{"", "alice", "alice:read", "alice=x", "alice:eat=x", ":read=x", "alice:read=", "alice:read=a,,b", "a[:read=x", "alice:read=[", "alice:read=a,["} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q: %v", text, r)
		}
	}
	r := rules(t, "spiffe://org/app:read=events-*,prices")[0]
	for _, q := range []struct {
		client, dataset string
		p               Permission
		want            bool
	}{
		{"spiffe://org/app", "events-1", PermitRead, true},
		{"spiffe://org/app", "prices", PermitRead, true},
		{"spiffe://org/app", "prices2", PermitRead, false},
		{"spiffe://org/app", "prices", PermitWrite, false},
		{"spiffe://org/apple", "prices", PermitRead, false},
		{"", "prices", PermitRead, false},
	} {
		if got := r.permits(&Identity{Name: q.client}, q.p, q.dataset); got != q.want {
			t.Errorf("%+v: %t", q, got)
		}
	}
	all := rules(t, "*:write=*")[0]
	if !all.permits(&Identity{Name: "spiffe://org/app"}, PermitWrite, "x") || !all.permits(&Identity{}, PermitWrite, "x") {
		t.Error("* is everybody")
	}
}

// The hash of RFC 9106's reference program, for a known password and salt.
func TestArgon2(t *testing.T) {
	// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24, of the reference implementation's own tests
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h, err := parseArgon2(hash)
	if err != nil {
		t.Fatal(err)
	}
	if !h.matches("password") || h.matches("Password") {
		t.Error("not the hash that the reference makes")
	}
	for _, bad := range []string{
		"", "x", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		strings.Replace(hash, "v=19", "v=16", 1), strings.Replace(hash, "m=65536", "m=4294967295", 1), strings.Replace(hash, "t=2", "t=0", 1),
		strings.Replace(hash, "p=1", "p=256", 1), strings.Replace(hash, "p=1", "p=1x", 1), strings.Replace(hash, "c29tZXNhbHQ", "c29", 1), hash + "$", hash[:40],
	} {
		if _, err := parseArgon2(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	secret, line, err := NewToken("a", time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line.line())
	f.Add("alice token " + secret)
	f.Add("alice password $argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc 2030-01-02T03:04:05Z")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseToken(s)
		if err != nil {
			return
		}
		if b, err := parseToken(a.line()); err != nil || b.Name != a.Name || b.Hash != a.Hash || !b.Expires.Equal(a.Expires.Truncate(time.Second)) {
			t.Errorf("%q becomes %q: %v", s, a.line(), err)
		}
	})
}
