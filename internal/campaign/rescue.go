package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/salvage"
	"github.com/arrowio/arrowio/internal/workers"
)

// Rescued counts what a salvage makes of damaged files.
type Rescued struct {
	Cases   int
	Refused int   // the file cannot be opened: what describes all of it is damaged
	Failed  int   // the salvage opened the file and then failed, or counts rows wrongly: a fault of ours
	Same    int   // all rows are back, nothing is reported
	Kept    int   // some rows are back, and right; the others are reported
	None    int   // no row is back
	Renamed int   // the columns have other names or types: the footer has no checksum
	Unseen  int   // rows are back that are not what was written, and nothing tells
	Rows    int64 // of the files that open
	Lost    int64 // rows that are reported as lost
}

func (n *Rescued) add(o Rescued) {
	n.Cases, n.Refused, n.Failed, n.Same, n.Kept, n.None = n.Cases+o.Cases, n.Refused+o.Refused, n.Failed+o.Failed, n.Same+o.Same, n.Kept+o.Kept, n.None+o.None
	n.Renamed, n.Unseen = n.Renamed+o.Renamed, n.Unseen+o.Unseen
	n.Rows, n.Lost = n.Rows+o.Rows, n.Lost+o.Lost
}

func (n *Rescued) String() string {
	return fmt.Sprintf("%d cases, %d refused, %d the same, %d salvaged in part, %d without a row, %d with other names or types, %d failed, %d other rows that nothing tells of (%.3f %%); %.3f %% of the rows of files that open are lost",
		n.Cases, n.Refused, n.Same, n.Kept, n.None, n.Renamed, n.Failed, n.Unseen, percent(n.Unseen, n.Cases), 100*float64(n.Lost)/float64(max(1, n.Rows)))
}

// rescueBytes bounds the files of Rescue.
const rescueBytes = 1 << 20

