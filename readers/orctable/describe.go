package orctable

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// described is what is known of a data file from its tail.
type described struct {
	length  int64 // up to which it counts
	events  bool  // it holds events, not rows
	rows    int64
	columns *arrow.Schema // of the rows, as the file names them
	// calendar is what the file counts in.
	calendar arrowio.Calendar
	splits   []arrowio.Split
	// operations are from and to these; known = somebody says so.
	operation orc.EventRange
	current   orc.EventRange // write ids of events
	hidden    []arrowio.Warning
	doubts    []error  // of the file
	beyond    []string // columns as orc.File.BeyondNanoseconds has them
	unknown   []string // the same
}

// buckets returns what the bucket of the rows' ids may be in delete events: Hive 2, which has them only for rows from
// before a table was an ACID table, stores the plain number.
func (r rawRows) buckets() []int32 {
	if r.write == 0 {
		return []int32{r.bucket, r.bucket >> 16 & 0xfff}
	}
	return []int32{r.bucket}
}

// rawRows are the row ids of a file that has none in it: Hive counts the rows of all such files of one directory and one
// bucket through, in the order of their paths.
type rawRows struct {
	write  int64
	bucket int32
	first  int64
	known  bool
}

// describe opens a file for what its tail says, and for whether it was updated in place.
func (t *Table) describe(ctx context.Context, f *dataFile) (err error) {
	defer func() { err = at(f.path, err) }()
	f.length = f.size
	if f.flush != nil {
		n, err := t.pool.flushed(ctx, f.flush)
		if err != nil {
			return err
		}
		if n > f.size {
			return errs.Errorf(errs.ErrCorrupt, "it has %d bytes, and %d were flushed", f.size, n)
		}
		f.length = n
	}
	if f.length == 0 {
		if f.flush == nil && (f.dir == nil || f.dir.kind != deleteDelta) { // place warns of files of deletes
			w := orc.NoBytes()
			w.Text = f.path + ": " + w.Text
			f.hidden = []arrowio.Warning{w}
		}
		return nil
	}
	h, err := t.pool.acquire(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.release()) }()
	f.rows, f.splits, f.events = h.Rows(), h.Splits(), h.IsEvents()
	f.columns, f.calendar = t.shared(withoutMetadata(h.Schema())), h.Calendar()
	f.hidden, f.doubts = h.Warnings(), h.Doubts()
	f.beyond, f.unknown = h.BeyondNanoseconds()
	if !f.events {
		return nil
	}
	ranges := h.EventRanges()
	f.operation, f.current = ranges[orc.Operation], ranges[orc.Current]
	if !f.operation.Known {
		f.operation = countedOperations(h.UserMetadata("hive.acid.stats"))
	}
	if !f.operation.Known && f.rows > 0 && !t.opt.Events {
		if f.operation, err = t.readOperations(ctx, h); err != nil {
			return err
		}
	}
	if f.rows > 0 && !t.opt.Events {
		return checkBuckets(ctx, h, ranges[orc.Bucket])
	}
	return nil
}

// checkBuckets is checkBucket for all events of a file. Versions ascend with the number, so that bounds tell; where there
// are none it looks at every event.
func checkBuckets(ctx context.Context, h *handle, r orc.EventRange) error {
	if r.Known {
		return errors.Join(checkBucket(int32(r.Min)), checkBucket(int32(r.Max)))
	}
	for _, s := range h.Splits() {
		err := h.readEvents(ctx, s, []orc.EventColumn{orc.Bucket}, func(b *eventBatch) error {
			for _, k := range b.ints[orc.Bucket] {
				if err := checkBucket(k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countedOperations reads how many rows were inserted, updated and deleted, as Hive notes it in the footer.
func countedOperations(stats []byte) orc.EventRange {
	var counts [3]int64
	parts := strings.Split(string(stats), ",")
	if len(parts) != len(counts) {
		return orc.EventRange{}
	}
	for i, s := range parts {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 {
			return orc.EventRange{}
		}
		counts[i] = n
	}
	r := orc.EventRange{Known: true}
	for op, n := range counts {
		if n > 0 {
			r.Max = int64(op)
		}
	}
	return r
}

// readOperations looks at every event.
func (t *Table) readOperations(ctx context.Context, h *handle) (orc.EventRange, error) {
	r := orc.EventRange{Known: true}
	for _, s := range h.Splits() {
		err := h.readEvents(ctx, s, []orc.EventColumn{orc.Operation}, func(b *eventBatch) error {
			for _, op := range b.ints[orc.Operation] {
				r.Max = max(r.Max, int64(op))
			}
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// shared returns a schema that is equal to s, the same for all.
func (t *Table) shared(s *arrow.Schema) *arrow.Schema {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := s.Fingerprint()
	if key == "" {
		return s
	}
	if o := t.schemas[key]; o != nil && sameMetadata(o, s) {
		return o
	}
	t.schemas[key] = s
	return s
}

func sameMetadata(a, b *arrow.Schema) bool {
	for i, f := range a.Fields() {
		if !f.Equal(b.Field(i)) {
			return false
		}
	}
	return true
}

// number gives the rows of raw files their ids.
func numberRaw(files []*dataFile, write, stmt int64, known bool) {
	next := map[int64]int64{}
	for _, f := range files {
		if f.events || f.rows == 0 {
			continue
		}
		f.raw = rawRows{write: write}
		if f.bucketKnown && known {
			f.raw.bucket, f.raw.known = bucketBits(f.bucket, stmt)
		}
		if f.raw.known {
			f.raw.first = next[f.bucket]
			next[f.bucket] += f.rows
		}
	}
}

// operationName says what an event did.
func operationName(op int64) string {
	switch op {
	case 0:
		return "insert"
	case 1:
		return "update"
	case 2:
		return "delete"
	}
	return fmt.Sprintf("operation %d", op)
}
