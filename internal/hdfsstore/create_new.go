package hdfsstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/google/uuid"

	"github.com/arrowio/arrowio/internal/remote"
)

// CreateNew makes the file at url with a content, whole, if there is none: otherwise the error is fs.ErrExist, also if several try at the same
// time. The file is written beside it and renamed, which the namenode refuses if the name exists. remote.ErrUnavailable = nobody knows
// whether the file was made.
func (c *Client) CreateNew(ctx context.Context, url string, content []byte) error {
	l, err := parse(url)
	if err != nil {
		return err
	}
	from := path.Join(path.Dir(l.path), "."+path.Base(l.path)+"."+uuid.NewString()+".tmp")
	cl := c.cluster(l.authority)
	err = cl.do(ctx, "create", url, func(ns namesystem) error { return writeWhole(ns, from, content) })
	if err == nil {
		err = c.renameNew(ctx, l, from)
	}
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTime)
		defer cancel()
		// Whatever becomes of a request that is still on its way, it finds nothing to rename.
		_ = cl.do(ctx, "remove", url, func(ns namesystem) error { return ns.RemoveAll(from) })
	}
	return err
}

var errLost = errors.New("the namenode did not say whether it has made the file")

// writeWhole makes a file, in place of what an earlier attempt has left.
func writeWhole(ns namesystem, name string, content []byte) error {
	if err := ns.RemoveAll(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	block, _, err := ns.Blocks()
	if err != nil {
		return err
	}
	w, err := ns.Create(name, block)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return errors.Join(err, w.Close())
	}
	return finish(w, finishTime)
}

// renameNew gives a file that only this call knows its name. Asking again is safe: who finds the file gone was obeyed before.
func (c *Client) renameNew(ctx context.Context, l location, from string) error {
	cl, sent := c.cluster(l.authority), false
	p := c.o.Retry
	attempts, err := p.Retry(ctx, func() (int64, bool, error) {
		ns, err := cl.connect()
		if err != nil {
			return 0, isTransient(err), err
		}
		again := sent
		sent = true
		err = interpret(ns.RenameNew(from, l.path))
		if err != nil && again {
			switch _, gone := ns.Stat(from); {
			case errors.Is(gone, fs.ErrNotExist):
				return 0, false, nil
			case gone != nil: // what err says may be about what an earlier request did
				return 0, true, fmt.Errorf("%w: %w", errLost, gone)
			}
		}
		return 0, isTransient(err), err
	})
	if err == nil {
		return nil
	}
	why := classify(err)
	why.Attempts = attempts
	if sent && (ctx.Err() != nil || errors.Is(err, errLost)) { // a request may have been obeyed, or may be yet
		why.Is, why.Err = remote.ErrUnavailable, fmt.Errorf("%w: %w", errLost, err)
	}
	return remote.Wrap("create", l.String(), why)
}
