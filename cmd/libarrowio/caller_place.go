package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/remote"
)

// callerPlace is a store whose files the caller of the library reads: a file system of Python. What it wants to know it asks
// as questions, which threads of the caller take and answer. So no thread of Go ever enters the caller's language, and what
// is given up does not wait for an answer.
type callerPlace struct {
	questions
	host *remote.Host
}

var _ stores.Place = (*callerPlace)(nil)

func newCallerPlace() *callerPlace {
	return &callerPlace{questions: newQuestions(), host: remote.NewHost(0)}
}

// close ends what is asked, and what is answered. It may be called twice.
func (p *callerPlace) close() {
	p.host.Stop()
	p.questions.end()
}

// question is what is asked.
type question struct {
	Ask     string `json:"ask"` // stat, list or read
	URL     string `json:"url"`
	Version string `json:"version,omitempty"` // of the file that is read, as stat told it
	Off     int64  `json:"offset"`
	Len     int    `json:"length"`
}

// reply is the answer. The bytes of a read come beside it.
type reply struct {
	Error   *callerError  `json:"error"`
	Entry   *callerEntry  `json:"entry"`
	Entries []callerEntry `json:"entries"`
}

// callerEntry is a file or directory.
type callerEntry struct {
	Name    string `json:"name"`
	Dir     bool   `json:"dir"`
	Size    *int64 `json:"size"`     // null = not known
	ModTime *int64 `json:"modified"` // nanoseconds since 1970; null = not known
	Version string `json:"version"`  // the store's mark of the content; "" = there is none
}

func (e callerEntry) entry() arrowio.TreeEntry {
	out := arrowio.TreeEntry{Name: e.Name, Dir: e.Dir, Version: e.Version}
	if e.Size != nil && !e.Dir {
		out.Size = *e.Size
	}
	if e.ModTime != nil {
		out.ModTime = time.Unix(0, *e.ModTime).UTC()
	}
	return out
}

// identity stands for the content; "" = nothing shows a change.
func (e callerEntry) identity() string {
	if e.Version == "" && e.ModTime == nil {
		return ""
	}
	t := e.entry()
	return fmt.Sprintf("%d bytes at %d %q", t.Size, t.ModTime.UnixNano(), t.Version)
}

// look asks what is at a URL.
func (p *callerPlace) look(ctx context.Context, op, url string) (callerEntry, error) {
	r, err := p.ask(ctx, question{Ask: "stat", URL: url}, nil)
	switch {
	case err != nil:
		return callerEntry{}, failureOf(op, url, -1, err)
	case r.Entry == nil:
		return callerEntry{}, failureOf(op, url, -1, errs.Errorf(errs.ErrInternal, "nothing was said of it"))
	case !r.Entry.Dir && (r.Entry.Size == nil || *r.Entry.Size < 0):
		return callerEntry{}, failureOf(op, url, -1, errs.Errorf(errs.ErrUnsupported, "the file system does not tell how many bytes the file has: copy it to this machine"))
	}
	return *r.Entry, nil
}

func (p *callerPlace) Stat(ctx context.Context, url string) (arrowio.TreeEntry, error) {
	e, err := p.look(ctx, "stat", url)
	return e.entry(), err
}

func (p *callerPlace) Open(ctx context.Context, url string) (arrowio.OpenSource, error) {
	e, err := p.look(ctx, "open", url)
	if err != nil {
		return nil, err
	}
	if e.Dir {
		return nil, &fs.PathError{Op: "open", Path: url, Err: stores.ErrIsDirectory}
	}
	return remote.NewSource(p.host, remote.File{
		Name: url,
		Size: *e.Size,
		Fetch: func(ctx context.Context, dst []byte, off int64) error {
			_, err := p.ask(ctx, question{Ask: "read", URL: url, Version: e.identity(), Off: off, Len: len(dst)}, dst)
			if err != nil {
				return failureOf("read", url, off, err)
			}
			return nil
		},
		Identity: func(ctx context.Context) (string, error) {
			now, err := p.look(ctx, "stat", url)
			if err != nil {
				return "", err
			}
			id := now.identity()
			if id == "" {
				return "", errs.Errorf(errs.ErrUnsupported, "the file system does not tell when a file changes")
			}
			return id, nil
		},
	}), nil
}

func (p *callerPlace) Tree(url string) (arrowio.Tree, error) { return &callerTree{p, url}, nil }

// callerTree is a directory of a callerPlace.
type callerTree struct {
	p   *callerPlace
	top string
}

func (t *callerTree) Path(name string) string {
	if name == "" || strings.HasSuffix(t.top, "/") {
		return t.top + name
	}
	return t.top + "/" + name
}

func (t *callerTree) check(op, name string) error {
	if name != "" && (name == "." || !fs.ValidPath(name)) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return nil
}

func (t *callerTree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	if err := t.check("list", dir); err != nil {
		return nil, err
	}
	url := t.Path(dir)
	r, err := t.p.ask(ctx, question{Ask: "list", URL: url}, nil)
	if err != nil {
		return nil, failureOf("list", url, -1, err)
	}
	out := make([]arrowio.TreeEntry, len(r.Entries))
	for i, e := range r.Entries {
		if strings.Contains(e.Name, "/") || e.Name == "." || !fs.ValidPath(e.Name) {
			return nil, failureOf("list", url, -1, errs.Errorf(errs.ErrUnsupported, "the file system lists %q there, which is no name of a file", e.Name))
		}
		out[i] = e.entry()
	}
	slices.SortFunc(out, func(a, b arrowio.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func (t *callerTree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	if err := t.check("open", name); err != nil {
		return nil, err
	}
	return t.p.Open(ctx, t.Path(name))
}
