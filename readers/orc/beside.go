package orc

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/salvage"
)

// salvage shows what is intact of a file of a source, and of those that lie in front of it and have the same columns, as where files
// were joined end to end. What else of stripes is there is reported. The File that it returns takes over f.
func (f *File) salvage(ctx context.Context, src arrowio.Source, mode salvage.Mode) (arrowio.File, error) {
	if err := f.relocate(ctx); err != nil {
		return nil, err
	}
	files, err := f.inFront(ctx)
	if err != nil {
		return nil, err
	}
	f.rescued = append(f.rescued, notRead(f, files)...)
	files = append(slices.DeleteFunc(files, func(g *File) bool { return !sameColumns(f, g) }), f)
	stray, err := f.strays(ctx, src)
	if err != nil {
		return nil, err
	}
	f.rescued = append(f.rescued, stray...)
	if len(files) == 1 {
		return f.survey(ctx, mode, salvage.Behind{})
	}
	out, behind := make([]arrowio.File, 0, len(files)), salvage.Behind{}
	for _, g := range files {
		behind.Name = fmt.Sprintf("the file at byte %d", g.front())
		rows := g.first[len(g.first)-1]
		x, err := g.survey(ctx, mode, behind)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
		behind.Rows += rows
	}
	return salvage.Join(out, arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%d ORC files lie one behind another: the rows of all are read", len(files)))), nil
}

// front is where a file begins.
func (f *File) front() int64 {
	const magic = int64(len(orcwire.Magic))
	if f.begin > 0 || f.moved <= 0 {
		return f.begin
	}
	first := f.tail.stats.Off
	for i := range f.footer.Stripes {
		first = min(first, f.footer.Stripes[i].Offset)
	}
	return max(0, first-magic)
}

// inFront opens the files in front of f, the first first.
func (f *File) inFront(ctx context.Context) (files []*File, err error) {
	const least = 2 * len(orcwire.Magic)
	for g := f; g.front() > int64(least); {
		before := shortened{f.src, g.front()}
		x, err := Open(ctx, before, f.limits, f.opt)
		if err != nil {
			if isIO(err) {
				return nil, err
			}
			if x, err = openShortened(ctx, before, f.limits, f.opt); err != nil {
				return nil, err
			}
		}
		if x == nil {
			break
		}
		if err := x.relocate(ctx); err != nil {
			return nil, err
		}
		g.joined, x.rescued = nil, nil // that rows of both are read, or not, is told
		if files = append(files, x); len(files) > f.limits.Splits {
			return nil, errs.Errorf(errs.ErrLimit, "more files one behind another than the limit Splits = %d", f.limits.Splits)
		}
		g = x
	}
	slices.Reverse(files)
	f.beside = files
	return slices.Clone(files), nil
}

// sameColumns reports whether the rows of two files can be read as those of one.
func sameColumns(f, g *File) bool {
	return arrow.TypeEqual(arrow.StructOf(f.schema.Fields()...), arrow.StructOf(g.schema.Fields()...))
}

// notRead reports the files whose columns are others.
func notRead(f *File, files []*File) (out []arrowio.Warning) {
	for _, g := range files {
		if rows := g.first[len(g.first)-1]; rows > 0 && !sameColumns(f, g) {
			at := arrowio.ByteRange{Off: g.front(), Len: g.src.Size() - g.front()}
			out = append(out, arrowio.Warning{
				Kind: arrowio.WarnLost, Place: "in front of the file", Rows: rows, Bytes: at,
				Text: fmt.Sprintf("lost: the %d rows of another ORC file, bytes %d to %d, whose columns are not those of the file behind it: read a copy of these bytes", rows, at.Off, at.End()),
			})
		}
	}
	return out
}

// strays reports stripes that no footer lists, such as those of another file whose tail is missing: they lie between what is known.
func (f *File) strays(ctx context.Context, src arrowio.Source) (out []arrowio.Warning, err error) {
	known := []arrowio.ByteRange{{Off: src.Size()}}
	for _, g := range append([]*File{f}, f.beside...) {
		known = append(known, arrowio.ByteRange{Off: g.tail.stats.Off, Len: g.src.Size() - g.tail.stats.Off})
		for i := range g.footer.Stripes {
			known = append(known, stripeBytes(&g.footer.Stripes[i], src.Size()))
		}
	}
	slices.SortFunc(known, func(a, b arrowio.ByteRange) int { return cmp.Compare(a.Off, b.Off) })
	at := int64(len(orcwire.Magic))
	for _, k := range known {
		if k.Off > at {
			w, err := f.straysIn(ctx, src, at, k.Off)
			if err != nil {
				return nil, err
			}
			out = append(out, w...)
		}
		at = max(at, k.End())
	}
	return out, nil
}

// straysIn reports the stripes between two places.
func (f *File) straysIn(ctx context.Context, src arrowio.Source, start, end int64) ([]arrowio.Warning, error) {
	s := &stripeScan{f: &File{src: shortened{src, end}, limits: f.limits, opt: f.opt, ahead: f.ahead}, ctx: ctx}
	if err := s.from(start); err != nil || len(s.found) == 0 {
		return nil, err
	}
	at, err := f.piece(ctx, src, start, end)
	if err != nil {
		return nil, err
	}
	return []arrowio.Warning{{
		Kind: arrowio.WarnLost, Place: "stripes that no footer lists", Rows: s.rows(), Bytes: at,
		Options: []errs.Option{errs.Opt("from", ""), errs.Opt(salvage.Option, ""), errs.Opt("schema", "")},
		Text: fmt.Sprintf("lost: %d rows in %d stripes that no footer lists, bytes %d to %d: copy these bytes to a file of their own, and read it with --from orc, --salvage and --schema (columns, those within others counted: %d)",
			s.rows(), len(s.found), at.Off, at.End(), s.columns-1),
	}}, nil
}

// piece is what lies between two places, with the magic at the beginning of the source, and without that of the file behind.
func (f *File) piece(ctx context.Context, src arrowio.Source, start, end int64) (arrowio.ByteRange, error) {
	const magic = int64(len(orcwire.Magic))
	behind := max(start, end-magic)
	b, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Len: min(magic, src.Size())}, {Off: behind, Len: end - behind}})
	if err != nil {
		return arrowio.ByteRange{}, err
	}
	if start == magic && string(b[0]) == orcwire.Magic {
		start = 0
	}
	if string(b[1]) == orcwire.Magic {
		end = behind
	}
	return arrowio.ByteRange{Off: start, Len: end - start}, nil
}
