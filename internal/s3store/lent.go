package s3store

import (
	"context"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Keys are credentials that somebody lends.
type Keys struct {
	Access, Secret, Token string
	Expires               time.Time // zero = it is not known
}

// Lent are keys that are asked for anew shortly before they expire. Its methods may be called concurrently.
type Lent struct {
	mu    sync.Mutex
	keys  Keys
	until time.Time // when they are asked for anew; zero = never
	again func(ctx context.Context) (Keys, error)
}

// Times of lent keys.
const (
	lentMargin  = time.Minute     // they are asked for anew so long before they expire, or in the last quarter of their time
	lentTimeout = 2 * time.Minute // for asking
)

// NewLent returns keys. again asks for them anew.
func NewLent(keys Keys, again func(ctx context.Context) (Keys, error)) *Lent {
	l := &Lent{}
	l.Renew(keys, again)
	return l
}

// Renew has other keys be used from now on.
func (l *Lent) Renew(keys Keys, again func(ctx context.Context) (Keys, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again = again
	l.take(keys)
}

func (l *Lent) take(keys Keys) {
	l.keys, l.until = keys, time.Time{}
	if !keys.Expires.IsZero() {
		l.until = keys.Expires.Add(-min(lentMargin, max(0, time.Until(keys.Expires)/4)))
	}
}

// IsExpired implements credentials.Provider. It is always true, so that keys of Renew are used at once: Retrieve has them at hand.
func (l *Lent) IsExpired() bool { return true }

// Retrieve implements credentials.Provider.
func (l *Lent) Retrieve() (credentials.Value, error) { return l.RetrieveWithCredContext(nil) }

// RetrieveWithCredContext implements credentials.Provider.
func (l *Lent) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.until.IsZero() && time.Now().After(l.until) {
		ctx, cancel := context.WithTimeout(context.Background(), lentTimeout)
		defer cancel()
		keys, err := l.again(ctx)
		if err == nil {
			l.take(keys)
		} else if time.Now().After(l.keys.Expires) {
			return credentials.Value{}, err
		}
	}
	return credentials.Value{AccessKeyID: l.keys.Access, SecretAccessKey: l.keys.Secret, SessionToken: l.keys.Token, Expiration: l.keys.Expires, SignerType: credentials.SignatureV4}, nil
}

// NewWith returns a client that uses lent keys, whatever o says of credentials.
func NewWith(o Options, l *Lent) *Client {
	c := New(o)
	c.lent = l
	return c
}
