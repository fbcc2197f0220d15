package trevni

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/salvage"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// openSalvage shows what is intact of a file of a source, and of those that lie behind it and have the same columns, as where files were
// joined end to end. Other bytes may lie in front of each. What else of files is there is reported.
func openSalvage(ctx context.Context, src arrowio.Source, mode salvage.Mode, limits arrowio.Limits, o Options) (arrowio.File, error) {
	f, err := Open(ctx, src, limits, o)
	if err != nil {
		if f, err = openInFront(ctx, src, limits, o, err); err != nil {
			return nil, err
		}
	}
	var out []arrowio.File
	behind, nulls := salvage.Behind{}, false
	for g := f; ; {
		x, err := g.salvage(ctx, mode, behind)
		if err != nil {
			return nil, err
		}
		if out = append(out, x); len(out) > f.limits.Splits {
			return nil, errs.Errorf(errs.ErrLimit, "more files one behind another than the limit Splits = %d", f.limits.Splits)
		}
		behind.Rows += g.header.Rows
		nulls = nulls || g.nulls
		next, err := f.next(ctx, g)
		if err != nil {
			return nil, err
		}
		if next == nil {
			g.nulls = nulls // the last tells what writers are to keep
			break
		}
		g, behind.Name = next, fmt.Sprintf("the file at byte %d", next.begin)
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return salvage.Join(out, arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%d Trevni files lie one behind another: the rows of all are read", len(out)))), nil
}

// openInFront opens the first file of a source that does not begin with one that can be read, and notes that. cause is why not.
func openInFront(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options, cause error) (*File, error) {
	if !errors.Is(cause, errs.ErrCorrupt) {
		return nil, cause
	}
	f, err := find(ctx, src, 1, src.Size(), limits, o)
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, cause
	}
	head, err := readAt(ctx, src, 0, min(src.Size(), trevniwire.FixedHeader))
	if err != nil {
		return nil, err
	}
	w := arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("the file begins at byte %d: other bytes are in front of it", f.begin))
	if trevniwire.Match(head) {
		w = lostFile(0, f.begin, arrowio.UnknownRows, fmt.Sprintf("whose header cannot be read: %v", cause))
	}
	f.warnings = append(f.warnings, w)
	return f, nil
}

// tellInFront adds to an error about the first bytes of a source that a file begins behind them.
func tellInFront(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options, err error) error {
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != errs.ErrCorrupt || e.Op != "magic" || !arrowio.Near(src) {
		return err
	}
	f, findErr := find(ctx, src, 1, min(src.Size(), secondBytes), limits, o)
	if findErr != nil || f == nil {
		return err
	}
	c := *e
	c.Err = fmt.Errorf("%w: the file begins at byte %d, and other bytes are in front of it; %w reads it", e.Err, f.begin, errs.Opt(salvage.Option, "rows"))
	return &c
}

// next opens the next file behind g that has the columns of f. It reports what cannot be read in this way.
func (f *File) next(ctx context.Context, g *File) (*File, error) {
	last := g
	for {
		x, err := find(ctx, f.src, last.end, f.src.Size(), f.limits, f.opt)
		if err != nil {
			return nil, err
		}
		if x == nil {
			if s := (*errs.Error)(nil); errors.As(last.second, &s) { // it begins as a file does
				g.warnings = append(g.warnings, lostFile(s.Off, f.src.Size(), arrowio.UnknownRows, "whose header cannot be read"))
			}
			g.second = nil
			return nil, nil
		}
		g.second = nil
		if arrow.TypeEqual(arrow.StructOf(f.tree.Schema.Fields()...), arrow.StructOf(x.tree.Schema.Fields()...)) {
			return x, nil
		}
		x.end = x.header.Size
		for i := range x.header.Columns {
			blocks, err := x.columnBlocks(ctx, i)
			if err == nil {
				x.end = max(x.end, columnEnd(&x.header.Columns[i], blocks))
			} else if !isKind(err) {
				return nil, err
			}
		}
		if x.header.Rows > 0 {
			g.warnings = append(g.warnings, lostFile(x.begin, x.end, x.header.Rows, "whose columns are not those of the file in front of it"))
		}
		last = x
	}
}

// lostFile reports a file that lies with others and is not read; rows < 0 = their number is not known.
func lostFile(start, end, rows int64, why string) arrowio.Warning {
	what := "the rows"
	if rows >= 0 {
		what = fmt.Sprintf("the %d rows", rows)
	}
	return arrowio.Warning{
		Kind: arrowio.WarnLost, Place: "beside the file", Rows: rows, Bytes: arrowio.ByteRange{Off: start, Len: end - start},
		Text: fmt.Sprintf("lost: %s of another Trevni file, bytes %d to %d, %s: read a copy of these bytes", what, start, end, why),
	}
}

// mostTried is how many places that look like the beginning of a file are tried. By chance there are few.
const mostTried = 1000

// find opens the first file that begins from start on and before end; nil = there is none that can be opened.
func find(ctx context.Context, src arrowio.Source, start, end int64, limits arrowio.Limits, o Options) (*File, error) {
	const head = 4 // magic and version
	for tried := 0; start+head <= end; {
		b, err := readAt(ctx, src, start, min(end-start, secondBytes))
		if err != nil {
			return nil, err
		}
		for at := 0; ; at++ {
			i := bytes.Index(b[at:], []byte(trevniwire.Magic))
			if i < 0 {
				break
			}
			if at += i; !trevniwire.Match(b[at:]) {
				continue
			}
			f, err := openAt(ctx, src, start+int64(at), limits, o)
			if err == nil && (f.header.Rows == 0 || len(f.header.Columns) > 0) {
				return f, nil
			}
			if err != nil && !isKind(err) {
				return nil, err
			}
			if tried++; tried == mostTried {
				return nil, nil
			}
		}
		start += int64(len(b)) - head + 1
	}
	return nil, nil
}
