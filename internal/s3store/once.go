package s3store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/remote"
)

// CreateNew makes an object with a content, at once and only if there is none at url: otherwise the error is fs.ErrExist. Stores that cannot are
// errs.ErrUnsupported. remote.ErrUnavailable = the store may have made the object, or not.
func (c *Client) CreateNew(ctx context.Context, url string, content []byte) error {
	if err := c.CanCreateNew(ctx, url); err != nil {
		return err
	}
	l, err := parse(url)
	if err != nil {
		return err
	}
	s, err := c.session(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime) // nobody would know what came of it
	defer cancel()
	for try := 1; ; try++ {
		err := s.putNew(ctx, l, content)
		if err == nil {
			return nil
		}
		// A request whose answer got lost was perhaps made again, and found its own object.
		same, found := s.holds(ctx, l, content)
		switch {
		case same:
			return nil
		case found:
			return &fs.PathError{Op: "create", Path: url, Err: fs.ErrExist}
		case !errors.Is(err, errTaken):
			return s.fail("create", url, err)
		case try == takenTries: // by whom is not seen
			return &fs.PathError{Op: "create", Path: url, Err: remote.ErrUnavailable}
		}
		time.Sleep(takenWait)
	}
}

// Another request about the same object is answered in the meantime.
const (
	takenTries = 5
	takenWait  = 100 * time.Millisecond
)

// errTaken: the condition of a request does not hold, or another request is about the same object.
var errTaken = errors.New("there is an object already")

// putNew makes one request. The error is errTaken or the client's.
func (s *session) putNew(ctx context.Context, l location, content []byte) error {
	sum := sha256.Sum256(content)
	var o minio.PutObjectOptions
	o.SetMatchETagExcept("*")
	o.DisableContentSha256 = true // it is known
	_, err := s.api.PutObject(ctx, l.bucket, l.key, bytes.NewReader(content), int64(len(content)), "", hex.EncodeToString(sum[:]), o)
	if err == nil {
		return nil
	}
	if r, ok := asResponse(err); ok && (r.StatusCode == http.StatusPreconditionFailed || r.StatusCode == http.StatusConflict) {
		return errTaken
	}
	return err
}

// holds reports whether the object at l has a content, and whether there is one.
func (s *session) holds(ctx context.Context, l location, content []byte) (same, found bool) {
	r, _, _, err := s.api.GetObject(ctx, l.bucket, l.key, minio.GetObjectOptions{})
	if err != nil {
		return false, false
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(len(content))+1))
	if err = errors.Join(err, r.Close()); err != nil {
		return false, false
	}
	return bytes.Equal(b, content), true
}

// CanCreateNew returns an error if the store does not look at the condition of CreateNew. It makes an object beside url twice, once for each bucket,
// and removes it.
func (c *Client) CanCreateNew(ctx context.Context, url string) error {
	l, err := parse(url)
	if err != nil {
		return err
	}
	s, err := c.session(ctx)
	if err != nil {
		return err
	}
	c.dial.Lock()
	known := c.creates[l.bucket]
	c.dial.Unlock()
	if known {
		return nil
	}
	probe := l
	probe.key = path.Join(path.Dir(l.key), ".arrowio-"+uuid.NewString()+".tmp")
	if err = s.putNew(ctx, probe, nil); err == nil {
		err = s.putNew(ctx, probe, nil)
	}
	gone := s.api.RemoveObject(context.WithoutCancel(ctx), probe.bucket, probe.key, minio.RemoveObjectOptions{})
	r, answered := asResponse(err)
	switch {
	case err == nil:
		return refused(url, errors.New("it made an object a second time"))
	case answered && r.StatusCode == http.StatusNotImplemented:
		return refused(url, refusal{r})
	case !errors.Is(err, errTaken):
		return s.fail("create", url, err)
	case gone != nil:
		return s.fail("remove", probe.String(), gone)
	}
	c.dial.Lock()
	defer c.dial.Unlock()
	if c.creates == nil {
		c.creates = map[string]bool{}
	}
	c.creates[l.bucket] = true
	return nil
}

func refused(url string, why error) error {
	return errs.Errorf(errs.ErrUnsupported, "%w", &fs.PathError{Op: "create", Path: url, Err: fmt.Errorf("the store does not create an object only where there is none (If-None-Match): %w", why)})
}
