package main

import (
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/flight"
)

// sqlFlags are the flags of serve for SQL that DuckDB answers. Builds without it have them, too, so that one config file fits both.
type sqlFlags struct {
	off                    bool
	memory                 sizeValue
	threads                countValue
	queries, clientQueries countValue
	timeout                time.Duration

	sessions, clientSessions countValue
	sessionIdle              time.Duration
	sessionMemory            sizeValue

	temp    string
	tempMax sizeValue         // of one statement; 0 = tempFactor times its memory
	views   map[string]string // of the config file
}

// viewsKey is the table of a config file with views: NAME = "SELECT …".
const viewsKey = "views"

// configure reads that table.
func (f *sqlFlags) configure(value any) error {
	if value == nil {
		return nil
	}
	table, ok := value.(map[string]any)
	if !ok {
		return usagef("%s: want a table with NAME = \"SELECT …\" in each line", viewsKey)
	}
	f.views = map[string]string{}
	for name, v := range table {
		text, ok := v.(string)
		if !ok || !flight.ValidName(name) {
			return usagef("%s: %s: want NAME = \"SELECT …\", where a name has letters, digits, _ . -", viewsKey, name)
		}
		f.views[name] = text
	}
	return nil
}

// checkViews returns an error if a view and a dataset have one name, or a restriction names a view, which it would not restrict.
func (f *sqlFlags) checkViews(names []string, restrictions []flight.Restriction) error {
	for _, name := range slices.Sorted(maps.Keys(f.views)) {
		if slices.Contains(names, name) {
			return usagef("%s: %s is the name of a dataset", viewsKey, name)
		}
		for _, r := range restrictions {
			if slices.Contains(r.Datasets, name) {
				return usagef("%s: %s is a view, and rows and columns are those of datasets: restrict the datasets that it reads", restrictKey, name)
			}
		}
	}
	return nil
}

func (f *sqlFlags) add(cmd *cobra.Command) {
	f.memory, f.sessionMemory = 1<<30, 256<<20
	f.threads, f.queries, f.clientQueries = countValue{min: 1}, countValue{min: 1}, countValue{min: 1}
	f.sessions, f.clientSessions = countValue{n: 16}, countValue{min: 1}
	fs := cmd.Flags()
	fs.BoolVar(&f.off, "sql-subset", false, "answer only SQL that is rows and columns of one dataset, and have DuckDB answer none")
	fs.Var(&f.memory, "sql-memory", "memory of DuckDB for one statement, beside that of its scans (default 1GiB)")
	fs.Var(&f.threads, "sql-threads", "threads of DuckDB for one statement (default: the number of CPUs)")
	fs.Var(&f.queries, "sql-queries", "statements that DuckDB runs at once; more wait (default 4)")
	fs.Var(&f.clientQueries, "sql-client-queries", "those of one client (default: half of all)")
	fs.DurationVar(&f.timeout, "sql-timeout", 10*time.Minute, "how long a statement may take, with the sending of its rows; -1s = any time (default 10m)")
	fs.Var(&f.sessions, "sql-sessions", "sessions at once: databases of clients that keep temporary tables and settings; 0 = none (default 16)")
	fs.Var(&f.clientSessions, "sql-client-sessions", "those of one client (default: half of all)")
	fs.DurationVar(&f.sessionIdle, "sql-session-idle", 10*time.Minute, "how long a session stays that no statement uses (default 10m)")
	fs.Var(&f.sessionMemory, "sql-session-memory", "memory of DuckDB for one session, with its temporary tables; four times as much may go to --sql-temp (default 256MiB)")
	fs.Var(&f.tempMax, "sql-temp-max", "what one statement may keep there (default: four times --sql-memory)")
	fs.StringVar(&f.temp, "sql-temp", "", "`DIR` for what of a statement does not fit into --sql-memory (default: the system's)")
}
