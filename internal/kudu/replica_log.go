package kudu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// logSurvey is what a tablet's log says of itself, without the rows.
type logSurvey struct {
	segments int
	first    kuduwire.OpID
	last     kuduwire.OpID // of the last operation that nothing is missing before; index 0 = there is none
	reach    kuduwire.OpID // of the last operation that can be read, behind damage, too
	// reachTime is the greatest time of an operation that can be read.
	reachTime uint64
	torn      bool          // it ends in what is no whole entry
	commit    kuduwire.OpID // the greatest index with a COMMIT; 0 = none
	lost      []string      // what cannot be read
}

// survey reads the log of a tablet for its operations' ids.
func (s *server) survey(ctx context.Context, sb *kuduwire.SuperBlock) (out logSurvey, err error) {
	dir := s.dirs.LogDir(sb.TabletID)
	if dir == "" {
		return out, nil
	}
	r := newReplayer(ctx, sb, nil, &logState{}, replayOptions{Salvage: true, Limits: s.limits})
	if dir, err = findLog(dir, &r.report); err != nil {
		return out, err
	}
	files := s.dirs.logFolder(dir)
	segs, gap, err := r.openLog(files)
	if err != nil {
		return out, err
	}
	out.segments = len(segs)
	broken := false // nothing behind a gap counts for last
	for i, seg := range segs {
		broken = broken || i >= gap
		src, closer, err := files.open(seg.name)
		if err != nil {
			return out, err
		}
		holes := r.reader.holes
		closed, err := r.reader.read(seg, src, func(b *batch, _ int64) error {
			for i := range b.entries {
				e := &b.entries[i]
				if e.Type == kuduwire.EntryReplicate {
					out.reachTime = max(out.reachTime, e.Time)
					if compareOps(e.ID, out.reach) > 0 {
						out.reach = e.ID
					}
				}
				broken = broken || r.reader.holes > holes || !out.entry(e)
			}
			return nil
		})
		_ = closer.Close() // it was only read
		if err != nil {
			return out, err
		}
		if i < len(segs)-1 && !closed && out.reach.Index == 0 {
			out.lost = append(out.lost, seg.name+" has no operation, and was not closed although another segment follows")
		}
	}
	out.torn = len(r.reader.torn) > 0 && r.reader.torn[len(r.reader.torn)-1].segment == segs[len(segs)-1].name
	if n := len(segs); n > 0 {
		names, err := files.names()
		if err != nil {
			return out, err
		}
		e := &logEnd{last: segs[n-1], off: r.reader.end, first: out.first, reach: out.reach}
		found, err := e.behind(ctx, files, names)
		if err != nil {
			return out, err
		}
		out.torn = out.torn && !found.sure
		if found.count > 0 {
			out.lost = append(out.lost, found.text(e))
		}
		r.st.reach = out.reach
		r.tellUnreadEnd(found.sure, found.count > 0)
	}
	if broken {
		out.lost = append(out.lost, fmt.Sprintf("operations are missing behind %s", out.last))
	}
	_, lost := r.report.done()
	out.lost = append(out.lost, lost...)
	return out, nil
}

// entry takes an entry of the log; false = operations before it are missing.
func (l *logSurvey) entry(e *kuduwire.Entry) bool {
	switch {
	case e.Type == kuduwire.EntryCommit:
		if e.ID.Index > l.commit.Index {
			l.commit = e.ID
		}
		return true
	case l.last.Index > 0 && missingBefore(l.last, e.ID) > 0:
		return false
	case l.first.Index == 0:
		l.first = e.ID
	}
	l.last = e.ID
	return true
}

// flushed returns the time of the last change of a tablet that is in files; 0 = not known. Inserts are told by undo deltas, which Kudu
// drops after a while, and by then are no news.
func (s *server) flushed(ctx context.Context, sb *kuduwire.SuperBlock) (last uint64, err error) {
	return (&File{server: s, dirs: s.dirs, blocks: s.blocks, limits: s.limits, opt: Options{Salvage: true}}).flushed(ctx, sb)
}

func (f *File) flushed(ctx context.Context, sb *kuduwire.SuperBlock) (last uint64, err error) {
	for i := range sb.RowSets {
		rs := &sb.RowSets[i]
		redo := slices.Clone(rs.Redo)
		slices.Reverse(redo)
		for _, newestFirst := range [][]uint64{redo, rs.Undo} {
			for _, id := range newestFirst {
				r, closer, err := f.block(ctx, id, "deltas")
				if ctx.Err() != nil {
					return 0, ctx.Err()
				}
				if err != nil {
					continue // the next tells nearly as much
				}
				last = max(last, r.DeltaStats().MaxTime)
				_ = closer.Close() // it was only read
				break
			}
		}
	}
	return last, nil
}

// present says how many of the bytes that the blocks of a tablet have are there, and how many blocks are not there to their ends, or empty.
func (s *server) present(sb *kuduwire.SuperBlock) (bytes int64, missing int) {
	for _, u := range sb.Blocks() {
		src, c, err := s.blocks.Open(u.Block)
		if err != nil {
			missing++
			continue
		}
		if src.Size() == 0 {
			missing++
		}
		bytes += src.Size()
		_ = c.Close() // it was only looked at
	}
	return bytes, missing
}

// passes reports whether an error is about one server's files, so that another server can be read.
func (s *server) passes(err error) bool {
	return isData(err) || s.opt.Salvage && isOfFile(err) && !isDenied(err)
}

// isOfFile reports whether a file or directory is there and cannot be read: there is no permission, it is none, or the disk fails.
func isOfFile(err error) bool {
	for _, x := range []error{fs.ErrPermission, syscall.EIO, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP} {
		if errors.Is(err, x) {
			return true
		}
	}
	return false
}
