package kudu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// replica is what one server has of a tablet of which others may have replicas, too.
type replica struct {
	server    *server
	rank      int // of the server, as the caller names them
	super     *kuduwire.SuperBlock
	consensus *kuduwire.Consensus // nil = there is none that can be read
	log       logSurvey
	missing   int      // blocks that are missing or empty
	harm      []string // why it is not whole; none = nothing is known to be wrong
	chosen    bool
	why       string // it is chosen, or is not
}

// logSurvey is what a tablet's log says of itself, without the rows.
type logSurvey struct {
	segments int
	first    kuduwire.OpID
	last     kuduwire.OpID // of the last operation; index 0 = there is none
	commit   kuduwire.OpID // the greatest index with a COMMIT; 0 = none
	lost     []string      // what cannot be read
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
	broken := false
	for i, seg := range segs {
		if i >= gap || broken {
			break // nothing behind a gap counts
		}
		src, closer, err := files.open(seg.name)
		if err != nil {
			return out, err
		}
		holes := r.reader.holes
		_, err = r.reader.read(seg, src, func(b *batch, _ int64) error {
			for i := range b.entries {
				broken = broken || r.reader.holes > holes || !out.entry(&b.entries[i])
			}
			return nil
		})
		_ = closer.Close() // it was only read
		if err != nil {
			return out, err
		}
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

// newReplica looks at what a server has of a tablet.
func (s *server) newReplica(ctx context.Context, rank int, sb *kuduwire.SuperBlock) (*replica, error) {
	r := &replica{server: s, rank: rank, super: sb}
	if sb.State != kuduwire.TabletReady {
		r.harm = append(r.harm, "it is "+sb.State.String())
		if sb.State != kuduwire.TabletCopying {
			return r, nil
		}
	}
	var err error
	if r.consensus, err = s.dirs.consensus(sb.TabletID); err != nil && r.consensus == nil {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			r.harm = append(r.harm, "it has no consensus metadata")
		case isData(err):
			r.harm = append(r.harm, "its consensus metadata cannot be read")
		default:
			return nil, err
		}
	}
	if _, r.missing = sizeOf(s.blocks, sb); r.missing > 0 {
		r.harm = append(r.harm, counted(int64(r.missing), "block is missing", "blocks are missing"))
	}
	if s.opt.SkipLog {
		return r, nil
	}
	if r.log, err = s.survey(ctx, sb); err != nil {
		return nil, err
	}
	switch {
	case r.log.segments == 0:
		r.harm = append(r.harm, "it has no write-ahead log")
	case len(r.log.lost) > 0:
		r.harm = append(r.harm, "its log is damaged: "+r.log.lost[0])
	}
	return r, nil
}

// readable reports whether there are rows to be read.
func (r *replica) readable() bool {
	return r.super.State == kuduwire.TabletReady || r.super.State == kuduwire.TabletCopying
}

// logs reports whether the log can be believed to its end.
func (r *replica) logs() bool {
	return r.super.State == kuduwire.TabletReady && r.log.segments > 0 && len(r.log.lost) == 0
}

// compareLogs compares how far two logs go, as an election does: by the term of the last operation, then by its index.
func compareLogs(a, b *replica) int {
	return cmp.Or(cmp.Compare(a.log.last.Term, b.log.last.Term), cmp.Compare(a.log.last.Index, b.log.last.Index))
}

// better orders replicas, the one to be read first: ready ones, whole ones, then those whose log goes further, that know of more
// commits, and of a later term.
func better(a, b *replica) int {
	flag := func(x bool) int {
		if x {
			return 0
		}
		return 1
	}
	term := func(r *replica) int64 {
		if r.consensus == nil {
			return 0
		}
		return r.consensus.Term
	}
	return cmp.Or(
		cmp.Compare(flag(a.super.State == kuduwire.TabletReady), flag(b.super.State == kuduwire.TabletReady)),
		cmp.Compare(flag(len(a.harm) == 0), flag(len(b.harm) == 0)),
		compareLogs(b, a),
		cmp.Compare(b.log.commit.Index, a.log.commit.Index),
		cmp.Compare(term(b), term(a)),
		cmp.Compare(a.rank, b.rank))
}

// name is how messages name the server of a replica.
func (s *server) name() string {
	if s.dirs.UUID != "" {
		return s.dirs.UUID
	}
	return s.path
}

// replicas are those of one tablet, the one to be read first.
type replicas struct {
	id     string
	all    []*replica // readable or not
	voters []string   // by the newest configuration that a replica knows
	quorum bool       // the logs of a majority of the voters are here, and sound
}

// chosen returns the replica that is read; nil = none can be.
func (x *replicas) chosen() *replica {
	if len(x.all) > 0 && x.all[0].chosen {
		return x.all[0]
	}
	return nil
}

// choose orders the replicas and says why.
func (x *replicas) choose(asked string) {
	slices.SortStableFunc(x.all, better)
	var newest *kuduwire.Consensus
	for _, r := range x.all {
		if c := r.consensus; c != nil && (newest == nil || c.OpIndex > newest.OpIndex) {
			newest = c
		}
	}
	if newest != nil {
		for _, p := range newest.Peers {
			if p.Voter {
				x.voters = append(x.voters, p.UUID)
			}
		}
	}
	sound := 0
	for _, r := range x.all {
		if r.logs() && slices.Contains(x.voters, r.server.dirs.UUID) {
			sound++
		}
	}
	x.quorum = sound > len(x.voters)/2
	if i := slices.IndexFunc(x.all, func(r *replica) bool { return asked != "" && r.readable() && r.server.is(asked) }); i > 0 {
		r := x.all[i]
		x.all = slices.Insert(slices.Delete(x.all, i, i+1), 0, r)
	}
	x.explain(asked)
}

func (x *replicas) explain(asked string) {
	first := x.all[0]
	if !first.readable() {
		for _, r := range x.all {
			r.why = strings.Join(r.harm, "; ")
		}
		return
	}
	first.chosen = true
	for _, r := range x.all[1:] {
		d := compareLogs(first, r)
		switch {
		case len(r.harm) > 0:
			r.why = strings.Join(r.harm, "; ")
		case asked != "" && first.server.is(asked):
			r.why = "another server was asked for"
		case d > 0:
			r.why = "its log ends before that of the one that is read"
		case d == 0 && first.log.commit.Index > r.log.commit.Index:
			r.why = "the same last operation, and it knows of fewer that are committed"
		case d == 0:
			r.why = "the same last operation: as good"
		}
		if d < 0 {
			r.why += fmt.Sprintf("; its log goes further, to %s", r.log.last)
		}
	}
	switch {
	case asked != "" && first.server.is(asked):
		first.why = "asked for"
	case len(x.all) == 1:
		first.why = "the only replica here"
	case len(first.harm) > 0:
		first.why = "no replica is whole, and its log goes furthest"
	case slices.ContainsFunc(x.all[1:], func(r *replica) bool { return len(r.harm) > 0 && compareLogs(r, first) > 0 }):
		first.why = "the whole replica whose log goes furthest"
	default:
		first.why = "its log goes furthest"
	}
	if len(first.harm) > 0 {
		first.why += "; " + strings.Join(first.harm, "; ")
	}
}

// is reports whether a user means this server by its uuid or its directory.
func (s *server) is(name string) bool {
	return name == s.dirs.UUID || samePath(name, s.path) || samePath(name, s.dirs.Wal)
}

// uncommitted says what becomes of the operations above the highest COMMIT of a replica. What a client was told of is in the logs
// of a majority. If that is here, the replica with the newest log would be elected when the servers start, and keeps all it has. Where
// that is of a later term than the end of the log of r, a later leader may have replaced what r has there.
func (x *replicas) uncommitted(r *replica, asked string) string {
	switch newest := slices.MaxFunc(x.all, compareLogs); {
	case asked != "" || !x.quorum:
		return asked
	case r.log.last.Term == newest.log.last.Term:
		return "apply"
	}
	return "skip"
}

// tell warns of what the chosen replica lacks and others have.
func (x *replicas) tell(f *findings, asked bool) {
	place := "tablet " + x.id
	first := x.all[0]
	for _, r := range x.all[1:] {
		if r.readable() && compareLogs(r, first) > 0 {
			w := at(place, arrowio.UnknownRows)
			text := fmt.Sprintf("%s: the replica of server %s is read, whose log ends with operation %s; that of server %s goes on to %s",
				place, first.server.name(), first.log.last, r.server.name(), r.log.last)
			if asked {
				w.Kind = arrowio.WarnMissing
				f.warn(w, "%s, but another was asked for", text)
			} else {
				f.lose(nil, w, "%s, but is damaged; --kudu-merge reads what both have", text)
			}
			break
		}
	}
	if !x.quorum && len(x.voters) > 1 {
		f.doubt(place, "%s: of its %d voting replicas fewer than a majority are here with a sound log: operations that clients were told of may be missing", place, len(x.voters))
	}
	f.note("%s: read from server %s (%s): %s", place, first.server.name(), first.server.path, first.why)
}
