package icebergtable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
	"github.com/arrowio/arrowio/internal/valueset"
)

// deleteFile is a delete file of a table.
type deleteFile struct {
	Path     string
	Format   string
	Rows     int64
	Equality []iceberg.Field // columns by whose values it deletes; nil = it deletes by positions
	Vector   *vector         // it is a deletion vector; nil = it is not

	users    int          // how many data files it is about
	nameless atomic.Int64 // rows without a path, which delete nothing, of a file of position deletes that was read

	mu        sync.Mutex
	refused   bool               // there is no room to hold all positions
	positions map[string][]int64 // by pathKey of the data file, if they are held; nil = they are not
}

// positionFields are the columns of position deletes.
var positionFields = []iceberg.Field{
	{ID: iceberg.PathID, Name: iceberg.PathName, Type: iceberg.Type{Kind: iceberg.String}},
	{ID: iceberg.PositionID, Name: iceberg.PositionName, Type: iceberg.Type{Kind: iceberg.Long}},
}

// held counts the rows of deletes that are held for all files of a table, and keeps the latest sets of values.
type held struct {
	most int // rows

	mu   sync.Mutex
	rows int
	sets []*heldSet // the latest last
}

// heldSet is the set of several delete files of the same columns.
type heldSet struct {
	key   string
	ready chan struct{}
	set   *valueset.Set
	err   error
}

// heldSets is how many sets of values are kept. Files of one partition, which follow one another, often have the same.
const heldSets = 4

// positionsOf returns the positions in a data file that are deleted, in no order. The caller owns the result.
func (t *table) positionsOf(ctx context.Context, d *deleteFile, key string) ([]int64, error) {
	only := func(k string) bool { return k == key }
	if d.users < 2 {
		found, err := t.loadPositions(ctx, d, only)
		return found[key], err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.positions == nil {
		if !d.refused && !t.held.take(d.Rows) {
			d.refused = true
		}
		if d.refused {
			found, err := t.loadPositions(ctx, d, only)
			return found[key], err
		}
		found, err := t.loadPositions(ctx, d, func(string) bool { return true })
		if err != nil {
			t.held.give(d.Rows)
			return nil, err
		}
		d.positions = found
	}
	return slices.Clone(d.positions[key]), nil
}

// give ends what take has reserved.
func (h *held) give(rows int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rows -= int(rows)
}

// take reserves room for rows of deletes; false = there is none.
func (h *held) take(rows int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if rows < 0 || rows > int64(h.most-h.rows) {
		return false
	}
	h.rows += int(rows)
	return true
}

// loadPositions reads the positions of the data files that are wanted.
func (t *table) loadPositions(ctx context.Context, d *deleteFile, want func(key string) bool) (map[string][]int64, error) {
	f, err := t.openFile(ctx, &file{Path: d.Path, Format: d.Format}, positionFields, nil)
	if err != nil {
		return nil, inDelete(d, err)
	}
	out := map[string]*[]int64{}
	rows, nameless := 0, int64(0)
	err = icebergfile.Scan(ctx, f, nil, func(rec arrow.Record) error {
		names, ok := rec.Column(0).(*array.String)
		at, ok2 := rec.Column(1).(*array.Int64)
		if !ok || !ok2 {
			return errs.Errorf(errs.ErrInternal, "columns %s and %s", rec.Column(0).DataType(), rec.Column(1).DataType())
		}
		var list *[]int64 // of the data file that is named; nil = it is not wanted
		last, begun := "", false
		holes := names.NullN() > 0 || at.NullN() > 0
		for i, p := range at.Int64Values() {
			if holes {
				if names.IsNull(i) { // it is about no file
					nameless++
					continue
				}
				if at.IsNull(i) {
					return corrupt("a delete about %s has no position", names.Value(i))
				}
			}
			if name := names.Value(i); !begun || name != last {
				last, begun = name, true
				list = listOf(out, pathKey(name), want)
			}
			if list == nil {
				continue
			}
			*list = append(*list, p)
			if rows++; rows > t.held.most {
				return errs.Errorf(errs.ErrLimit, "more than %d deleted rows; %w allows more", t.held.most, errs.Opt(optionDeletes, ""))
			}
		}
		return nil
	})
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, inDelete(d, err)
	}
	d.nameless.Store(nameless)
	by := make(map[string][]int64, len(out))
	for key, list := range out {
		by[key] = *list
	}
	return by, nil
}

