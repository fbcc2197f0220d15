package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
)

// kuduReplica is what one of several servers has of a tablet.
type kuduReplica struct {
	Dir       string   `json:"dir"`
	Server    string   `json:"server"` // uuid; "" = not known
	State     string   `json:"state"`
	RowSets   int64    `json:"rowsets"`
	Rows      *int64   `json:"rows"`
	Bytes     *int64   `json:"bytes"`
	Term      int64    `json:"term"`      // of the consensus metadata
	Last      string   `json:"last"`      // the last operation in the log, TERM.INDEX
	Committed string   `json:"committed"` // the last with a COMMIT
	Faults    []string `json:"faults"`    // why it is not whole
	Chosen    bool     `json:"chosen"`    // it is read
	Why       string   `json:"why"`
}

// kuduListReplicas lists the replicas of several servers.
func (a *app) kuduListReplicas(ctx context.Context, f *kuduListFlags, dirs []string) error {
	list, err := readkudu.Replicas(ctx, dirs[0], arrowio.Limits{}, readkudu.Options{
		Data: f.data, Metadata: f.metadata, Key: f.key, Rebuild: f.rebuild, Schemas: f.schemas, Servers: dirs[1:], Replica: f.replica,
	})
	if err != nil {
		return inFile(dirs[0], err)
	}
	a.tellAll(strings.Join(dirs, ", "), list.Warnings)
	l := listReplicas(dirs[0], list)
	l.spell(a)
	if f.json {
		l.Warnings = a.warnings.list()
		return printJSON(a.stdout, l)
	}
	return printReplicas(a.onSheet(a.stdout), l)
}

// tellAll prints warnings about what is at name.
func (a *app) tellAll(name string, all []arrowio.Warning) {
	for _, w := range all {
		w.File = name
		a.tell(w)
	}
}

func listReplicas(dir string, list *readkudu.ReplicaList) *kuduListing {
	l := &kuduListing{File: dir, Tables: []kuduTable{}, Tablets: []kuduTablet{}, Notes: append([]string{}, list.Notes...)}
	for _, x := range list.Tables {
		table := kuduTable{Name: x.Name, ID: x.ID, Rows: new(int64), Bytes: new(int64), Tablets: []kuduTablet{}}
		for _, y := range x.Tablets {
			first := &y.Replicas[0]
			t := kuduTablet{
				ID: y.ID, State: first.State, RowSets: &first.RowSets, Rows: knownNumber(first.Rows), Bytes: knownNumber(first.Bytes),
				Detail: fmt.Sprintf("%s of %s", counted(int64(len(y.Replicas)), "replica"), counted(int64(y.Voters), "voter")), Rebuilt: []kuduPart{},
			}
			if !y.Majority {
				t.Detail += ", no majority of sound logs"
			}
			for i := range y.Replicas {
				r := &y.Replicas[i]
				t.Replicas = append(t.Replicas, kuduReplica{
					Dir: r.Server.Path, Server: r.Server.UUID, State: r.State, RowSets: r.RowSets, Rows: knownNumber(r.Rows), Bytes: knownNumber(r.Bytes),
					Term: r.Term, Last: r.Last, Committed: r.Committed, Faults: append([]string{}, r.Faults...), Chosen: r.Chosen, Why: r.Why,
				})
			}
			table.Tablets = append(table.Tablets, t)
			table.Rows, table.Bytes = addKnown(table.Rows, t.Rows), addKnown(table.Bytes, t.Bytes)
		}
		l.Tables = append(l.Tables, table)
	}
	return l
}

// addKnown adds numbers, of which nil is not known.
func addKnown(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	n := *a + *b
	return &n
}

func printReplicas(w sheet, l *kuduListing) error {
	var rows [][]string
	tablets := 0
	for _, table := range l.Tables {
		for _, t := range table.Tablets {
			tablets++
			name, id := table.Name, t.ID
			for _, r := range t.Replicas {
				read, count, size := "", "", ""
				if r.Chosen {
					read = "yes"
				}
				if r.Rows != nil {
					count = humanize.Comma(*r.Rows)
				}
				if r.Bytes != nil {
					size = humanize.IBytes(uint64(*r.Bytes))
				}
				rows = append(rows, []string{name, id, r.Dir, r.State, count, size, r.Last, r.Committed, read, r.Why})
				name, id = "", ""
			}
		}
	}
	right := map[string]bool{"rows": true, "size": true, "last op": true, "committed": true}
	if err := printTable(w, []string{"table", "tablet", "server", "state", "rows", "size", "last op", "committed", "read", "why"}, right, rows); err != nil {
		return err
	}
	w.line("", "", fmt.Sprintf("%s, %s", counted(int64(len(l.Tables)), "table"), counted(int64(tablets), "tablet")))
	for _, n := range l.Notes {
		w.line("note: ", "  ", printable(n))
	}
	return nil
}

// exportedOfSeveral lists the tables to export of several servers.
func (a *app) exportedOfSeveral(ctx context.Context, f *kuduExportFlags, dir string, options map[string]string) ([]arrowio.MemberInfo, error) {
	list, err := readkudu.Replicas(ctx, dir, arrowio.Limits{}, readkudu.Options{
		Data: optionLines(options["kudu-data-dir"]), Metadata: options["kudu-metadata-dir"], Key: options["kudu-encryption-key"], Servers: optionLines(options["kudu-server"]),
		Replica: options["kudu-replica"], Merge: options["kudu-merge"] == "true", Rebuild: options["kudu-rebuild"], Salvage: options["kudu-salvage"] == "true",
	})
	if err != nil {
		return nil, inFile(dir, err)
	}
	names := map[string]int{}
	for _, t := range list.Tables {
		names[t.Name]++
	}
	var out []arrowio.MemberInfo
	var there []string
	found := map[string]bool{}
	for _, t := range list.Tables {
		there = append(there, t.Name)
		named := slices.Contains(f.tables, t.Name) || slices.Contains(f.tables, t.ID)
		found[t.Name], found[t.ID] = true, true
		rows := slices.ContainsFunc(t.Tablets, func(x readkudu.ReplicaTablet) bool { return x.Replicas[0].Chosen })
		if !named && (!f.all || !rows) { // tables that all servers have given up have no rows here, which is no failure
			continue
		}
		value := t.Name
		if names[value] > 1 || value == "" {
			value = t.ID
		}
		out = append(out, arrowio.MemberInfo{Kind: "table", Name: t.Name, ID: t.ID, Parts: int64(len(t.Tablets)), Open: []arrowio.Choice{{Option: "kudu-table", Value: value}}})
		f.places.name(t.Name, t.ID)
		for _, x := range t.Tablets {
			f.places.tables[x.ID] = t.ID
		}
	}
	for _, w := range list.Warnings {
		w.File = dir
		f.places.list(w, a.tell)
	}
	for _, name := range f.tables {
		if !found[name] {
			return nil, noTable(dir, name, there)
		}
	}
	return out, nil
}
