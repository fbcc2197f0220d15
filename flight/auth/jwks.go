package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// keySet is a JSON Web Key Set (RFC 7517), as far as it can be used: public keys for signatures.
type keySet []jose.JSONWebKey

const (
	maxKeySet = 1 << 20 // bytes
	maxKeys   = 1000
	minRSA    = 2048 // bits, as RFC 7518 has it; the library takes 4096 at most
)

// parseKeySet reads a set. Keys that cannot be used, because they are of other kinds or are secrets, are left out. It is an error
// if none is left.
func parseKeySet(b []byte) (keySet, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	switch err := json.Unmarshal(b, &set); {
	case err != nil || set.Keys == nil:
		return nil, errors.New("this is no JSON Web Key Set: want {\"keys\": [...]}")
	case len(set.Keys) > maxKeys:
		return nil, fmt.Errorf("a set of %d keys; the most is %d", len(set.Keys), maxKeys)
	}
	var out keySet
	why := errors.New("it has none")
	for n, raw := range set.Keys {
		var k jose.JSONWebKey
		if err := usable(raw, &k); err != nil {
			why = fmt.Errorf("key %d: %w", n, err)
			continue
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the set has no public key for signatures: %w", why)
	}
	return out, nil
}

// usable reads a key and checks it.
func usable(raw []byte, k *jose.JSONWebKey) error {
	if err := k.UnmarshalJSON(raw); err != nil {
		return err
	}
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		if n := key.N.BitLen(); n < minRSA {
			return fmt.Errorf("RSA of %d bits; %d are the least", n, minRSA)
		}
	case *ecdsa.PublicKey, ed25519.PublicKey:
	default:
		return errors.New("it is not public, or not of RSA, EC or Ed25519")
	}
	if !k.Valid() || k.Use != "" && k.Use != "sig" {
		return errors.New("it is not for signatures")
	}
	return nil
}

// fitting returns the keys that may have signed with an algorithm. A token that does not name its key may have been signed by the
// only one that fits.
func (s keySet) fitting(kid string, algorithm jose.SignatureAlgorithm) (out []any) {
	for _, k := range s {
		if (kid == "" || k.KeyID == kid) && (k.Algorithm == "" || k.Algorithm == string(algorithm)) && kindOf(algorithm) == kindOfKey(k.Key) {
			out = append(out, k.Key)
		}
	}
	if kid == "" && len(out) > 1 || len(out) > maxSameKid {
		return nil
	}
	return out
}

// maxSameKid is how many keys of one kid are tried.
const maxSameKid = 4

func kindOf(a jose.SignatureAlgorithm) string {
	switch s := string(a); {
	case strings.HasPrefix(s, "RS"), strings.HasPrefix(s, "PS"):
		return "RSA"
	case a == jose.ES256:
		return "P-256"
	case a == jose.ES384:
		return "P-384"
	case a == jose.ES512:
		return "P-521"
	default:
		return s // EdDSA
	}
}

func kindOfKey(k any) string {
	switch k := k.(type) {
	case *rsa.PublicKey:
		return "RSA"
	case *ecdsa.PublicKey:
		return k.Curve.Params().Name
	case ed25519.PublicKey:
		return string(jose.EdDSA)
	}
	return ""
}

// openKeys returns the keys of an issuer: of a file, which must be there, or of a URL, which may be there later.
func openKeys(i *JWTIssuer, logger *slog.Logger, r *Reloader) (keySource, error) {
	if i.Keys != "" && !strings.Contains(i.Keys, "://") {
		if i.CA != "" {
			return nil, errors.New("authorities are given, and the keys are in a file")
		}
		f := &fileKeys{watched[keySet]{paths: []string{i.Keys}, logger: logger, load: func() (keySet, error) {
			b, err := os.ReadFile(i.Keys)
			if err != nil {
				return nil, err
			}
			s, err := parseKeySet(b)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", i.Keys, err)
			}
			return s, nil
		}}}
		if err := f.reload(); err != nil {
			return nil, err
		}
		r.add(f.renew)
		return f, nil
	}
	u, err := newKeyURL(i)
	if err != nil {
		return nil, err
	}
	k := &fetchedKeys{fetch: u.fetch, issuer: i.Issuer, logger: logger}
	r.add(k.renew)
	k.renew()
	return k, nil
}

// fileKeys are the keys of a file that is watched.
type fileKeys struct{ watched[keySet] }

func (f *fileKeys) find(_ context.Context, kid string, algorithm jose.SignatureAlgorithm) ([]any, error) {
	if out := f.get().fitting(kid, algorithm); len(out) > 0 {
		return out, nil
	}
	return nil, errJWTKey
}

// Times of keys that are fetched.
const (
	refreshKeys = 10 * time.Minute // keys that are in use are fetched again
	retryKeys   = 10 * time.Second // at the least between two fetches, however many tokens name keys that are not known
	forgetKeys  = 24 * time.Hour   // keys that could not be fetched again for so long are not used any more
	fetchTime   = 10 * time.Second // for one fetch
)

// fetchedKeys are keys that are fetched when they are needed. One fetch runs at a time. Tokens whose key is known do not wait for
// it.
type fetchedKeys struct {
	fetch  func(context.Context) (keySet, error)
	issuer string
	logger *slog.Logger

	mu      sync.Mutex
	keys    keySet
	loaded  time.Time     // when keys were fetched
	tried   time.Time     // when the latest fetch began
	err     error         // of the latest fetch that has ended
	running chan struct{} // closed when the fetch under way has ended; nil = there is none
}

func (k *fetchedKeys) find(ctx context.Context, kid string, algorithm jose.SignatureAlgorithm) ([]any, error) {
	k.mu.Lock()
	out, err := k.known(kid, algorithm)
	if err == nil && time.Since(k.loaded) < refreshKeys {
		k.mu.Unlock()
		return out, nil
	}
	if k.running == nil && (k.tried.IsZero() || time.Since(k.tried) >= retryKeys) {
		k.begin()
	}
	running := k.running
	k.mu.Unlock()
	if err == nil || running == nil {
		return out, err
	}
	select {
	case <-running:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known(kid, algorithm)
}

// known looks among the keys that are there.
func (k *fetchedKeys) known(kid string, algorithm jose.SignatureAlgorithm) ([]any, error) {
	if k.loaded.IsZero() || time.Since(k.loaded) >= forgetKeys {
		return nil, errNoKeys
	}
	if out := k.keys.fitting(kid, algorithm); len(out) > 0 {
		return out, nil
	}
	return nil, errJWTKey
}

// begin starts a fetch. k.mu is held.
func (k *fetchedKeys) begin() {
	k.tried, k.running = time.Now(), make(chan struct{})
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
		defer cancel()
		keys, err := k.fetch(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.err = err
		if err != nil {
			k.logger.Error("the keys of JWTs cannot be fetched; what was fetched before stays in use for a day", "issuer", k.issuer, "error", err.Error())
		} else {
			k.keys, k.loaded = keys, time.Now()
			k.logger.Info("the keys of JWTs were fetched", "issuer", k.issuer, "keys", len(keys))
		}
		close(k.running)
		k.running = nil
	}()
}

// renew begins a fetch unless one is under way.
func (k *fetchedKeys) renew() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.begin()
	}
}

// check waits for the fetch that is under way, and returns the error of the latest one.
func (k *fetchedKeys) check(ctx context.Context) error {
	k.mu.Lock()
	running := k.running
	k.mu.Unlock()
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}
