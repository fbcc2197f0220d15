package main

import (
	"context"
	"io/fs"
	"os"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// leased is a file of the dataset that is open, as the dataset shows it.
type leased struct {
	fragment int
	file     arrowio.File
	users    int
}

// mostOpen is how many files stay open though nothing reads them.
const mostOpen = 8

// withFile runs fn on a file of the dataset, which may have been open before.
func (b *browsed) withFile(ctx context.Context, i int, fn func(arrowio.File) error) error {
	done, err := b.use()
	if err != nil {
		return err
	}
	defer done()
	l, err := b.lease(ctx, i)
	if err != nil {
		return err
	}
	if err = fn(l.file); err == nil {
		err = b.isWhole(i, l.file)
	}
	err = inFile(b.ds.Fragments[i].Name, err)
	b.mu.Lock()
	defer b.mu.Unlock()
	l.users--
	for k := 0; len(b.open) > mostOpen && k < len(b.open); {
		if b.open[k].users > 0 {
			k++
			continue
		}
		_ = b.open[k].file.Close() // it was only read
		b.open = slices.Delete(b.open, k, k+1)
	}
	return b.ds.explain(err)
}

func (b *browsed) lease(ctx context.Context, i int) (*leased, error) {
	if l := b.leasedBefore(i); l != nil {
		return l, nil
	}
	fr := b.ds.Fragments[i]
	f, err := fr.Open(ctx)
	if err != nil {
		return nil, inFile(fr.Name, err)
	}
	shown, err := b.ds.Show(f)
	if err == nil {
		err = b.name(i)
	}
	if err != nil {
		_ = f.Close() // it was not read
		return nil, inFile(fr.Name, err)
	}
	if l := b.leasedBefore(i); l != nil { // by another task, meanwhile
		_ = shown.Close() // it was not read
		return l, nil
	}
	l := &leased{fragment: i, file: shown, users: 1}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = append(b.open, l)
	return l, nil
}

// localFile describes the local file of a name; nil = there is none.
func localFile(name string) fs.FileInfo {
	path, ok := stores.Local(name)
	if !ok {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// isNamed returns an error if another file has got the name of a file that is open.
func (b *browsed) isNamed(ctx context.Context, i int) error {
	return b.withFile(ctx, i, func(arrowio.File) error {
		now := localFile(b.ds.Fragments[i].Name)
		if then := b.namedOf(i); then != nil && (now == nil || !os.SameFile(then, now)) {
			return stores.ErrChanged
		}
		return nil
	})
}

// isWhole returns an error if a local file that is open was written to. Formats that are read from their beginning may have grown.
func (b *browsed) isWhole(i int, f arrowio.File) error {
	then, now := b.namedOf(i), localFile(b.ds.Fragments[i].Name)
	switch {
	case then == nil || now == nil || !os.SameFile(then, now): // it is the one that was opened which is read
	case streamed(f) && now.Size() > then.Size():
	case now.Size() != then.Size() || !now.ModTime().Equal(then.ModTime()):
		return stores.ErrChanged
	}
	return nil
}

// namedOf returns the local file that had the name when it was opened first; nil = it is not one.
func (b *browsed) namedOf(i int) fs.FileInfo {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.named[i]
}

// name notes which local file has the name of one that was opened, and returns an error if it was another one before.
func (b *browsed) name(i int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := localFile(b.ds.Fragments[i].Name)
	then, ok := b.named[i]
	if !ok {
		b.named[i] = now
		return nil
	}
	if b.ds.shared[i] == nil && then != nil && (now == nil || !os.SameFile(then, now)) {
		return stores.ErrChanged
	}
	return nil
}

// leasedBefore returns a file that is open; nil = it is not.
func (b *browsed) leasedBefore(i int) *leased {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := slices.IndexFunc(b.open, func(l *leased) bool { return l.fragment == i })
	if k < 0 {
		return nil
	}
	l := b.open[k]
	l.users++
	b.open = append(slices.Delete(b.open, k, k+1), l)
	return l
}
