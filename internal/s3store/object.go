package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/remote"
)

// tailBytes is how much of the end of an object comes with opening it: formats begin there.
const tailBytes = 64 << 10

// Stat returns what is at a URL: an object, or, where there is none or the URL ends in a slash, a directory, which is
// there when some key begins with it.
func (c *Client) Stat(ctx context.Context, url string) (arrowio.TreeEntry, error) {
	l, err := parse(url)
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	s, err := c.session(ctx)
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	if l.prefix() != l.key {
		o, err := s.api.StatObject(ctx, l.bucket, l.key, minio.StatObjectOptions{})
		if err == nil {
			return entryOf(o, l.key[strings.LastIndexByte(l.key, '/')+1:]), nil
		}
		if err = s.fail("open", url, err); !errors.Is(err, fs.ErrNotExist) {
			return arrowio.TreeEntry{}, err
		}
	}
	if err := s.statDirectory(ctx, l); err != nil {
		return arrowio.TreeEntry{}, err
	}
	return arrowio.TreeEntry{Name: strings.TrimSuffix(l.key[strings.LastIndexByte(strings.TrimSuffix(l.key, "/"), '/')+1:], "/"), Dir: true}, nil
}

func entryOf(o minio.ObjectInfo, name string) arrowio.TreeEntry {
	return arrowio.TreeEntry{Name: name, Size: o.Size, ModTime: o.LastModified, Version: o.ETag}
}

// statDirectory returns nil if some key begins with the location as a directory. A bucket without keys is one.
func (s *session) statDirectory(ctx context.Context, l location) error {
	for o := range s.list(ctx, l.bucket, minio.ListObjectsOptions{Prefix: l.prefix(), Recursive: true, MaxKeys: 1}) {
		if o.Err != nil {
			return s.fail("open", l.String(), o.Err)
		}
		return nil
	}
	if l.prefix() == "" {
		return ctx.Err()
	}
	return &fs.PathError{Op: "open", Path: l.String(), Err: fs.ErrNotExist}
}

// object is one that is open.
type object struct {
	c    *Client
	s    *session
	l    location
	etag string
	when time.Time // it was made
	size int64
}

// Open opens the object at a URL: with its last bytes, in one request. Where a directory is the error is
// remote.ErrIsDirectory. What is read later must still be of the same object.
func (c *Client) Open(ctx context.Context, url string) (*remote.Source, error) {
	l, err := parse(url)
	if err != nil {
		return nil, err
	}
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	if l.prefix() == l.key {
		return nil, c.noObject(ctx, s, l)
	}
	o := &object{c: c, s: s, l: l}
	var tail []byte
	f := remote.Failure{Off: -1}
	f.Attempts, err = c.o.Retry.Retry(ctx, func() (int64, bool, error) {
		var err error
		tail, err = o.begin(ctx)
		if err == nil {
			return 0, false, nil
		}
		_, again := s.classify(err)
		return 0, again, err
	})
	if err != nil {
		why, _ := s.classify(err)
		if errors.Is(why, fs.ErrNotExist) {
			if r, ok := asResponse(err); ok && r.Code != minio.NoSuchBucket {
				return nil, c.noObject(ctx, s, l)
			}
		}
		why.Attempts = f.Attempts
		return nil, remote.Wrap("open", url, why)
	}
	return remote.NewSource(c.host, remote.File{Name: url, Size: o.size, Tail: tail, Fetch: o.fetch, Identity: o.identity}), nil
}

// noObject is the error of opening what is no object.
func (c *Client) noObject(ctx context.Context, s *session, l location) error {
	if err := s.statDirectory(ctx, l); err != nil {
		return err
	}
	return &fs.PathError{Op: "open", Path: l.String(), Err: remote.ErrIsDirectory}
}

// begin asks for the end of the object, which tells its size, and which one it is.
func (o *object) begin(ctx context.Context) (tail []byte, err error) {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(0, -tailBytes); err != nil {
		return nil, err
	}
	buf := make([]byte, tailBytes)
	got, header, n, err := o.get(ctx, opts, buf)
	if r, ok := asResponse(err); ok && r.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil, o.beginWhole(ctx) // an empty object, or a store that wants the last bytes of a longer one only
	}
	if got == nil {
		return nil, err
	}
	o.etag, o.when = got.ETag, got.LastModified
	first, size, ok := contentRange(header)
	if !ok { // the whole of it was sent, and is left alone but for what came first
		first, size, buf = 0, got.Size, nil
	}
	if size < 0 {
		return nil, errRange
	}
	o.size = size
	if buf == nil {
		return nil, nil
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if int64(n) != size-first {
		return nil, io.ErrUnexpectedEOF
	}
	return buf[:n], nil
}

