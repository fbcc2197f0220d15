package hdfsstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/remote"
)

// output is a transaction on a path.
//
//	/data/out.trv                      the output; untouched until Commit
//	/data/.out.trv.k3f9a2.tmp/         work: the files under their names, until Commit renames one of them, or all of it
//	/data/.out.trv.p07b1c.old          what Force replaces, for the moment between two renames
type output struct {
	c *Client
	l location
	o local.FileStoreOptions

	mu    sync.Mutex
	work  string // "" until the first Create
	sinks []*sink
	done  bool
}

const (
	sinkBuffer = 256 << 10
	finishTime = time.Minute
	giveUpTime = 30 * time.Second
	commitTime = 5 * time.Minute
	longName   = 200 // of the 255 bytes that a name may have
)

var errOutputDone = errors.New("the output is committed or given up already")

// Create opens a transaction that will put one file at url, or several, or with o.Directory any number, into a new
// directory there. Nothing is there before Commit, which renames. What local.NewFileStore says of what exists holds here
// too, but for one thing: renaming replaces, so that of two programs that write the same output at the same moment one replaces the
// other's. CreateNew does not.
func (c *Client) Create(ctx context.Context, url string, o local.FileStoreOptions) (arrowio.Store, error) {
	l, err := parse(url)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(url, "/") {
		o.Directory = true
	}
	if l.path == "/" {
		return nil, errs.Errorf(errs.ErrOption, "%s is the root of the file system: name a path for the output", url)
	}
	out := &output{c: c, l: l, o: o}
	if _, err := out.present(ctx, o.Directory); err != nil {
		return nil, err
	}
	parent, err := c.Stat(ctx, l.with(path.Dir(l.path)))
	if err != nil {
		return nil, err
	}
	if !parent.Dir {
		return nil, &fs.PathError{Op: "create", Path: url, Err: errors.New("its parent is not a directory")}
	}
	return out, nil
}

func (t *output) do(ctx context.Context, op string, f func(ns namesystem) error) error {
	return t.c.cluster(t.l.authority).do(ctx, op, t.l.String(), f)
}

// present returns what is at the path now (nil = nothing), or why that must stay. directory tells what the output is.
func (t *output) present(ctx context.Context, directory bool) (*arrowio.TreeEntry, error) {
	e, err := t.c.Stat(ctx, t.l.String())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	o := local.FileStoreOptions{Force: t.o.Force, Directory: directory}
	if err := o.CheckExisting(t.l.String(), e.Dir); err != nil {
		return nil, err
	}
	if e.Dir {
		if err := t.ours(ctx, t.l.path); err != nil {
			return nil, err
		}
	}
	return &e, nil
}

// ours returns an error for a directory that holds anything but output of this module.
func (t *output) ours(ctx context.Context, dir string) error {
	tree := &tree{t.c, location{t.l.authority, dir}}
	_, err := local.OutputNames(func(dir string) ([]arrowio.TreeEntry, error) { return tree.List(ctx, dir) }, false)
	return errs.Locate(err, errs.At{File: t.l.String()})
}

// hidden returns a new name beside the output.
func (t *output) hidden(suffix string) string {
	base := path.Base(t.l.path)
	if len(base) > longName {
		base = strings.ToValidUTF8(base[:longName], "")
	}
	return path.Join(path.Dir(t.l.path), fmt.Sprintf(".%s.%010x.%s", base, rand.Uint64()>>24, suffix))
}

func (t *output) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if name == "." || !fs.ValidPath(name) || strings.Contains(name, ":") {
		return nil, errs.Errorf(errs.ErrInternal, "%q is not a legal object name", name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return nil, errOutputDone
	}
	if t.work == "" {
		work := t.hidden("tmp")
		if err := t.do(ctx, "create", func(ns namesystem) error { return ns.Mkdir(work) }); err != nil {
			return nil, err
		}
		t.work = work
	}
	if len(t.sinks) == 1 && !t.o.Directory { // it will be a directory
		if _, err := t.present(ctx, true); err != nil {
			return nil, err
		}
	}
	k := &sink{t: t, ctx: ctx, name: name, at: path.Join(t.work, name), open: true}
	err := t.do(ctx, "create", func(ns namesystem) (err error) {
		if strings.Contains(name, "/") {
			if err := ns.Mkdir(path.Dir(k.at)); err != nil {
				return err
			}
		}
		k.block, k.chunk, err = ns.Blocks()
		return err
	})
	if err != nil {
		return nil, err
	}
	k.w = bufio.NewWriterSize(flow{k}, sinkBuffer)
	t.sinks = append(t.sinks, k)
	return k, nil
}

// Scratch opens a file on this machine.
func (t *output) Scratch() (arrowio.ScratchFile, error) { return local.NewMemStore().Scratch() }

func (t *output) Commit() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return errOutputDone
	}
	for _, k := range t.sinks {
		if k.err != nil {
			return k.err
		}
		if k.open {
			return errs.Errorf(errs.ErrInternal, "commit before %s is closed", k.name)
		}
	}
	if len(t.sinks) == 0 && !t.o.Directory {
		return errs.Errorf(errs.ErrInternal, "commit of an output with no object")
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	return t.publish(ctx)
}

