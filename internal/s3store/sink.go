package s3store

import (
	"bufio"
	"context"
	"crypto/md5" //nolint:gosec // what S3 calls an ETag
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/remote"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	sinkBuffer  = 256 << 10
	growEvery   = 1000 // parts are twice as large after so many: an upload has 10 000 at most
	partsAhead  = 2    // of one object, on their way while another is filled
	largestPart = 5 << 30
	largestCopy = 5 << 30 // in one request
	emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

// sink takes the bytes of one object: into a part, which is a file on this machine, and from there to the store, while the
// next one is filled. So an object takes little memory, however many there are.
type sink struct {
	st         *store
	name       string // below the output
	key, final string // where it is uploaded to, and where it goes
	size       int64  // of the parts now

	ctx    context.Context // of the uploads: ends with that of Create, and with the store
	cancel context.CancelFunc
	unhook func() bool

	part   *part // being filled; nil = none
	w      *bufio.Writer
	total  int64
	closed bool
	err    error // the first; every later call returns it

	upload  string // "" before the first part
	started int    // parts
	wg      sync.WaitGroup
	ahead   chan struct{}
	visible []string // keys, of a commit that is under way

	mu    sync.Mutex
	parts []minio.CompletePart // that are uploaded
	fault error                // of an upload
}

// part is a stretch of the object on its way, in a file of its own.
type part struct {
	f arrowio.ScratchFile
	n int64
}

func (k *sink) Write(p []byte) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	if k.closed {
		return 0, fs.ErrClosed
	}
	n := 0
	for len(p) > 0 {
		if err := k.room(); err != nil {
			return n, k.fail(err)
		}
		m, err := k.w.Write(p[:min(int64(len(p)), k.size-k.part.n)])
		k.part.n += int64(m)
		k.total += int64(m)
		n += m
		if err != nil {
			return n, k.fail(err)
		}
		p = p[m:]
	}
	return n, nil
}

func (k *sink) fail(err error) error {
	if k.err == nil {
		k.err = err
	}
	return k.err
}

// room makes sure that there is a part with room.
func (k *sink) room() error {
	if k.part != nil && k.part.n == k.size {
		if err := k.send(); err != nil {
			return err
		}
	}
	if k.part != nil {
		return nil
	}
	f, err := newScratch()
	if err != nil {
		return err
	}
	k.part = &part{f: f}
	if k.w == nil {
		k.w = bufio.NewWriterSize(f, sinkBuffer)
	} else {
		k.w.Reset(f)
	}
	return nil
}

// send begins to upload the part that is filled.
func (k *sink) send() error {
	if err := k.w.Flush(); err != nil {
		return err
	}
	k.mu.Lock()
	fault := k.fault
	k.mu.Unlock()
	if fault != nil {
		return fault
	}
	ctx := k.ctx
	if k.upload == "" {
		id, err := k.st.s.api.NewMultipartUpload(ctx, k.st.l.bucket, k.key, minio.PutObjectOptions{})
		if err != nil {
			return k.trouble(err)
		}
		k.upload, k.ahead = id, make(chan struct{}, partsAhead)
	}
	p := k.part
	k.part = nil
	k.started++
	number := k.started
	if number%growEvery == 0 {
		k.size = min(2*k.size, largestPart)
	}
	select {
	case k.ahead <- struct{}{}:
	case <-ctx.Done():
		return errors.Join(ctx.Err(), p.f.Close())
	}
	k.wg.Add(1)
	go func() {
		defer k.wg.Done()
		defer func() { <-k.ahead }()
		err := workers.Guard(func() error { return k.put(ctx, p, number) })
		if e := p.f.Close(); err == nil {
			err = e
		}
		if err != nil {
			k.mu.Lock()
			defer k.mu.Unlock()
			if k.fault == nil {
				k.fault = err
			}
		}
	}()
	return nil
}

