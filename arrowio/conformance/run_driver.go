package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// splits checks that splits cover every row once, in order.
func (s *suite) splits(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	at := int64(0)
	for i, sp := range f.Splits() {
		if sp.Ordinal != i {
			t.Errorf("split %d has ordinal %d", i, sp.Ordinal)
		}
		if sp.Rows.Start != at {
			t.Errorf("split %d starts at row %d, the one before ends at %d", i, sp.Rows.Start, at)
		}
		if !sp.Known() {
			if len(f.Splits()) != 1 {
				t.Error("a split of unknown length is not the only one")
			}
			return
		}
		if sp.Rows.End < sp.Rows.Start || sp.Bytes < 0 {
			t.Errorf("split %d: rows %v, %d bytes", i, sp.Rows, sp.Bytes)
		}
		at = sp.Rows.End
	}
	if at != s.rows() {
		t.Errorf("splits end at row %d of %d", at, s.rows())
	}
}

// readers drives split readers directly: random row sets, skips and reads of all sizes, batches taken anywhere.
func (s *suite) readers(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	projections := s.projections()
	splits := f.Splits()
	for i := range min(len(splits)*8, s.h.Scans) {
		sp := splits[i%len(splits)]
		if !sp.Known() {
			sp.Rows.End = s.rows()
		}
		columns := pick(s.rng, projections...)
		if err := s.drive(t, f, splits[i%len(splits)], sp.Rows, columns, i%5 == 4); err != nil {
			t.Errorf("split %d, columns %q: %v", sp.Ordinal, columns, err)
		}
	}
}

// maskReader is an arrowio.RunReader that takes bits, too.
type maskReader interface {
	ReadMask(mask []uint64, off, n int) error
}

// readMask reads runs by a mask, which may go on behind them, up to most rows, and begin anywhere in its words. It returns how many rows the mask
// is about.
func (s *suite) readMask(r maskReader, runs []arrowio.RowRange, most int64) (int64, error) {
	end := runs[len(runs)-1].End
	n := min(most, end+int64(s.rng.Intn(3)*s.rng.Intn(200)))
	off := s.rng.Intn(130)
	mask := make([]uint64, (off+int(n)+63)/64+s.rng.Intn(2))
	for k := range off {
		mask[k/64] |= 1 << (k % 64)
	}
	for _, x := range runs {
		for i := x.Start; i < x.End; i++ {
			k := off + int(i)
			mask[k/64] |= 1 << (k % 64)
		}
	}
	return n, r.ReadMask(mask, off, int(n))
}

// drive reads some rows of one split; half leaves in the middle of a batch.
func (s *suite) drive(t *testing.T, f arrowio.File, sp arrowio.Split, rows arrowio.RowRange, columns []string, half bool) error {
	mem, done := watch(t)
	defer done()
	want := s.project(t, columns)
	defer want.Release()
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		return err
	}
	set := s.rowSet(rows)
	if set.Len() == 0 {
		return nil
	}
	r, err := f.Read(context.Background(), sp, set, p, mem)
	if err != nil {
		return err
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error("the second Close:", err)
		}
	}()
	defer r.Close()
	c := &checker{want: want}
	at := rows.Start
	many, _ := r.(arrowio.RunReader)
	masks, _ := r.(maskReader)
	for rest := set; len(rest) > 0; rest = rest.Clip(arrowio.RowRange{Start: at, End: rows.End}) {
		if many != nil && s.rng.Intn(2) == 0 {
			var ahead []arrowio.RowRange
			from := at
			for _, x := range s.runs(rest) {
				ahead = append(ahead, arrowio.RowRange{Start: x.Start - from, End: x.End - from})
				c.due = append(c.due, span{x.Start, x.End})
				at = x.End
			}
			if masks != nil && s.rng.Intn(2) == 0 {
				var n int64
				n, err = s.readMask(masks, ahead, rows.End-from)
				at = from + n
			} else {
				err = many.ReadRuns(ahead)
			}
			if err != nil {
				return fmt.Errorf("read %d runs from %d to %d: %w", len(ahead), from, at, err)
			}
			if s.rng.Intn(3) == 0 {
				if err := takeInto(r, c); err != nil {
					return err
				}
			}
			continue
		}
		run := rest[0]
		for at < run.Start { // in one step or several
			n := 1 + s.rng.Int63n(run.Start-at)
			got, err := r.Skip(n)
			if err == nil && got != n {
				err = fmt.Errorf("it was %d", got)
			}
			if err != nil {
				return fmt.Errorf("skip %d rows at %d: %w", n, at, err)
			}
			at += n
		}
		for at < run.End {
			n := 1 + s.rng.Intn(int(min(run.End-at, 3000)))
			if z, ok := r.(arrowio.Sizer); ok {
				if fit := z.Fit(n, 1+s.rng.Int63n(10000)); fit < 1 || fit > n {
					return fmt.Errorf("of %d rows %d fit", n, fit)
				}
			}
			got, err := r.Read(n)
			if err == nil && got != n {
				err = fmt.Errorf("it was %d", got)
			}
			if err != nil {
				return fmt.Errorf("read %d rows at %d: %w", n, at, err)
			}
			c.due = append(c.due, span{at, at + int64(n)})
			at += int64(n)
			if s.rng.Intn(3) == 0 {
				if err := takeInto(r, c); err != nil {
					return err
				}
			}
		}
	}
	if half {
		return nil // Close frees the batch
	}
	for range 2 { // the second is of no rows
		if err := takeInto(r, c); err != nil {
			return err
		}
	}
	return c.finish()
}

