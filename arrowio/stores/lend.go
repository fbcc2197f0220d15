package stores

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/s3store"
)

// Lend has the objects of S3 below url be asked for with credentials that a catalog vends, in place of those of Options.S3. settings have the
// names that Iceberg's catalogs use: s3.access-key-id, s3.secret-access-key, s3.session-token, s3.session-token-expires-at-ms, s3.endpoint,
// s3.region or client.region, s3.path-style-access. What they do not say is as in Options.S3. again returns the settings anew, shortly before they
// expire; only credentials in them count then. URLs that are lent for before are lent for anew. Of several that a path is below, the longest counts.
func (s *Stores) Lend(url string, settings map[string]string, again func(ctx context.Context) (map[string]string, error)) error {
	return s.lent.add(url, settings, again)
}

// loans are the credentials that were lent.
type loans struct {
	o  S3Options
	mu sync.RWMutex
	by map[string]loan // by URL without a slash at its end
	// old are clients of loans that others have replaced: files may be open with them.
	old []*s3store.Client
}

type loan struct {
	o      S3Options // without credentials
	keys   *s3store.Lent
	client *s3store.Client
}

// mostLoans bounds how many URLs are lent for at the same time.
const mostLoans = 10_000

func (l *loans) add(url string, settings map[string]string, again func(ctx context.Context) (map[string]string, error)) error {
	if Scheme(url) != "s3" && Scheme(url) != "s3a" {
		return errs.Errorf(errs.ErrUnsupported, "credentials for %s cannot be used, only those for s3://", url)
	}
	o, keys, err := l.settings(settings)
	if err != nil {
		return err
	}
	anew := func(ctx context.Context) (s3store.Keys, error) {
		now, err := again(ctx)
		if err != nil {
			return s3store.Keys{}, err
		}
		_, keys, err := l.settings(now)
		return keys, err
	}
	key := loanKey(url)
	l.mu.Lock()
	defer l.mu.Unlock()
	was, ok := l.by[key]
	hasKeys := keys.Access != ""
	if ok && was.o == o && (was.keys != nil) == hasKeys {
		if hasKeys {
			was.keys.Renew(keys, anew)
		}
		return nil
	}
	if !ok && len(l.by) >= mostLoans {
		return errs.Errorf(errs.ErrLimit, "catalogs have vended credentials for %d directories: no more are kept", mostLoans)
	}
	if ok {
		l.old = append(l.old, was.client)
	}
	n := loan{o: o}
	if hasKeys {
		n.keys = s3store.NewLent(keys, anew)
		n.client = s3store.NewWith(o.client(), n.keys)
	} else { // the catalog says only where the store is
		n.client = s3store.New(o.client())
	}
	if l.by == nil {
		l.by = map[string]loan{}
	}
	l.by[key] = n
	return nil
}

// settings returns what a catalog says: the options of the store, without credentials if it vends some, and these.
func (l *loans) settings(said map[string]string) (S3Options, s3store.Keys, error) {
	o := l.o
	var k s3store.Keys
	if v := said["s3.endpoint"]; v != "" {
		o.Endpoint = v
	}
	for _, name := range []string{"client.region", "s3.region"} {
		if v := said[name]; v != "" {
			o.Region = v
		}
	}
	if v := said["s3.path-style-access"]; v != "" {
		o.PathStyle = strings.EqualFold(v, "true")
	}
	k.Access, k.Secret, k.Token = said["s3.access-key-id"], said["s3.secret-access-key"], said["s3.session-token"]
	if (k.Access == "") != (k.Secret == "") || k.Token != "" && k.Access == "" {
		return o, k, errs.Errorf(errs.ErrUnsupported, "of the credentials for S3 that the catalog vends, s3.access-key-id or s3.secret-access-key is missing")
	}
	if k.Access != "" {
		o.AccessKey, o.SecretKey, o.SessionToken, o.Profile, o.Anonymous = "", "", "", "", false
	}
	if v := said["s3.session-token-expires-at-ms"]; v != "" && k.Access != "" {
		ms, err := strconv.ParseInt(v, 10, 64)
		if err != nil || ms <= 0 {
			return o, k, errs.Errorf(errs.ErrCorrupt, "the catalog says s3.session-token-expires-at-ms, and it is no time")
		}
		k.Expires = time.UnixMilli(ms)
	}
	return o, k, nil
}

// loanKey is the same for all ways to write a URL.
func loanKey(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	return strings.TrimRight(rest, "/")
}

// of returns the client for a URL; nil = no credentials were lent for it.
func (l *loans) of(url string) *s3store.Client {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.by) == 0 {
		return nil
	}
	for at := loanKey(url); at != ""; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		if x, ok := l.by[at]; ok {
			return x.client
		}
	}
	return nil
}

// each calls f with all clients.
func (l *loans) each(f func(*s3store.Client)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, c := range l.old {
		f(c)
	}
	for _, x := range l.by {
		f(x.client)
	}
}
