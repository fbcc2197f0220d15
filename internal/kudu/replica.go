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
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// replica is what one server has of a tablet of which others may have replicas, too.
type replica struct {
	server    *server
	rank      int // of the server, as the caller names them
	super     *kuduwire.SuperBlock
	consensus *kuduwire.Consensus // nil = there is none that can be read
	log       logSurvey
	bytes     int64    // of its blocks, as far as they are there
	flushed   uint64   // hybrid time of the last change that is in files; 0 = not known
	bare      bool     // it has no superblock that can be read, and so no rows
	endless   bool     // its log is missing, damaged or cut short: what it had last is not known
	harm      []string // why it is not whole; none = nothing is known to be wrong
	chosen    bool
	why       string // it is chosen, or is not
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
	var missing int
	if r.bytes, missing = s.present(sb); missing > 0 {
		r.harm = append(r.harm, counted(int64(missing), "block is missing", "blocks are missing"))
	}
	if r.flushed, err = s.flushed(ctx, sb); err != nil {
		return nil, err
	}
	return r, r.look(ctx)
}

// newBare looks at the log of a tablet of which a server has no superblock that can be read.
func (s *server) newBare(ctx context.Context, rank int, id, why string) (*replica, error) {
	r := &replica{server: s, rank: rank, super: &kuduwire.SuperBlock{TabletID: id}, bare: true, harm: []string{why}}
	r.consensus, _ = s.dirs.consensus(id) // nil where it cannot be read; harm says already that little is left of the replica
	return r, r.look(ctx)
}

// look reads the log.
func (r *replica) look(ctx context.Context) error {
	if r.server.opt.SkipLog {
		return nil
	}
	var err error
	r.log, err = r.server.survey(ctx, r.super)
	wrong := ""
	switch {
	case err != nil && !r.server.passes(err):
		return err
	case err != nil:
		wrong = "its log cannot be read: " + innermost(err)
	case r.log.segments == 0 && len(r.log.lost) == 0:
		wrong = "it has no write-ahead log"
	case len(r.log.lost) > 0:
		wrong = "its log is damaged: " + r.log.lost[0]
	case r.flushed > r.log.reachTime && !r.super.TxnMetadata:
		wrong = fmt.Sprintf("its log is cut short: it ends with operation %s, and later changes are in files", r.log.last)
	}
	if wrong != "" {
		r.endless, r.harm = true, append(r.harm, wrong)
	}
	return nil
}

// readable reports whether there are rows to be read.
func (r *replica) readable() bool {
	return r.super.State == kuduwire.TabletReady || r.super.State == kuduwire.TabletCopying
}

// logs reports whether the log can be believed to its end.
func (r *replica) logs() bool {
	return r.super.State == kuduwire.TabletReady && r.log.segments > 0 && !r.endless && !r.log.torn
}

// gone reports whether the server has given the tablet up: what it had is no evidence.
func (r *replica) gone() bool {
	return r.super.State == kuduwire.TabletTombstoned || r.super.State == kuduwire.TabletDeleted
}

// end is the time of the last change of which anything of a replica tells.
func (r *replica) end() uint64 { return max(r.flushed, r.log.reachTime) }

// beyond reports whether a replica proves to have more than another: in its log, behind damage in it, or in files.
func (r *replica) beyond(o *replica) bool {
	return !r.gone() && (compareOps(r.log.reach, o.log.reach) > 0 || r.flushed > o.end())
}

// farthest says how far a replica goes.
func (r *replica) farthest() string {
	if r.flushed > r.log.reachTime {
		return "changes at " + timeText(r.flushed) + " in its files"
	}
	return "operation " + r.log.reach.String()
}

// compareOps compares operations as an election does: by the term, then by the index.
func compareOps(a, b kuduwire.OpID) int {
	return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.Index, b.Index))
}

// compareLogs compares how far two logs go, as an election does: by the term of the last operation, then by its index.
func compareLogs(a, b *replica) int { return compareOps(a.log.last, b.log.last) }