func takeInto(r arrowio.SplitReader, c *checker) error {
	rec, err := r.Take()
	if err != nil {
		return err
	}
	defer rec.Release()
	if err := EqualSchemas(c.want.Schema(), rec.Schema()); err != nil {
		return err
	}
	if err := c.add(rec); err != nil {
		return err
	}
	return c.finish()
}

// rowSet draws a set of rows of r: everything, one run, or many.
func (s *suite) rowSet(r arrowio.RowRange) arrowio.RowSet {
	if r.Len() == 0 {
		return nil
	}
	switch s.rng.Intn(4) {
	case 0:
		return arrowio.RowSet{r}
	case 1:
		a := r.Start + s.rng.Int63n(r.Len())
		return arrowio.RowSet{{Start: a, End: a + 1 + s.rng.Int63n(r.End-a)}}
	}
	var set arrowio.RowSet
	step := 1 + s.rng.Int63n(max(1, r.Len()/5))
	for at := r.Start + s.rng.Int63n(step); at < r.End; at += 1 + s.rng.Int63n(2*step) {
		end := min(r.End, at+1+s.rng.Int63n(step))
		set = set.Add(arrowio.RowRange{Start: at, End: end})
		at = end
	}
	return set
}

// runs draws up to a hundred runs of rows out of a set, close together or far apart.
func (s *suite) runs(set arrowio.RowSet) []arrowio.RowRange {
	var out arrowio.RowSet
	gap, length := int64(1+s.rng.Intn(30)), int64(1+s.rng.Intn(30))
	at := set[0].Start
	for _, x := range set {
		for at = max(at, x.Start) + s.rng.Int63n(gap); at < x.End && len(out) < 100; at += 1 + s.rng.Int63n(gap) {
			end := min(x.End, at+1+s.rng.Int63n(length))
			out = out.Add(arrowio.RowRange{Start: at, End: end})
			at = end
		}
	}
	if len(out) == 0 {
		return set[:1]
	}
	return out
}

// info checks what the file says about itself.
func (s *suite) info(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	for _, o := range []arrowio.InfoOptions{{}, {Blocks: true, Checksums: true}, {Groups: true}} {
		info, err := f.Info(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if info.Rows != s.rows() && info.Rows != arrowio.UnknownRows {
			t.Errorf("Info says %d rows, there are %d", info.Rows, s.rows())
		}
		if info.Schema != nil && !info.Schema.Equal(f.Schema()) {
			t.Error("Info has another schema than the file")
		}
		if _, err := json.Marshal(info); err != nil {
			t.Error(err)
		}
		for _, c := range info.Columns {
			if n := len(c.GroupStats); c.GroupStats != nil && (!o.Groups || n != len(info.Groups)) {
				t.Errorf("statistics of %d groups of %s, of %d", n, c.Path, len(info.Groups))
			}
		}
	}
	if v, ok := arrowio.As[arrowio.Verifier](f); ok {
		err := v.Verify(context.Background(), func(fault error) { t.Error("verify:", fault) })
		if err != nil {
			t.Error("verify:", err)
		}
	}
	if d, ok := arrowio.As[arrowio.Dumper](f); ok {
		if err := d.Dump(context.Background(), io.Discard); err != nil {
			t.Error("dump:", err)
		}
	}
}

// closing checks that a file may be closed twice, and that batches outlive it.
func (s *suite) closing(t *testing.T) {
	mem, done := watch(t)
	f := s.open(t)
	r, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Allocator: mem, Parallelism: 2, BatchRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var kept []arrow.Record
	for r.Next() {
		r.Record().Retain()
		kept = append(kept, r.Record())
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	r.Release()
	if err := f.Close(); err != nil {
		t.Error("close:", err)
	}
	if err := f.Close(); err != nil {
		t.Error("the second close:", err)
	}
	c := &checker{want: s.plain, due: spans(0, s.rows())}
	for _, rec := range kept {
		if err := c.add(rec); err != nil {
			t.Error("after the file is closed:", err)
		}
		rec.Release()
	}
	if err := c.finish(); err != nil {
		t.Error(err)
	}
	done()
}
