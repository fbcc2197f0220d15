package orc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/salvage"
)

// File is an open ORC file. Its methods may be called concurrently.
type File struct {
	src     arrowio.Source
	limits  arrowio.Limits
	opt     Options
	ps      *orcwire.PostScript
	footer  *orcwire.Footer
	packing orcwire.Packing
	tail    tailLayout
	begin   int64 // where the file begins: 0, or behind another that was joined with it
	joined  error // what findJoined found; nil = nothing
	schema  *arrow.Schema
	top     []*orcwire.Type // of the columns: the root's children, or the root; see ShowRows
	within  *orcwire.Type   // the struct that columns are children of where that is not the root; nil = none are
	quirks  orcwire.Quirks
	poses   orcwire.Tri   // guarded by mu: see posed
	zone    *orcwire.Zone // of stripes that name none
	hybrid  bool          // days before 1582-10-15 are Julian
	small   int64         // stripes that are no larger are read whole from a store
	ahead   int64         // what is fetched ahead of a far source, or all windows together
	secrets *secrets      // nil = no column is encrypted
	first   []int64       // row at which each stripe begins, and the number of rows behind the last
	cuts    []cut         // what each split is
	splits  []arrowio.Split
	hints   bool              // errors about damage tell of the option that reads what is intact
	rescued []arrowio.Warning // what was found in place of a tail
	moved   int64             // how far behind where the footer says the first stripe lies
	beside  []*File           // what inFront found
	noTail  bool              // so that nothing tells the version and the writer
	reach   map[int]*reach    // of damaged stripes; it does not change after a salvage has been opened

	mu        sync.Mutex
	metadata  metadata        // see stripeStats
	stripes   map[int]*stripe // in use, and the latest that are not
	undecoded []string        // what Verify could not decode
	agree     map[int]bool    // by type id: see stripesAgree; guarded by mu
	oldTimes  []string        // see noteClocks
	clocks    string          // the zone of the latest of them
	idle      []int           // stripes that are not in use, the latest last
	parked    []*tree         // decoders that are not in use, the latest last
	spare     spare           // memory of stripes that are not in use
}

// metadata is the statistics of each stripe, or what is wrong with them.
type metadata struct {
	known bool
	stats []orcwire.StatsList
	err   error
}

// cut is the part of a stripe that a split is.
type cut struct {
	stripe int
	rows   arrowio.RowRange // of the file
}

// A stripe is cut at row groups into splits of about so many rows, if it has enough bytes: cutting costs decoding the
// compression chunk that two splits share twice, unless one worker reads both.
const (
	splitRows  = 256 << 10
	splitBytes = 4 << 20
)

// Open reads the tail of src. The caller closes src after the file.
func Open(ctx context.Context, src arrowio.Source, limits arrowio.Limits, o Options) (*File, error) {
	f := &File{src: src, limits: limits.WithDefaults(), opt: o, small: smallStripe, ahead: aheadBytes, stripes: map[int]*stripe{}}
	if err := f.open(ctx); err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	return f, nil
}

func (f *File) open(ctx context.Context) error {
	if f.src.Size() == 0 { // a table without rows to its writers, who never got to say which
		f.ps, f.footer, f.schema = &orcwire.PostScript{}, &orcwire.Footer{Types: []*orcwire.Type{{Kind: orcwire.Struct}}}, arrow.NewSchema(nil, nil)
		f.noTail = true
		return f.cutStripes()
	}
	if err := f.readTail(ctx); err != nil {
		return err
	}
	if err := f.findJoined(ctx); err != nil {
		return err
	}
	return f.describe()
}

// describe works out what the tail says.
func (f *File) describe() (err error) {
	if v := f.ps.Version; len(f.footer.Stripes) > 0 && newer(v) {
		return located(errs.Errorf(errs.ErrUnsupported, "version %v of the format", v), "postscript", f.tail.postscript.Off)
	}
	f.quirks = orcwire.NewQuirks(f.ps, f.footer)
	if f.zone, err = orcwire.LoadZone(f.opt.Timezone); err != nil {
		return errs.Errorf(errs.ErrOption, "%w: %w", errs.Opt("orc-timezone", ""), err)
	}
	f.hybrid = f.calendar()
	for _, t := range f.footer.Types {
		t.Assumed = orcwire.Digits(f.opt.Decimal)
	}
	o := orcwire.ArrowOptions{StringsAsBinary: f.opt.BinaryStrings, NullKeysAsList: f.opt.NullKeys, TimestampUnit: f.unit(), Microseconds: f.opt.Microseconds, Dictionary: f.opt.Dictionary}
	if f.schema, err = orcwire.Schema(f.footer, o); err != nil {
		return located(err, "footer", f.tail.footer.Off)
	}
	f.showRoot()
	if f.secrets, err = f.unlock(); err != nil {
		return err
	}
	return located(f.cutStripes(), "footer", f.tail.footer.Off)
}

// showRoot makes the root's children the columns, or the root where it has none.
func (f *File) showRoot() {
	f.top = f.footer.Types[:1]
	if f.top[0].Kind == orcwire.Struct {
		f.top = f.top[0].Children
	}
}

// newer reports whether a version is none that is known: 0.11, 0.12, which old files do not tell, and the draft of 2.0,
// which calls itself 1.9999.
func newer(v []uint32) bool {
	if len(v) == 0 || v[0] == 0 && (len(v) < 2 || v[1] <= 12) {
		return false
	}
	return !(v[0] == 1 && len(v) == 2 && v[1] == 9999)
}

