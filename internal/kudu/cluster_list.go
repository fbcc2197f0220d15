package kudu

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// ReplicaList is what several servers have of the tablets of all tables.
type ReplicaList struct {
	Servers  []ReplicaServer
	Tables   []ReplicaTable // by name
	Notes    []string
	Warnings []arrowio.Warning
}

// ReplicaServer is a server that was looked at.
type ReplicaServer struct {
	Path string
	UUID string // "" = not known
}

// ReplicaTable is a table and its tablets.
type ReplicaTable struct {
	Name, ID string
	Tablets  []ReplicaTablet
}

// ReplicaTablet is a tablet and its replicas, the one that is read first.
type ReplicaTablet struct {
	ID       string
	Voters   int  // 0 = not known
	Majority bool // the logs of a majority of the voters are here, and sound
	Replicas []Replica
}

// Replica is what a server has of a tablet.
type Replica struct {
	Server    ReplicaServer
	State     string
	RowSets   int64
	Rows      int64  // on disk; arrowio.UnknownRows = not known
	Bytes     int64  // of its blocks; -1 = not known
	Term      int64  // of the consensus metadata; 0 = not known
	Last      string // the last operation in the log, TERM.INDEX; "" = none
	Committed string // the last with a COMMIT, likewise
	Faults    []string
	Chosen    bool // it is read
	Why       string
}

// ListReplicas looks at the superblocks, consensus metadata and logs of the server at path and of those that o names beside it. It
// reads no rows.
func ListReplicas(ctx context.Context, path string, limits arrowio.Limits, o Options) (*ReplicaList, error) {
	var f findings
	salvage := o.Salvage
	o.noData, o.Salvage = true, true
	s, err := openServers(ctx, path, limits, o, &f)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // it was only read
	if err := s.checkReplica(o.Replica); err != nil {
		return nil, err
	}
	found, err := s.count(ctx, o.Replica, &f, nil)
	if err != nil {
		return nil, err
	}
	if len(found.tables) == 0 {
		err := errs.Errorf(errs.ErrCorrupt, "kudu: no server that is named has a superblock that can be read, and nothing else tells which blocks a tablet has: %w puts the blocks of one server together",
			errs.Opt("kudu-rebuild", "likely"))
		if !salvage {
			return nil, err
		}
		f.loseBlocks(at("", arrowio.UnknownRows), "%s", innermost(err))
	}
	c := &Cluster{}
	out := &ReplicaList{}
	for _, x := range s.all {
		out.Servers = append(out.Servers, x.listed())
		var of findings
		of.ofServer(x)
		c.take(x, &of)
	}
	for i, x := range found.tablets {
		out.table(found.tables[i].super).Tablets = append(out.table(found.tables[i].super).Tablets, x.listed())
	}
	slices.SortFunc(out.Tables, func(a, b ReplicaTable) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	for _, t := range out.Tables {
		var supers []*kuduwire.SuperBlock
		for i := range found.tables {
			if sb := found.tables[i].super; sb.TableID == t.ID {
				supers = append(supers, sb)
			}
		}
		f.tellPartitions(s.all[0].dirs, supers, false)
	}
	out.Notes = append(c.allNotes(), f.allNotes()...)
	out.Warnings = append(c.Warnings(), f.Warnings()...)
	return out, nil
}

func (l *ReplicaList) table(sb *kuduwire.SuperBlock) *ReplicaTable {
	for i := range l.Tables {
		if l.Tables[i].ID == sb.TableID {
			return &l.Tables[i]
		}
	}
	l.Tables = append(l.Tables, ReplicaTable{Name: sb.TableName, ID: sb.TableID})
	return &l.Tables[len(l.Tables)-1]
}

func (s *server) listed() ReplicaServer { return ReplicaServer{Path: s.path, UUID: s.dirs.UUID} }

func (x *replicas) listed() ReplicaTablet {
	out := ReplicaTablet{ID: x.id, Voters: len(x.voters), Majority: x.quorum}
	for _, r := range x.all {
		out.Replicas = append(out.Replicas, r.listed())
	}
	return out
}

func (r *replica) listed() Replica {
	out := Replica{
		Server: r.server.listed(), State: r.super.State.String(), RowSets: int64(len(r.super.RowSets)), Rows: arrowio.UnknownRows,
		Faults: r.harm, Chosen: r.chosen, Why: r.why,
	}
	if r.super.State == kuduwire.TabletReady {
		out.Rows = 0
		for i := range r.super.RowSets {
			if n := r.super.RowSets[i].LiveRows; n < 0 || out.Rows < 0 {
				out.Rows = arrowio.UnknownRows
			} else {
				out.Rows += n
			}
		}
	}
	if out.Bytes = r.bytes; len(r.server.dirs.Data) == 0 {
		out.Bytes = unknownBytes
	}
	if r.consensus != nil {
		out.Term = r.consensus.Term
	}
	if r.log.last.Index > 0 {
		out.Last = r.log.last.String()
	}
	if r.log.commit.Index > 0 {
		out.Committed = r.log.commit.String()
	}
	return out
}

// defineOfSeveral is Define for several servers: the ranges are those of the tablets of all.
func defineOfSeveral(ctx context.Context, path string, limits arrowio.Limits, o Options) (*Definition, error) {
	o.noData, o.Salvage = true, true
	c := &Cluster{opt: o}
	var err error
	if c.servers, err = openServers(ctx, path, limits, o, &c.findings); err != nil {
		return nil, err
	}
	f := &File{dirs: c.all[0].dirs, limits: c.all[0].limits, opt: o}
	found, err := c.count(ctx, o.Replica, &c.findings, nil)
	if err == nil {
		c.tablets, err = c.ofTable(found)
	}
	if err == nil {
		for _, x := range c.tablets {
			sb := x.all[0].super
			f.tablets = append(f.tablets, &tablet{id: x.id, super: sb, schema: sb.Schema, version: sb.SchemaVersion})
		}
		f.table = c.table
		err = f.makeSchema(newestOf(f.tablets))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	d, err := f.definition()
	return d, errors.Join(err, c.Close())
}
