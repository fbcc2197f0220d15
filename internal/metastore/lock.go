package metastore

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Lock is an exclusive lock of a table, which the metastore keeps for some minutes (metastore.txn.timeout) after the last call about it.
type Lock struct {
	c  *Client
	id int64
}

// States of locks.
const (
	lockAcquired = 1
	lockWaiting  = 2
)

// How long a lock is waited for, and how often it is asked for.
const (
	lockLongest = 3 * time.Minute
	lockFirst   = 50 * time.Millisecond
	lockSeldom  = 5 * time.Second
)

// Lock locks a table, which need not exist, in all catalogs that have one of this name. It waits for those who have locked it before.
func (c *Client) Lock(ctx context.Context, database, table string) (*Lock, error) {
	const exclusive, ofTable, noTransaction = 3, 2, 5
	component := (&Struct{}).setInt32(1, exclusive).setInt32(2, ofTable).setText(3, database).setText(4, table).setInt32(6, noTransaction)
	component.set(7, thrift.BOOL, false)
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	request := (&Struct{}).set(1, thrift.LIST, &list{of: thrift.STRUCT, values: []any{component}}).setText(3, userName()).setText(4, host).setText(5, "arrowio")
	l := &Lock{c: c}
	state, err := c.lockState(ctx, "lock", request, &l.id)
	wait := lockFirst
	for begun := time.Now(); err == nil && state != lockAcquired; {
		if state != lockWaiting || time.Since(begun) > lockLongest {
			err = fmt.Errorf("the metastore at %s gives no lock of table %s.%s, which somebody else has (state %d)", c.addr, database, table, state)
			break
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(wait):
			wait = min(2*wait, lockSeldom)
			state, err = l.state(ctx)
		}
	}
	if err != nil {
		if l.id != 0 {
			_ = l.Unlock(ctx) // it may be gone already
		}
		return nil, err
	}
	return l, nil
}

// userName is who locks, as others are told.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// lockState makes a call that answers with the state of a lock.
func (c *Client) lockState(ctx context.Context, method string, request *Struct, id *int64) (state int32, err error) {
	err = c.call(ctx, method, func(w *encoder) {
		w.structure(1, func() { w.whole(request) })
	}, func(d *decoder) {
		d.structure(func(field int16) {
			switch field {
			case 1:
				d.int64(id)
			case 2:
				d.int32(&state)
			}
		})
	})
	return state, err
}

func (l *Lock) request() *Struct { return (&Struct{}).set(1, thrift.I64, l.id) }

func (l *Lock) state(ctx context.Context) (int32, error) {
	var id int64
	return l.c.lockState(ctx, "check_lock", l.request(), &id)
}

// Held returns an error if the lock is held no more, and has the metastore keep it longer.
func (l *Lock) Held(ctx context.Context) error {
	state, err := l.state(ctx)
	if err == nil && state != lockAcquired {
		err = errs.Errorf(errs.ErrUnsupported, "the metastore at %s has taken the lock away (state %d)", l.c.addr, state)
	}
	return err
}

// Unlock lets others lock the table, whatever has become of ctx.
func (l *Lock) Unlock(ctx context.Context) error {
	return l.c.call(context.WithoutCancel(ctx), "unlock", func(w *encoder) {
		w.structure(1, func() { w.whole(l.request()) })
	}, nil)
}
