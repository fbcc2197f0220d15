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
	named    fs.FileInfo // the local file that had the name then; nil = it is not one
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
	err = fn(l.file)
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
	if err != nil {
		_ = f.Close() // it was not read
		return nil, inFile(fr.Name, err)
	}
	if l := b.leasedBefore(i); l != nil { // by another task, meanwhile
		_ = shown.Close() // it was not read
		return l, nil
	}
	l := &leased{fragment: i, file: shown, users: 1, named: localFile(fr.Name)}
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

// unchanged returns an error if another file has got the name of a file that is open.
func (b *browsed) unchanged(ctx context.Context, i int) error {
	return b.withFile(ctx, i, func(arrowio.File) error {
		l := b.leasedBefore(i)
		b.mu.Lock()
		defer b.mu.Unlock()
		l.users--
		name := b.ds.Fragments[i].Name
		if now := localFile(name); l.named != nil && (now == nil || !os.SameFile(l.named, now)) {
			return inFile(name, stores.ErrChanged)
		}
		return nil
	})
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