// better orders replicas, the one to be read first: ready ones, whole ones, then those that go further, that know of more commits,
// and of a later term. How far a damaged one goes is told by time, since what it has in files may be later than its log.
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
	further := 0
	if len(a.harm) > 0 {
		further = cmp.Compare(b.end(), a.end())
	}
	return cmp.Or(
		cmp.Compare(flag(!a.bare), flag(!b.bare)),
		cmp.Compare(flag(a.super.State == kuduwire.TabletReady), flag(b.super.State == kuduwire.TabletReady)),
		cmp.Compare(flag(len(a.harm) == 0), flag(len(b.harm) == 0)),
		further,
		compareLogs(b, a),
		cmp.Compare(b.log.commit.Index, a.log.commit.Index),
		cmp.Compare(term(b), term(a)),
		cmp.Compare(b.flushed, a.flushed),
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
		x.voters = newest.Voters()
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
		if r.beyond(first) {
			r.why += fmt.Sprintf("; it goes further, to %s", r.farthest())
		}
	}
	switch {
	case asked != "" && first.server.is(asked):
		first.why = "asked for"
	case len(x.all) == 1:
		first.why = "the only replica here"
	case len(first.harm) > 0:
		first.why = "no replica is whole, and its log goes furthest"
	case slices.ContainsFunc(x.all[1:], func(r *replica) bool { return len(r.harm) > 0 && r.beyond(first) }):
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

// tell warns of what the chosen replica lacks and others have, or may have had.
func (x *replicas) tell(f *findings, asked bool) {
	place := "tablet " + x.id
	first := x.all[0]
	lose := func(text string, r *replica) {
		w := at(place, arrowio.UnknownRows)
		if w.Kind = arrowio.WarnMissing; asked {
			f.warn(w, "%s, but another was asked for", text)
			return
		}
		if r.bare {
			f.lose(nil, w, "%s; %v of that server by itself puts its rows together", text, errs.Opt("kudu-rebuild", ""))
			return
		}
		f.lose(nil, w, "%s; %v reads what all have", text, errs.Opt("kudu-merge", ""))
	}
	read := fmt.Sprintf("%s: the replica of server %s is read, which ends with %s", place, first.server.name(), first.farthest())
	if r := x.further(first); r != nil {
		lose(fmt.Sprintf("%s; that of server %s goes on to %s, but is not read (%s)", read, r.server.name(), r.farthest(), r.fault()), r)
	} else if r := x.unsure(first, false); r != nil {
		lose(fmt.Sprintf("%s; that of server %s may have had later operations: %s", read, r.server.name(), r.fault()), r)
	}
	if !x.quorum && len(x.voters) > 1 {
		f.doubt(place, "%s: of its %d voting replicas fewer than a majority are here with a sound log: operations that clients were told of may be missing", place, len(x.voters))
	}
	f.note("%s: read from server %s (%s): %s", place, first.server.name(), first.server.path, first.why)
}

// further returns the replica that goes furthest beyond another; nil = none.
func (x *replicas) further(than *replica) (best *replica) {
	for _, r := range x.all {
		if r != than && r.beyond(than) && (best == nil || r.beyond(best)) {
			best = r
		}
	}
	return best
}

// unsure returns a replica that may have had operations behind the end of another, for nothing tells what it had last; nil = none. What
// clients were told of is in the logs of a majority: where these are here, no other log matters. torn says whether a log
// that ends in a part of an entry counts, which is mostly one that clients were not told of.
func (x *replicas) unsure(than *replica, torn bool) *replica {
	for _, r := range x.all {
		if r != than && (r.endless || torn && r.log.torn) && !r.gone() && !x.quorum {
			return r
		}
	}
	return nil
}

// fault says why a replica is not read, for a message.
func (r *replica) fault() string {
	if len(r.harm) > 0 {
		return strings.Join(r.harm, "; ")
	}
	return r.why
}
