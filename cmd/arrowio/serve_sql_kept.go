//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/duckdb"
)

// keptFor and maxKept bound databases that have described a statement and wait for its client to have it run, which is faster than
// to open another.
const (
	keptFor = 5 * time.Second
	maxKept = 8
)

// keptDatabases are those. One is used again only by the client that it was opened for, for the same statement with the same values,
// and if that client may still name the same tables: nothing but its description has been asked of it.
type keptDatabases struct {
	mu    sync.Mutex
	all   []*keptDatabase // oldest first
	ended bool
}

type keptDatabase struct {
	key  string
	seen shown
	db   *duckdb.DB
	end  *time.Timer
}

// shown is what duckdb.Options say of what a statement may name, and of what is listed for it.
type shown struct {
	names   []string
	defined []duckdb.View
	list    bool
}

func (s shown) equal(t shown) bool {
	return s.list == t.list && slices.Equal(s.names, t.names) && slices.Equal(s.defined, t.defined)
}

// keptKey tells statements of clients apart; "" = the client is not known.
func keptKey(ctx context.Context, text string) string {
	c := flight.CallFrom(ctx)
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%q", append([]string{text, c.Client.Name}, c.Client.Roles...))
}

// take returns a database of a key, which is the caller's then; nil = there is none.
func (k *keptDatabases) take(key string, s shown) *duckdb.DB {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.all, func(d *keptDatabase) bool { return d.key == key && d.seen.equal(s) })
	if i < 0 {
		return nil
	}
	d := k.all[i]
	k.all = slices.Delete(k.all, i, i+1)
	d.end.Stop()
	return d.db
}

// put keeps a database, or closes it.
func (k *keptDatabases) put(key string, s shown, db *duckdb.DB) {
	d := &keptDatabase{key: key, seen: s, db: db}
	k.mu.Lock()
	var out []*keptDatabase
	if k.ended || key == "" {
		out = []*keptDatabase{d}
	} else {
		d.end = time.AfterFunc(keptFor, func() { k.drop(d) })
		k.all = append(k.all, d)
		n := max(0, len(k.all)-maxKept)
		out = slices.Clone(k.all[:n])
		k.all = slices.Delete(k.all, 0, n)
	}
	k.mu.Unlock()
	closeKept(out)
}

// drop closes a database that nobody has taken.
func (k *keptDatabases) drop(d *keptDatabase) {
	k.mu.Lock()
	i := slices.Index(k.all, d)
	if i >= 0 {
		k.all = slices.Delete(k.all, i, i+1)
	}
	k.mu.Unlock()
	if i >= 0 {
		d.db.Close()
	}
}

// close closes all, and keeps no more.
func (k *keptDatabases) close() {
	k.mu.Lock()
	all := k.all
	k.all, k.ended = nil, true
	k.mu.Unlock()
	closeKept(all)
}

func closeKept(all []*keptDatabase) {
	for _, d := range all {
		if d.end != nil {
			d.end.Stop()
		}
		d.db.Close()
	}
}
