package hdfsstore

import (
	"context"
	"errors"
	"path"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/remote"
)

// errOption marks what no other attempt changes.
var errOption error = errs.ErrOption

// Client reaches clusters. Its methods may be called concurrently.
type Client struct {
	o    Options
	host *remote.Host
	dial func(authority string) (namesystem, error)

	mu       sync.Mutex
	clusters map[string]*cluster // by authority
}

// New returns a client; nothing is asked of anybody yet.
func New(o Options) *Client {
	if o.Retry.Attempts <= 0 {
		o.Retry.Attempts = 6
	}
	if o.Retry.Wait <= 0 {
		o.Retry.Wait = 500 * time.Millisecond
	}
	if o.Retry.Stall <= 0 {
		o.Retry.Stall = time.Minute
	}
	o.Retry = o.Retry.WithDefaults()
	c := &Client{o: o, host: remote.NewHost(o.Requests), clusters: map[string]*cluster{}}
	c.dial = func(authority string) (namesystem, error) {
		co, err := c.o.clientOptions(authority)
		if err != nil {
			return nil, err
		}
		h, err := hdfs.NewClient(co)
		if err != nil {
			return nil, err
		}
		return client{h, co.KerberosClient}, nil
	}
	return c
}

// Stop ends reads that are under way, and those to come.
func (c *Client) Stop() { c.host.Stop() }

// Close lets go of all connections. What was opened must be closed before.
func (c *Client) Close() error {
	c.host.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []error
	for _, cl := range c.clusters {
		all = append(all, cl.close())
	}
	return errors.Join(all...)
}

func (c *Client) cluster(authority string) *cluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	cl := c.clusters[authority]
	if cl == nil {
		cl = &cluster{o: &c.o, dial: func() (namesystem, error) { return c.dial(authority) }}
		c.clusters[authority] = cl
	}
	return cl
}

// Stat returns what is at a URL.
func (c *Client) Stat(ctx context.Context, url string) (arrowio.TreeEntry, error) {
	l, err := parse(url)
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	var e arrowio.TreeEntry
	err = c.cluster(l.authority).do(ctx, "open", url, func(ns namesystem) error {
		fi, err := ns.Stat(l.path)
		if err == nil {
			e = entryOf(fi)
			e.Name = path.Base(l.path)
		}
		return err
	})
	return e, err
}
