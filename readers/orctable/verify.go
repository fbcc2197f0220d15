package orctable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// plain opens a data file as what it is, whatever it is shown as.
func (t *Table) plain(ctx context.Context, f *dataFile, do func(o *orc.File) error) (err error) {
	src, err := t.tree.Open(ctx, f.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if f.length < src.Size() {
		src = &shortened{src, f.length}
	}
	o, err := orc.Open(ctx, src, t.limits, t.pool.opt)
	if err == nil {
		err = errors.Join(do(o), o.Close())
	}
	if err != nil {
		return at(f.path, err)
	}
	return nil
}

// Verify checks every chosen file, and that delete events name rows that exist. Open has already checked that names and files
// agree.
func (t *Table) Verify(ctx context.Context, report func(error)) error {
	var undecoded []string
	defer func() {
		t.mu.Lock()
		t.undecoded = undecoded
		t.mu.Unlock()
	}()
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				if f.length == 0 {
					if d != nil && d.kind == deleteDelta {
						report(at(f.path, errs.Errorf(errs.ErrCorrupt, "a file of deletes has no bytes")))
					}
					continue
				}
				err := t.plain(ctx, f, func(o *orc.File) error {
					if err := o.Verify(ctx, func(fault error) { report(at(f.path, t.ofRow(f, fault))) }); err != nil {
						return err
					}
					sums, err := o.CountChecksums(ctx)
					for _, name := range sums.Undecoded {
						if name = t.inRow(f, name); !slices.Contains(undecoded, name) {
							undecoded = append(undecoded, name)
						}
					}
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		if !t.opt.Events {
			if err := t.verifyDeletes(ctx, p, report); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostDoubts is how many doubts of all files are told.
const mostDoubts = 100

// Doubts returns what makes the rows of the chosen files doubtful: see arrowio.Warner.
func (t *Table) Doubts() (doubts []error) {
	more := 0
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				for _, err := range f.doubts {
					if len(doubts) == mostDoubts {
						more++
						continue
					}
					doubts = append(doubts, at(f.path, t.ofRow(f, err)))
				}
			}
		}
	}
	if more > 0 {
		doubts = append(doubts, errs.Locate(errs.Errorf(errs.ErrCorrupt, "and %d more doubts like these", more), errs.At{Format: orc.Name}))
	}
	return doubts
}

// inRow returns the path of a column of a data file as users of the table know it: without the struct that rows of events are in.
func (t *Table) inRow(f *dataFile, path string) string {
	if i := len(eventRowName); f.events && !t.opt.Events && len(path) > i+1 && path[i] == '.' && strings.EqualFold(path[:i], eventRowName) {
		return path[i+1:]
	}
	return path
}

// ofRow names the column of an error so.
func (t *Table) ofRow(f *dataFile, err error) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Column = t.inRow(f, c.Column)
	return &c
}

// CountChecksums implements arrowio.ChecksumCounter: ORC has no checksums.
func (t *Table) CountChecksums(context.Context) (arrowio.Checksums, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return arrowio.Checksums{Unit: "column", Parts: t.schema.NumFields(), Undecoded: slices.Clone(t.undecoded)}, nil
}

// Identity implements arrowio.Identifier: the names, sizes and times of all files of the tree.
func (t *Table) Identity(ctx context.Context) (string, error) {
	parts, err := explore(ctx, t.tree, t.limits)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	add := func(files []*dataFile) {
		for _, f := range files {
			fmt.Fprintf(h, "%q %d %d %q\n", f.path, f.size, f.modified.UnixNano(), f.version)
			if f.flush != nil {
				fmt.Fprintf(h, "flushed %d\n", f.flush.size)
			}
		}
	}
	for _, p := range parts {
		add(p.loose)
		for _, d := range p.dirs {
			fmt.Fprintf(h, "%q %t\n", d.path, d.marked)
			add(d.files)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

var (
	_ arrowio.Verifier        = (*Table)(nil)
	_ arrowio.ChecksumCounter = (*Table)(nil)
	_ arrowio.Warner          = (*Table)(nil)
	_ arrowio.ByteCounter     = (*Table)(nil)
	_ arrowio.Identifier      = (*Table)(nil)
)