// listOf returns the list of a data file, a new one where there is none; nil = it is not wanted.
func listOf(lists map[string]*[]int64, key string, want func(key string) bool) *[]int64 {
	list := lists[key]
	if list == nil && want(key) {
		list = new([]int64)
		lists[strings.Clone(key)] = list
	}
	return list
}

// inDelete says which delete file an error is about.
func inDelete(d *deleteFile, err error) error {
	return errs.Locate(err, errs.At{File: d.Path, Op: "delete file"})
}

// setOf returns the values of delete files of the same columns.
func (t *table) setOf(ctx context.Context, files []*deleteFile) (*valueset.Set, error) {
	var b strings.Builder
	for _, d := range files {
		fmt.Fprintf(&b, "%q ", d.Path)
	}
	h := &t.held
	h.mu.Lock()
	for _, s := range h.sets {
		if s.key == b.String() {
			h.mu.Unlock()
			select {
			case <-s.ready:
				return s.set, s.err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	s := &heldSet{key: b.String(), ready: make(chan struct{})}
	if len(h.sets) >= heldSets {
		h.sets = append(h.sets[:0], h.sets[1:]...)
	}
	h.sets = append(h.sets, s)
	h.mu.Unlock()
	s.set, s.err = t.loadSet(ctx, files)
	if s.err != nil { // the next may have more luck, as after a call that was cancelled
		h.mu.Lock()
		for i, x := range h.sets {
			if x == s {
				h.sets = append(h.sets[:i], h.sets[i+1:]...)
				break
			}
		}
		h.mu.Unlock()
	}
	close(s.ready)
	return s.set, s.err
}

// rowBytes is what is reckoned for a deleted row.
const rowBytes = 24

func (t *table) loadSet(ctx context.Context, files []*deleteFile) (*valueset.Set, error) {
	set, bytes := valueset.New(), 0
	for _, d := range files {
		f, err := t.openFile(ctx, &file{Path: d.Path, Format: d.Format}, d.Equality, nil)
		if err != nil {
			return nil, inDelete(d, err)
		}
		err = icebergfile.Scan(ctx, f, nil, func(rec arrow.Record) error {
			if bytes += set.Add(rec); bytes > rowBytes*t.held.most {
				return errs.Errorf(errs.ErrLimit, "values of deleted rows take more than %d bytes; %w allows more", rowBytes*t.held.most, errs.Opt(optionDeletes, ""))
			}
			return nil
		})
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, inDelete(d, err)
		}
	}
	return set, nil
}

// deletedIn returns the positions in a data file that its delete files name, in no order.
func (t *table) deletedIn(ctx context.Context, f *file, deletes []*deleteFile) ([]int64, error) {
	var positions []int64
	byColumns := map[string][]*deleteFile{}
	var order []string
	for _, d := range deletes {
		if d.Vector != nil {
			found, err := t.vectorOf(ctx, d)
			if err != nil {
				return nil, inDelete(d, err)
			}
			positions = append(positions, found...)
			continue
		}
		if d.Equality == nil {
			found, err := t.positionsOf(ctx, d, pathKey(f.Said))
			if err != nil {
				return nil, err
			}
			positions = append(positions, found...)
			continue
		}
		key := columnsKey(d.Equality)
		if byColumns[key] == nil {
			order = append(order, key)
		}
		byColumns[key] = append(byColumns[key], d)
	}
	for _, key := range order {
		files := byColumns[key]
		set, err := t.setOf(ctx, files)
		if err != nil {
			return nil, err
		}
		if set.Len() == 0 {
			continue
		}
		shown, err := t.openFile(ctx, f, files[0].Equality, nil)
		if err != nil {
			return nil, err
		}
		first := int64(0)
		err = icebergfile.Scan(ctx, shown, nil, func(rec arrow.Record) error {
			positions = set.Find(positions, rec, first)
			first += rec.NumRows()
			return nil
		})
		if err = errors.Join(err, shown.Close()); err != nil {
			return nil, err
		}
	}
	return positions, nil
}

// columnsKey tells lists of columns apart.
func columnsKey(fields []iceberg.Field) string {
	b, err := iceberg.SchemaJSON(fields)
	if err != nil {
		return fmt.Sprint(fields)
	}
	return string(b)
}