// publish renames the finished files to the path. Where it fails with t.done unset, nothing has changed; with t.done set
// the output is there, and the error tells what is wrong beside it.
func (t *output) publish(ctx context.Context) error {
	if t.work == "" { // an empty directory
		work := t.hidden("tmp")
		if err := t.do(ctx, "create", func(ns namesystem) error { return ns.Mkdir(work) }); err != nil {
			return err
		}
		t.work = work
	}
	single := len(t.sinks) == 1 && !t.o.Directory
	from := t.work
	if single {
		from = path.Join(t.work, t.sinks[0].name)
	}
	was, err := t.present(ctx, !single)
	if err != nil {
		return err
	}
	aside := ""
	if was != nil && was.Dir { // one rename replaces files only
		aside = t.hidden("old")
		if err := t.rename(ctx, t.l.path, aside); err != nil {
			return err
		}
		err = t.ours(ctx, aside) // once more, now that it has another name
	}
	if err == nil {
		err = t.rename(ctx, from, t.l.path)
	}
	if err != nil {
		if aside != "" {
			err = errors.Join(err, t.rename(ctx, aside, t.l.path))
		}
		return err
	}
	t.done = true
	if single {
		_ = t.remove(ctx, t.work) // what is left is empty; the output is complete whether it goes or not
	}
	if aside != "" {
		if err := t.remove(ctx, aside); err != nil {
			return fmt.Errorf("%s is complete, but what it replaced is left in %s: %w", t.l, t.l.with(aside), err)
		}
	}
	return nil
}

// rename is tried once: who asks again after an answer that got lost would not find what it renamed.
func (t *output) rename(ctx context.Context, from, to string) error {
	ns, err := t.c.cluster(t.l.authority).connect()
	if err == nil {
		err = ns.Rename(from, to)
	}
	if err == nil {
		return nil
	}
	if isTransient(err) { // was it obeyed?
		there, e1 := t.exists(ctx, to)
		gone, e2 := t.exists(ctx, from)
		if e1 == nil && e2 == nil && there && !gone {
			return nil
		}
	}
	return remote.Wrap("rename", t.l.String(), classify(err))
}

// Remove removes the file at url, or a directory that is empty.
func (c *Client) Remove(ctx context.Context, url string) error {
	l, err := parse(url)
	if err != nil {
		return err
	}
	return c.cluster(l.authority).do(ctx, "remove", l.String(), func(ns namesystem) error { return ns.Remove(l.path) })
}

// MakeDirectory makes a directory, and those that it is in.
func (c *Client) MakeDirectory(ctx context.Context, url string) error {
	l, err := parse(url)
	if err != nil {
		return err
	}
	return c.cluster(l.authority).do(ctx, "mkdir", l.String(), func(ns namesystem) error { return ns.Mkdir(l.path) })
}

func (t *output) exists(ctx context.Context, path string) (bool, error) {
	_, err := t.c.Stat(ctx, t.l.with(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (t *output) remove(ctx context.Context, path string) error {
	return t.do(ctx, "remove", func(ns namesystem) error { return ns.RemoveAll(path) })
}

func (t *output) Abort() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return nil
	}
	t.done = true
	for _, k := range t.sinks {
		if k.f != nil {
			_ = k.f.Close() // it is removed with the directory that it is in
		}
		if k.open {
			k.f, k.open, k.err = nil, false, errOutputDone
		}
	}
	if t.work == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), giveUpTime)
	defer cancel()
	return t.remove(ctx, t.work)
}

// sink writes one file, which is created when the first bytes go to the cluster. Errors are sticky: after the first, every call
// returns it, and so does Commit.
type sink struct {
	t     *output
	ctx   context.Context
	name  string
	at    string         // the path
	block int64          // bytes of the file's blocks
	chunk int64          // they are a multiple of it
	f     io.WriteCloser // nil = not created yet, or closed
	w     *bufio.Writer
	begun bool // something was written
	open  bool // it is not closed
	err   error
}

// flow is a sink below its buffer.
type flow struct{ *sink }

func (k flow) Write(p []byte) (int, error) {
	if k.create(); k.err != nil {
		return 0, k.err
	}
	return k.f.Write(p)
}

// create creates the file, unless that was done or tried.
func (k *sink) create() {
	if k.f == nil && k.err == nil {
		k.err = k.t.do(k.ctx, "create", func(ns namesystem) (err error) {
			k.f, err = ns.Create(k.at, k.block)
			return err
		})
	}
}

// BlockBytes returns the size of the file's blocks.
func (k *sink) BlockBytes() int64 { return k.block }

// SetBlockBytes asks for blocks of n bytes, or a few more: their sizes are multiples of what a checksum is of. What is less than
// the least size of the namenode (dfs.namenode.fs-limits.min-block-size) is refused by it when the file is created.
func (k *sink) SetBlockBytes(n int64) error {
	if k.begun || !k.open {
		return errs.Errorf(errs.ErrInternal, "the size of blocks is chosen before the first byte is written")
	}
	chunk := max(k.chunk, 1)
	if n <= 0 || n > math.MaxInt64-chunk {
		return errs.Errorf(errs.ErrInternal, "blocks of %d bytes", n)
	}
	k.block = (n + chunk - 1) / chunk * chunk
	return nil
}

func (k *sink) Write(p []byte) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	if !k.open {
		return 0, fs.ErrClosed
	}
	k.begun = true
	n, err := k.w.Write(p)
	k.fail(err)
	return n, k.err
}

func (k *sink) fail(err error) {
	if err != nil && k.err == nil {
		k.err = remote.Wrap("write", k.t.l.String(), classify(err))
	}
}

func (k *sink) Close() error {
	if !k.open {
		return k.err
	}
	if k.err == nil {
		k.fail(k.w.Flush())
	}
	k.create() // a file without a byte
	if k.err == nil {
		k.fail(finish(k.f, finishTime))
	} else if k.f != nil {
		_ = k.f.Close() // the first error tells more
	}
	k.f, k.w, k.open = nil, nil, false
	return k.err
}