func (o *object) beginWhole(ctx context.Context) error {
	i, err := o.s.once.StatObject(ctx, o.l.bucket, o.l.key, minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	o.etag, o.when, o.size = i.ETag, i.LastModified, i.Size
	return nil
}

// identity asks which object is there now.
func (o *object) identity(ctx context.Context) (string, error) {
	i, err := o.s.api.StatObject(ctx, o.l.bucket, o.l.key, minio.StatObjectOptions{})
	if err != nil {
		return "", o.s.fail("open", o.l.String(), err)
	}
	return fmt.Sprintf("%s of %d bytes at %d", i.ETag, i.Size, i.LastModified.Unix()), nil
}

// fetch fills dst with the bytes at off. A request that breaks off is followed by one for what is missing.
func (o *object) fetch(ctx context.Context, dst []byte, off int64) error {
	done := 0
	var last error
	attempts, err := o.c.o.Retry.Retry(ctx, func() (int64, bool, error) {
		n, err := o.part(ctx, dst[done:], off+int64(done))
		done += n
		if err == nil {
			return 0, false, nil
		}
		last = err
		_, again := o.s.classify(err)
		return int64(n), again, err
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	f, _ := o.s.classify(last)
	f.Off, f.Attempts = off+int64(done), attempts
	return remote.Wrap("read", o.l.String(), f)
}

// errRange is about a store that does not do what all of this rests on.
var errRange = errors.New("the store does not answer with the range that was asked for")

// part makes one request for all of dst, and returns how much came.
func (o *object) part(ctx context.Context, dst []byte, off int64) (int, error) {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(off, off+int64(len(dst))-1); err != nil {
		return 0, err
	}
	var err error
	switch {
	case o.etag != "" && !strings.HasPrefix(o.etag, "W/"):
		err = opts.SetMatchETag(o.etag)
	case !o.when.IsZero():
		err = opts.SetUnmodified(o.when)
	}
	if err != nil {
		return 0, err
	}
	check := func(got *minio.ObjectInfo, header http.Header) error {
		if got.ETag != o.etag || o.etag == "" && !got.LastModified.Equal(o.when) {
			return remote.ErrChanged
		}
		first, size, ok := contentRange(header)
		switch {
		case ok && size >= 0 && size != o.size:
			return remote.ErrChanged
		case ok && first != off, !ok && (off > 0 || got.Size < int64(len(dst))):
			return errRange
		}
		return nil
	}
	_, _, n, err := o.getChecked(ctx, opts, dst, check)
	if err == io.EOF || err == nil && n < len(dst) {
		err = io.ErrUnexpectedEOF
	}
	if n == len(dst) {
		return n, nil
	}
	if r, ok := asResponse(err); ok && r.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		err = remote.ErrChanged // the object was that long
	}
	return n, err
}

// errStalled is the cause of a request that was given up because nothing came.
var errStalled = errors.New("no byte came in time")

// get makes one request and reads what it gives, up to the length of dst.
func (o *object) get(ctx context.Context, opts minio.GetObjectOptions, dst []byte) (*minio.ObjectInfo, http.Header, int, error) {
	return o.getChecked(ctx, opts, dst, func(*minio.ObjectInfo, http.Header) error { return nil })
}

// getChecked is get with a look at the header before anything is read. An error with an ObjectInfo is one of reading.
func (o *object) getChecked(ctx context.Context, opts minio.GetObjectOptions, dst []byte, check func(*minio.ObjectInfo, http.Header) error) (*minio.ObjectInfo, http.Header, int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := o.c.o.Retry.Stall
	timer := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer timer.Stop()
	body, got, header, err := o.s.once.GetObject(ctx, o.l.bucket, o.l.key, opts)
	if err != nil {
		return nil, nil, 0, cause(ctx, err)
	}
	defer body.Close()
	if err := check(&got, header); err != nil {
		return nil, nil, 0, err
	}
	n := 0
	for n < len(dst) {
		k, err := body.Read(dst[n:])
		n += k
		if err != nil {
			return &got, header, n, cause(ctx, err)
		}
		if k > 0 {
			timer.Reset(stall)
		}
	}
	return &got, header, n, nil
}

// cause puts the reason in the place of the error of a context that ended for it.
func cause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}

// contentRange reads "bytes FIRST-LAST/SIZE"; a size that is not told is -1.
func contentRange(h http.Header) (first, size int64, ok bool) {
	rest, ok := strings.CutPrefix(h.Get("Content-Range"), "bytes ")
	if !ok {
		return 0, 0, false
	}
	span, total, ok := strings.Cut(rest, "/")
	from, _, ok2 := strings.Cut(span, "-")
	if !ok || !ok2 {
		return 0, 0, false
	}
	first, err := strconv.ParseInt(from, 10, 64)
	if err != nil || first < 0 {
		return 0, 0, false
	}
	size, err = strconv.ParseInt(total, 10, 64)
	if err != nil || size < 0 {
		size = -1
	}
	return first, size, true
}
