package orc

import (
	"context"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/farread"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// idleStripes is how many stripes that are not in use keep their footer, index and dictionaries.
const idleStripes = 2

// stripe is what is known of a stripe: its footer, where its streams lie, and what several readers share.
type stripe struct {
	file      *File
	ordinal   int
	info      orcwire.StripeInfo
	footer    *orcwire.StripeFooter
	zone      *orcwire.Zone
	streams   []stream           // by column, then in file order
	encodings []orcwire.Encoding // by column
	columns   []int32            // where each column's streams begin in streams, and their number behind the last
	users     int                // guarded by File.mu

	ahead  []byte // what was read with the footer: nothing, the whole index, or the whole stripe
	mu     sync.Mutex
	index  map[int]*columnIndex
	shared *sharedStreams      // nil = none are
	dicts  map[int]*dictionary // by column, once somebody has read them
	loaded bool                // guarded by load
	load   sync.Mutex
	wrong  bool // positions of the row index have proved wrong; guarded by mu
}

// stream is where a stream lies in the file.
type stream struct {
	kind   orcwire.StreamKind
	column int
	off    int64
	len    int64
	key    *orcwire.CTR // nil = not encrypted
}

// stripe returns a stripe, and reads its footer if it was not read yet. The caller gives it back with release.
func (f *File) stripe(ctx context.Context, i int) (*stripe, error) {
	f.mu.Lock()
	s := f.stripes[i]
	if s == nil {
		s = &stripe{file: f, ordinal: i, info: f.footer.Stripes[i]}
		f.spare.give(s)
		f.stripes[i] = s
	}
	s.users++
	f.idle = slices.DeleteFunc(f.idle, func(k int) bool { return k == i })
	f.mu.Unlock()
	if err := s.open(ctx); err != nil {
		s.release()
		return nil, s.located(err, "stripe footer", min(s.info.Offset+s.info.IndexLength+s.info.DataLength, f.tail.footer.Off))
	}
	return s, nil
}

// release gives the stripe back.
func (s *stripe) release() {
	f := s.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	s.shared = nil
	f.idle = append(f.idle, s.ordinal)
	if len(f.idle) > idleStripes {
		last := f.stripes[f.idle[0]]
		delete(f.stripes, f.idle[0])
		f.idle = append(f.idle[:0], f.idle[1:]...)
		f.spare.take(last)
	}
}

func (s *stripe) located(err error, op string, off int64) error {
	if err == nil {
		return nil
	}
	return errs.Locate(kinded(err), errs.At{Format: Name, Op: op, Split: errs.N(s.ordinal), Off: errs.N(off)})
}

// open reads the footer, once.
func (s *stripe) open(ctx context.Context) error {
	s.load.Lock()
	defer s.load.Unlock()
	if s.loaded {
		return nil
	}
	f, in := s.file, &s.info
	// The parser has checked that the sums do not overflow.
	data := in.IndexLength + in.DataLength
	if end := f.tail.footer.Off; in.Offset > end || data > end-in.Offset || in.FooterLength > end-in.Offset-data {
		err := errs.Errorf(errs.ErrCorrupt, "stripe of %d bytes at %d, but the tail begins at %d", data+in.FooterLength, in.Offset, end)
		return s.located(err, "footer", end) // which says so
	}
	packed, err := s.readFooter(ctx, arrowio.ByteRange{Off: in.Offset + data, Len: in.FooterLength})
	if err != nil {
		return err
	}
	raw, err := f.unpack(packed)
	if err != nil {
		return err
	}
	if s.footer, err = orcwire.ParseStripeFooter(raw, len(f.footer.Types), data); err != nil {
		return err
	}
	s.zone = f.zone
	if f.quirks.Writer == orcwire.WriterPresto {
		s.zone = f.zone.Instants()
	}
	if s.footer.Timezone != "" {
		if s.zone, err = orcwire.LoadZone(s.footer.Timezone); err != nil {
			return errs.Errorf(errs.ErrUnsupported, "writer time zone: %w", err)
		}
	}
	if err := s.directory(); err != nil {
		return err
	}
	s.loaded = true
	return nil
}

const (
	// indexAhead bounds the index that is read with the footer, before anybody knows whether it is wanted.
	indexAhead = 256 << 10
	// smallStripe is the size up to which a stripe is read whole.
	smallStripe = 64 << 10
)

// readFooter reads the footer. From a store that reads several ranges at once, all of a small stripe comes with it, and of others the index, if
// that is small, unless a scan reads all rows.
func (s *stripe) readFooter(ctx context.Context, r arrowio.ByteRange) ([]byte, error) {
	f, n := s.file, s.info.IndexLength
	if !farread.Spans(f.src) || r.Len > f.limits.MetadataBytes {
		return f.readPart(ctx, r, "stripe footer")
	}
	if whole := r.End() - s.info.Offset; whole <= f.small {
		b, err := f.fetchBytes(ctx, s.info.Offset, whole)
		if err != nil {
			return nil, err
		}
		s.ahead = b
		return b[whole-r.Len:], nil
	}
	if n == 0 || n > min(indexAhead, f.limits.MetadataBytes) || s.info.DataLength <= smallStripe || farread.Whole(ctx) > 0 {
		return f.readPart(ctx, r, "stripe footer")
	}
	pieces, err := arrowio.ReadRanges(ctx, f.src, []arrowio.ByteRange{r, {Off: s.info.Offset, Len: n}})
	if err != nil {
		return nil, ioError{err}
	}
	s.ahead = pieces[1]
	return pieces[0], nil
}

// cameAhead returns bytes of the stripe that came with the footer.
func (s *stripe) cameAhead(r arrowio.ByteRange) ([]byte, bool) {
	at := r.Off - s.info.Offset
	if at < 0 || r.Len < 0 || at > int64(len(s.ahead)) || r.Len > int64(len(s.ahead))-at {
		return nil, false
	}
	return s.ahead[at : at+r.Len], true
}

// directory sorts the streams by column.
func (s *stripe) directory() error {
	f := s.file
	types := len(f.footer.Types)
	if plain, ok := f.secrets.inClear(s.footer); ok {
		s.encodings = s.footer.Encodings
		s.sortStreams(types, len(plain), func(i int) int { return plain[i].Column }, func(i int) stream {
			x := &plain[i]
			return stream{kind: x.Kind, column: x.Column, off: s.info.Offset + x.Offset, len: x.Length}
		})
		return s.knowEncodings()
	}
	all, encodings, err := f.secrets.directory(s)
	if err != nil {
		return err
	}
	s.encodings = encodings
	s.sortStreams(types, len(all), func(i int) int { return all[i].column }, func(i int) stream { return all[i] })
	return s.knowEncodings()
}

// sortStreams takes n streams over, which keep their order within a column.
func (s *stripe) sortStreams(types, n int, column func(i int) int, at func(i int) stream) {
	s.columns = resized(s.columns, types+1)
	clear(s.columns)
	for i := range n {
		s.columns[column(i)+1]++
	}
	for i := range types {
		s.columns[i+1] += s.columns[i]
	}
	s.streams = resized(s.streams, n)
	for i := range n {
		next := &s.columns[column(i)]
		s.streams[*next] = at(i)
		*next++
	}
	copy(s.columns[1:], s.columns) // each is where the next column begins
	s.columns[0] = 0
}

// resized returns a slice of length n, s's memory if it is large enough; the content is arbitrary.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// knowEncodings takes encodings that are not known for DIRECT where the column has nothing that is encoded: cuDF wrote -1
// there, and orc-core and the C++ reader know no better either.
func (s *stripe) knowEncodings() error {
	own := false
	for id := range s.encodings {
		if s.encodings[id].Kind != orcwire.UnknownEncoding {
			continue
		}
		for _, x := range s.streams[s.columns[id]:s.columns[id+1]] {
			if !x.kind.Index() && x.kind != orcwire.Present && x.len > 0 {
				err := errs.Errorf(errs.ErrUnsupported, "the encoding is not known")
				return errs.Locate(err, errs.At{Format: Name, Column: s.file.footer.Types[id].Path()})
			}
		}
		if !own {
			s.encodings, own = slices.Clone(s.encodings), true
		}
		s.encodings[id] = orcwire.Encoding{Kind: orcwire.Direct}
	}
	return nil
}

// find returns a column's stream of a kind; false where there is none, or an empty one.
func (s *stripe) find(column int, kind orcwire.StreamKind) (stream, bool) {
	if x := s.lookup(column, kind); x != nil {
		return *x, true
	}
	return stream{}, false
}

// lookup is find without a copy; nil where there is none.
func (s *stripe) lookup(column int, kind orcwire.StreamKind) *stream {
	streams := s.streams[s.columns[column]:s.columns[column+1]]
	for i := range streams {
		if x := &streams[i]; x.kind == kind {
			if x.len > 0 {
				return x
			}
			return nil
		}
	}
	return nil
}

// encoding returns how a column is encoded in this stripe.
func (s *stripe) encoding(column int) orcwire.Encoding { return s.encodings[column] }
