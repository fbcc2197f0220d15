package workers

import "context"

// Ahead makes things that a caller takes in order, some before they are taken: where making one means waiting for another machine. One
// goroutine at a time uses it.
type Ahead[T any] struct {
	// Make makes the thing of a number. It is called in several goroutines, once a number.
	Make func(ctx context.Context, i int) (T, error)
	// Want reports whether the thing of a number may be made before it is taken; nil = all may.
	Want func(i int) bool
	// Drop gives up a thing that was made and not taken.
	Drop func(T)
	N    int // how many things there are
	Most int // how many are made, or being made, beyond the one that is taken

	ctx    context.Context // of what is made in advance; nil = nothing was
	cancel context.CancelFunc
	coming map[int]*made[T]
	next   int // the first that was not looked at
}

type made[T any] struct {
	wait  func() error
	thing T
}

// Take returns the thing of a number, which must be larger than that of the call before, with nothing between them that Want is true for, and has some of those that follow made. The first
// thing that is taken is made alone: often it is enough, or its error ends everything. A panic is an error, as Guard makes it.
func (a *Ahead[T]) Take(ctx context.Context, i int) (thing T, err error) {
	if a.next > 0 {
		a.start(ctx, i)
	}
	a.next = max(a.next, i+1)
	if m := a.coming[i]; m != nil {
		delete(a.coming, i)
		if err := m.wait(); err != nil {
			return thing, err
		}
		return m.thing, nil
	}
	err = Guard(func() (err error) {
		thing, err = a.Make(ctx, i)
		return err
	})
	return thing, err
}

// start begins to make things, that of number i among them.
func (a *Ahead[T]) start(ctx context.Context, i int) {
	for a.next = max(a.next, i); a.next < a.N && len(a.coming) <= a.Most; a.next++ {
		k := a.next
		if a.Want != nil && !a.Want(k) {
			continue
		}
		if a.ctx == nil {
			a.ctx, a.cancel = context.WithCancel(ctx)
			a.coming = map[int]*made[T]{}
		}
		m := &made[T]{}
		m.wait = Go(func() (err error) {
			m.thing, err = a.Make(a.ctx, k)
			return err
		})
		a.coming[k] = m
	}
}

// Stop drops what was not taken, when it has been made or has given up. What was taken may no longer use its context.
func (a *Ahead[T]) Stop() {
	if a.ctx == nil {
		return
	}
	a.cancel()
	for _, m := range a.coming {
		if m.wait() == nil {
			a.Drop(m.thing)
		}
	}
	a.ctx, a.coming = nil, nil
}
