package kudu

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kudu"
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
	Rows      int64    // on disk; arrowio.UnknownRows = not known
	Bytes     int64    // of its blocks; -1 = not known
	Term      int64    // of the consensus metadata; 0 = not known
	Last      string   // the last operation in the log, TERM.INDEX; "" = none
	Committed string   // the last with a COMMIT, likewise
	Faults    []string // why it is not whole
	Chosen    bool     // it is read
	Why       string   // it is, or is not
}

// Replicas lists the replicas that the server at path, and those of o.Servers, have of all tablets, and says which of each are read.
// It looks at superblocks, consensus metadata and logs, and reads no rows.
func Replicas(ctx context.Context, path string, limits arrowio.Limits, o Options) (*ReplicaList, error) {
	l, err := kudu.ListReplicas(ctx, path, limits, o.own())
	if err != nil {
		return nil, err
	}
	out := &ReplicaList{Notes: l.Notes, Warnings: l.Warnings}
	for _, s := range l.Servers {
		out.Servers = append(out.Servers, ReplicaServer(s))
	}
	for _, t := range l.Tables {
		table := ReplicaTable{Name: t.Name, ID: t.ID}
		for _, x := range t.Tablets {
			tablet := ReplicaTablet{ID: x.ID, Voters: x.Voters, Majority: x.Majority}
			for _, r := range x.Replicas {
				tablet.Replicas = append(tablet.Replicas, Replica{
					Server: ReplicaServer(r.Server), State: r.State, RowSets: r.RowSets, Rows: r.Rows, Bytes: r.Bytes, Term: r.Term,
					Last: r.Last, Committed: r.Committed, Faults: r.Faults, Chosen: r.Chosen, Why: r.Why,
				})
			}
			table.Tablets = append(table.Tablets, tablet)
		}
		out.Tables = append(out.Tables, table)
	}
	return out, nil
}
