//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include "planlimit.h"
import "C"

import (
	"context"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// leastPlanBytes is what a statement may take while it is planned, however small the memory of queries is.
const leastPlanBytes = 256 << 20

// largePart is what part of the memory of a plan only a value takes at once.
const largePart = 16

// planBytes bounds the memory of one statement while it is planned. DuckDB does not count it.
func (d *DB) planBytes() int64 {
	if d.o.Memory <= 0 {
		return math.MaxInt64
	}
	return max(d.o.Memory, leastPlanBytes)
}

// cut returns why parsing or planning was ended; nil = it was not.
func (d *DB) cut() error {
	d.mu.Lock()
	q := d.current
	d.mu.Unlock()
	if q != nil && q.ctx.Err() != nil {
		return context.Cause(q.ctx)
	}
	return d.tooLarge()
}

func (d *DB) tooLarge() error {
	if C.planlimit_full(d.limit) == 0 {
		return nil
	}
	most, largest := d.planBytes(), int64(C.planlimit_largest(d.limit))
	if largest > most/largePart {
		return errs.Errorf(errs.ErrLimit, "sql: the statement has a value that takes about %d bytes, and while it is planned it may take %d: functions of constants are run then; make shorter texts and lists, or fewer", largest, most)
	}
	return errs.Errorf(errs.ErrLimit, "sql: the plan of the statement takes more than %d bytes: select fewer columns, or use fewer subqueries", most)
}