// put uploads a part, when there is room for it among those of the output.
func (k *sink) put(ctx context.Context, p *part, number int) error {
	select {
	case k.st.slots <- struct{}{}:
		defer func() { <-k.st.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	sum := md5.New() //nolint:gosec // what S3 checks a part by
	if _, err := io.Copy(sum, io.NewSectionReader(p.f, 0, p.n)); err != nil {
		return err
	}
	o := minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum.Sum(nil)), DisableContentSha256: true}
	var got minio.ObjectPart
	attempts, err := k.st.c.o.Retry.Retry(ctx, func() (_ int64, again bool, err error) {
		// A reader for each attempt: of one that was answered early a part may still be on its way.
		got, err = k.st.s.once.PutObjectPart(ctx, k.st.l.bucket, k.key, k.upload, number,
			io.NewSectionReader(p.f, 0, p.n), p.n, o)
		if err != nil {
			_, again = k.st.s.classify(err)
		}
		return 0, again, err
	})
	if err != nil {
		f, _ := k.st.s.classify(err)
		f.Attempts = attempts
		return remote.Wrap("write", k.st.l.with(k.key), f)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.parts = append(k.parts, minio.CompletePart{PartNumber: number, ETag: got.ETag})
	return nil
}

func (k *sink) trouble(err error) error {
	return k.st.s.fail("write", k.st.l.with(k.key), err)
}

// Close uploads what is left and waits for all of it.
func (k *sink) Close() error {
	if k.closed {
		return k.err
	}
	k.closed = true
	defer k.unhook()
	if k.part != nil && k.err == nil {
		k.err = k.send()
	}
	k.wg.Wait()
	if k.err == nil {
		k.err = k.fault
	}
	k.drop()
	return k.err
}

// drop gives up what is not sent.
func (k *sink) drop() {
	if k.part != nil {
		_ = k.part.f.Close() // its content is not needed any more
		k.part = nil
	}
}

// abort tells the store to forget the upload.
func (k *sink) abort(ctx context.Context) error {
	k.closed = true
	if k.err == nil {
		k.err = errStoreDone
	}
	k.unhook()
	k.cancel()
	k.wg.Wait()
	k.drop()
	if k.upload == "" {
		return nil
	}
	err := k.st.s.api.AbortMultipartUpload(ctx, k.st.l.bucket, k.key, k.upload)
	if r, ok := asResponse(err); ok && r.Code == minio.NoSuchUpload {
		return nil
	}
	if err != nil {
		return k.trouble(err)
	}
	return nil
}

// complete makes the object visible under its key.
func (k *sink) complete(ctx context.Context, was old) error {
	var o minio.PutObjectOptions
	if !k.st.o.Force {
		o.SetMatchETagExcept("*") // where the store knows it; the others were asked just now
	}
	b := k.st.l.bucket
	if k.upload == "" { // an empty object
		o.DisableContentSha256 = true // it is known
		if _, err := k.st.s.api.PutObject(ctx, b, k.key, strings.NewReader(""), 0, "", emptySHA256, o); err != nil {
			return k.exists(err)
		}
		k.visible = append(k.visible, k.key)
		return nil
	}
	slices.SortFunc(k.parts, func(a, b minio.CompletePart) int { return a.PartNumber - b.PartNumber })
	_, err := k.st.s.api.CompleteMultipartUpload(ctx, b, k.key, k.upload, k.parts, o)
	if r, ok := asResponse(err); ok && r.Code == minio.NotImplemented && !k.st.o.Force {
		_, err = k.st.s.api.CompleteMultipartUpload(ctx, b, k.key, k.upload, k.parts, minio.PutObjectOptions{})
	}
	if err != nil && !k.isThere(ctx, was, err) {
		return k.exists(err)
	}
	k.upload = ""
	k.visible = append(k.visible, k.key)
	return nil
}

// exists says what a condition that does not hold is about.
func (k *sink) exists(err error) error {
	if f, _ := k.st.s.classify(err); errors.Is(f.Is, remote.ErrChanged) {
		return &fs.PathError{Op: "create", Path: k.st.l.with(k.key), Err: fs.ErrExist}
	}
	return k.trouble(err)
}

// isThere tells whether a request was obeyed whose answer got lost: tried again, it finds no upload any more, or an object
// where none should be.
func (k *sink) isThere(ctx context.Context, was old, err error) bool {
	r, ok := asResponse(err)
	if !ok || r.Code != minio.NoSuchUpload && r.Code != minio.PreconditionFailed {
		return false
	}
	i, err := k.st.s.api.StatObject(ctx, k.st.l.bucket, k.key, minio.StatObjectOptions{})
	if err != nil || i.Size != k.total {
		return false
	}
	before := was.keys[k.key]
	if k.key == k.st.l.key {
		before = was.etag
	}
	return i.ETag == k.etag() || r.Code == minio.NoSuchUpload && i.ETag != before
}

// etag is what stores call an object of these parts, unless they encrypt it.
func (k *sink) etag() string {
	h := md5.New() //nolint:gosec // see above
	for _, p := range k.parts {
		b, err := hex.DecodeString(strings.Trim(p.ETag, `"`))
		if err != nil {
			return ""
		}
		h.Write(b)
	}
	return fmt.Sprintf("%x-%d", h.Sum(nil), len(k.parts))
}

// move has the store copy an object to its place below the output, and removes it where it was.
func (k *sink) move(ctx context.Context) error {
	b := k.st.l.bucket
	to, from := minio.CopyDestOptions{Bucket: b, Object: k.final}, minio.CopySrcOptions{Bucket: b, Object: k.key}
	var err error
	if k.total <= largestCopy {
		_, err = k.st.s.api.Client.CopyObject(ctx, to, from)
	} else {
		_, err = k.st.s.api.ComposeObject(ctx, to, from)
	}
	if err != nil {
		return k.trouble(err)
	}
	k.visible = append(k.visible, k.final)
	if err := k.st.s.api.RemoveObject(ctx, b, k.key, minio.RemoveObjectOptions{}); err != nil {
		return k.trouble(err)
	}
	k.visible = slices.DeleteFunc(k.visible, func(key string) bool { return key == k.key })
	return nil
}
