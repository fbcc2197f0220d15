package main

import (
	"context"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
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
	l := &leased{fragment: i, file: shown, users: 1}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = append(b.open, l)
	return l, nil
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