// Rescue damages the files of formats with the option salvage below some directories, reads what is intact, and prints and returns what
// comes of it, by format, mode and damage: none, one flipped bit at so many places of each file, and truncation to so many lengths. names
// are the ends of paths of the files that are meant; none = all.
func Rescue(ctx context.Context, w io.Writer, dirs []string, formats []arrowio.Format, names []string, flips, cuts int, show bool) (all map[string]*Rescued, err error) {
	all = map[string]*Rescued{}
	total := func(key string, n Rescued) {
		if all[key] == nil {
			all[key] = &Rescued{}
		}
		all[key].add(n)
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f, ok := formatOf(formats, extensions[filepath.Ext(path)])
			if !ok || !slices.ContainsFunc(f.Options, func(o arrowio.Option) bool { return o.Name == "salvage" }) ||
				len(names) > 0 && !slices.ContainsFunc(names, func(end string) bool { return strings.HasSuffix(path, end) }) {
				return nil
			}
			if fi, err := d.Info(); err != nil || fi.Size() > rescueBytes {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			in := &Input{Name: path, Bytes: b, Format: f}
			if in.prepare(ctx) != nil || in.rows == nil {
				return nil
			}
			defer release(in.rows)
			rng := rand.New(rand.NewSource(int64(len(b))))
			for _, mode := range []string{"rows", "columns"} {
				in.options, in.schema = map[string]string{"salvage": mode}, in.rows.Schema()
				var n, t, sound Rescued
				in.rescue(ctx, Op{Kind: "none"}, mode, &sound, w, show)
				for i := range flips {
					off := (int64(len(b))*int64(i) + rng.Int63n(int64(len(b)))) / int64(flips)
					in.rescue(ctx, Op{Kind: "flip", Off: off, Byte: byte(rng.Intn(8))}, mode, &n, w, show)
				}
				for i := range cuts {
					in.rescue(ctx, Op{Kind: "truncate", Off: max(1, int64(len(b))*int64(i+1)/int64(cuts+1))}, mode, &t, w, show)
				}
				total(f.Name+", "+mode+", sound", sound)
				total(f.Name+", "+mode+", flips", n)
				total(f.Name+", "+mode+", cuts", t)
				if show || n.Failed+t.Failed > 0 {
					fmt.Fprintf(w, "%s: %s: flips: %v\n%s: %s: cuts: %v\n", in.Name, mode, &n, in.Name, mode, &t)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(w, "%s: %v\n", k, all[k])
	}
	return all, nil
}

// rescue salvages the input after one operation.
func (in *Input) rescue(ctx context.Context, op Op, mode string, n *Rescued, w io.Writer, show bool) {
	n.Cases++
	fail := func(count *int, err error) {
		*count++
		if count != &n.Refused || show {
			fmt.Fprintf(w, "%s: %s: %v, bit %d: %v\n", in.Name, mode, op, op.Byte, err)
		}
	}
	err := workers.Catch(func() error {
		c := newCase(in, damage(in.Bytes, []Op{op}))
		f, err := c.open(ctx)
		if err != nil {
			if show {
				fmt.Fprintf(w, "%s: %s: %v, bit %d: refused: %v\n", in.Name, mode, op, op.Byte, err)
			}
			n.Refused++
			return nil
		}
		defer f.Close()
		n.Rows += in.rows.NumRows()
		rec, err := c.scan(ctx, f, nil)
		switch {
		case errors.Is(err, errs.ErrBeyondNanoseconds), errors.As(err, new(salvage.Sound)), errors.Is(err, errMany): // a wrong value, which the caller is told to read in another unit or with another option, or a wrong number of rows that take no bytes
			n.Unseen++
			return nil
		case err != nil:
			fail(&n.Failed, err)
			return nil
		}
		if rec == nil {
			rec = in.rows.NewSlice(0, 0)
		}
		defer release(rec)
		lost, err := in.compareRescued(f, rec)
		n.Lost += lost
		switch {
		case errors.Is(err, errOtherSchema):
			n.Renamed++
		case err != nil:
			n.Unseen++
			if show {
				fmt.Fprintf(w, "%s: %s: %v, bit %d: unseen: %v\n", in.Name, mode, op, op.Byte, err)
			}
		case rec.NumRows() == 0:
			n.None++
		case lost == 0:
			n.Same++
		default:
			n.Kept++
		}
		return nil
	})
	if err != nil {
		fail(&n.Failed, err)
	}
}

var errOtherSchema = errors.New("another schema")

// compareRescued compares what a salvage gave with the rows of the sound file, by what it reports as lost. It returns how many rows
// are reported.
func (in *Input) compareRescued(f arrowio.File, got arrow.Record) (lost int64, err error) {
	want := in.rows
	if got.NumCols() != want.NumCols() {
		return 0, errOtherSchema
	}
	var losses []arrowio.Warning
	open := false
	for _, w := range arrowio.WarningsOf(f) {
		if w.Kind != arrowio.WarnLost {
			continue
		}
		if w.Rows == arrowio.UnknownRows { // of a file without its tail
			open = true
			continue
		}
		if w.Range.Len() != w.Rows || w.Rows == 0 || len(losses) > 0 && w.Range.Start < losses[len(losses)-1].Range.End {
			return 0, fmt.Errorf("a loss of %d rows at %v", w.Rows, w.Range)
		}
		losses = append(losses, w)
		lost += w.Rows
	}
	if got.NumRows() == 0 && lost > 0 {
		return min(lost, want.NumRows()), nil // whatever the number of rows, if that is what is damaged
	}
	if open { // rows up to some stripe are told of
		end := got.NumRows()
		for _, w := range losses {
			if w.Columns == nil {
				end += w.Rows
			}
		}
		if end > want.NumRows() {
			return lost, fmt.Errorf("%d rows are told of, and there were %d", end, want.NumRows())
		}
		lost += want.NumRows() - end
		want = want.NewSlice(0, end)
		defer want.Release()
	}
	losses = append(losses, arrowio.Warning{Range: arrowio.RowRange{Start: want.NumRows(), End: want.NumRows()}})
	row, at := int64(0), int64(0) // of the sound file, and of got
	for _, w := range losses {
		n := w.Range.Start - row
		if n < 0 || at+n > got.NumRows() {
			return lost, fmt.Errorf("%d rows are back, and those lost are up to row %d", got.NumRows(), w.Range.Start)
		}
		if err := sameRows(want, row, got, at, n, nil); err != nil {
			return lost, err
		}
		row, at = row+n, at+n
		if w.Columns != nil {
			if err := sameRows(want, row, got, at, w.Rows, w.Columns); err != nil {
				return lost, err
			}
			at += w.Rows
		}
		row += w.Rows
	}
	if at != got.NumRows() {
		return lost, fmt.Errorf("%d rows are back, and %d are expected", got.NumRows(), at)
	}
	return lost, nil
}

// sameRows compares n rows of two records. Columns of these names are null in the second.
func sameRows(want arrow.Record, row int64, got arrow.Record, at, n int64, null []string) error {
	for i := range int(want.NumCols()) {
		x, y := array.NewSlice(want.Column(i), row, row+n), array.NewSlice(got.Column(i), at, at+n)
		var err error
		if a, b := want.Schema().Field(i), got.Schema().Field(i); a.Name != b.Name || !arrow.TypeEqual(a.Type, b.Type) {
			err = errOtherSchema
		} else if slices.Contains(null, expr.Quote(a.Name)) {
			if int64(y.NullN()) != n && y.DataType().ID() != arrow.NULL {
				err = fmt.Errorf("column %s: %d nulls of %d rows", a.Name, y.NullN(), n)
			}
		} else if err = conformance.EqualArrays(x, y); err != nil {
			err = fmt.Errorf("column %s: from row %d on: %w", a.Name, row, err)
		}
		x.Release()
		y.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
