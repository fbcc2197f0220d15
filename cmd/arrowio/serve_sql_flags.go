package main

import (
	"time"

	"github.com/spf13/cobra"
)

// sqlFlags are the flags of serve for SQL that DuckDB answers. Builds without it have them, too, so that one config file fits both.
type sqlFlags struct {
	off                    bool
	memory                 sizeValue
	threads                countValue
	queries, clientQueries countValue
	timeout                time.Duration
	temp                   string
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
