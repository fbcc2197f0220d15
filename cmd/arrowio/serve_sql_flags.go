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
	temp                   string
	views                  map[string]string // of the config file
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
	f.memory = 1 << 30
	f.threads, f.queries, f.clientQueries = countValue{min: 1}, countValue{min: 1}, countValue{min: 1}
	fs := cmd.Flags()
	fs.BoolVar(&f.off, "sql-subset", false, "answer only SQL that is rows and columns of one dataset, and have DuckDB answer none")
	fs.Var(&f.memory, "sql-memory", "memory of DuckDB for one statement, beside that of its scans (default 1GiB)")
	fs.Var(&f.threads, "sql-threads", "threads of DuckDB for one statement (default: the number of CPUs)")
	fs.Var(&f.queries, "sql-queries", "statements that DuckDB runs at once; more wait (default 4)")
	fs.Var(&f.clientQueries, "sql-client-queries", "those of one client (default: half of all)")
	fs.DurationVar(&f.timeout, "sql-timeout", 10*time.Minute, "how long a statement may take, with the sending of its rows; -1s = any time (default 10m)")
	fs.StringVar(&f.temp, "sql-temp", "", "`DIR` for what of a statement does not fit into --sql-memory (default: the system's)")
}