func (f *File) unit() arrow.TimeUnit {
	if f.opt.Unit != nil {
		return *f.opt.Unit
	}
	return arrow.Nanosecond
}

// calendar reports whether days are counted in the hybrid calendar: Java's own writer counts so unless it says
// otherwise; Iceberg, which writes through it, does not, and no other writer does.
func (f *File) calendar() bool {
	if f.opt.Calendar != "" {
		return f.opt.Calendar == "hybrid"
	}
	return f.quirks.Hybrid(f.footer)
}

// Calendar implements arrowio.Calendared.
func (f *File) Calendar() arrowio.Calendar {
	if f.hybrid {
		return arrowio.HybridCalendar
	}
	return arrowio.ProlepticCalendar
}

// cutStripes lists the splits.
func (f *File) cutStripes() error {
	n := len(f.footer.Stripes)
	f.first = make([]int64, n+1)
	for i, s := range f.footer.Stripes {
		if s.Rows > math.MaxInt64-f.first[i] {
			return errs.Errorf(errs.ErrCorrupt, "stripe %d has %d rows behind %d others", i, s.Rows, f.first[i])
		}
		f.first[i+1] = f.first[i] + s.Rows
	}
	if total := f.first[n]; total != f.footer.Rows {
		if n > 0 && f.footer.HasRows || n == 0 && (len(f.footer.Types) > 1 || f.footer.Types[0].Kind != orcwire.Struct) { // some writers do not count
			return errs.Errorf(errs.ErrCorrupt, "the footer counts %d rows, the stripes have %d", f.footer.Rows, total)
		}
		if n == 0 { // rows without columns need no stripe
			f.add(cut{stripe: -1, rows: arrowio.RowRange{End: f.footer.Rows}}, 0)
			return nil
		}
		f.footer.Rows = total
	}
	for i, s := range f.footer.Stripes {
		room := max(0, f.src.Size()-s.Offset) // a footer may say anything
		stored := min(s.DataLength, room)
		step := s.Rows
		if stride := int64(f.footer.RowIndexStride); stride > 0 && s.Rows >= 2*splitRows && stored >= 2*splitBytes {
			pieces := min(s.Rows/splitRows, stored/splitBytes)
			step = (s.Rows/pieces + stride - 1) / stride * stride
		}
		for at := int64(0); at < s.Rows; at += step {
			rows := min(step, s.Rows-at)
			bytes := int64(float64(min(s.IndexLength, room-stored)+stored) * float64(rows) / float64(s.Rows))
			f.add(cut{stripe: i, rows: arrowio.RowRange{Start: f.first[i] + at, End: f.first[i] + at + rows}}, bytes)
			if len(f.splits) > f.limits.Splits {
				return errs.Errorf(errs.ErrLimit, "more stripes than the limit Splits = %d", f.limits.Splits)
			}
		}
	}
	return nil
}

func (f *File) add(c cut, bytes int64) {
	f.splits = append(f.splits, arrowio.Split{Ordinal: len(f.splits), Rows: c.rows, Bytes: bytes})
	f.cuts = append(f.cuts, c)
}

// Schema returns the Arrow schema.
func (f *File) Schema() *arrow.Schema { return f.schema }

// Splits lists the stripes; large stripes are divided into several splits.
func (f *File) Splits() []arrowio.Split { return f.splits }

// hint adds to an error about damage what reads what is intact.
func (f *File) hint(err error) error {
	if !f.hints {
		return err
	}
	return salvage.Hint(err)
}

// Close frees the memory of the file. Readers that are still open can be used further.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.parked {
		t.end()
	}
	f.parked, f.idle = nil, nil
	clear(f.stripes)
	return nil
}

// stripeStats returns the statistics of a stripe by type id; an empty list where the file has none.
func (f *File) stripeStats(ctx context.Context, i int) (orcwire.StatsList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := &f.metadata; !m.known {
		m.stats, m.err = f.readMetadata(ctx)
		m.known = !isIO(m.err) // the next one may have more luck
	}
	if f.metadata.err != nil || i >= len(f.metadata.stats) {
		return orcwire.StatsList{}, f.metadata.err
	}
	return f.metadata.stats[i], nil
}

// located says where in the file an error is, and gives errors of the wire package their kind.
func located(err error, op string, off int64) error {
	if err == nil {
		return nil
	}
	return errs.Locate(kinded(err), errs.At{Format: Name, Op: op, Off: errs.N(off)})
}

// kinded returns err as an error with a kind: what the wire package says about bytes is about their being corrupt.
func kinded(err error) error {
	var e *errs.Error
	if errors.As(err, &e) || isIO(err) {
		return err
	}
	return errs.Errorf(errs.ErrCorrupt, "%w", err)
}

// ioError marks an error of the source, which says nothing about the bytes.
type ioError struct{ error }

func (e ioError) Unwrap() error { return e.error }

func isIO(err error) bool {
	var e ioError
	return errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// fetchBytes reads n bytes at off, which the caller has checked against the file.
func (f *File) fetchBytes(ctx context.Context, off, n int64) ([]byte, error) {
	bs, err := arrowio.ReadRanges(ctx, f.src, []arrowio.ByteRange{{Off: off, Len: n}})
	if err != nil {
		return nil, fmt.Errorf("%w", ioError{err})
	}
	return bs[0], nil
}
