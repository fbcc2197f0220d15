//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/duckdb"
)

type queryFlags struct {
	*readFlags
	*writeFlags
	format wordValue
	show   *showFlags
	output string
	limit  int64
	params []string
	temp   string
	scans  bool
}

func (a *app) queryCommand() *cobra.Command {
	f := &queryFlags{}
	cmd := &cobra.Command{
		Use:   "query [flags] SQL",
		Short: "SQL over files, with DuckDB",
		Long: `Query runs SQL in DuckDB, in this process, and prints the rows of its last statement. Where a table may stand, so may
anything that is an INPUT elsewhere, in quotes: a file of any readable format, a directory, a glob, s3://…, hdfs://…, '-'.
arrowio('PATH', option := VALUE) takes the options of reading, with underscores: format := 'kudu' is --from kudu.

Only the columns that the statement needs are read, and conditions of a column and constants choose stripes, row groups,
blocks and rows. DuckDB itself reads and writes no file and loads no extension. SQL - is standard input.`,
		Example: `  arrowio query "select city, sum(fare) from 'trips/*.orc' join 'cities.trv' using (id) group by city"
  arrowio query --format csv --param day=2024-05-01 "select * from 'events.orc' where day = \$day"
  arrowio query -o top.parquet "from 'events.orc' where price > 100 order by price desc limit 1000"
  arrowio query "from arrowio('/wal', format := 'kudu', kudu_table := 'metrics', kudu_data_dir := ['/data/1'])"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("query takes one SQL statement, in quotes; - reads it from standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && f.limit < 0 {
				return usagef("--limit takes a number of rows, not %d", f.limit)
			}
			if f.memory > 0 && f.memory < duckdb.LeastMemory {
				return usagef("query: --memory is %s; the least is %s: %s", humanize.IBytes(uint64(f.memory)), humanize.IBytes(duckdb.LeastMemory), duckdbWorks)
			}
			if !cmd.Flags().Changed("limit") {
				f.limit = math.MaxInt64
			}
			if f.output != "" && cmd.Flags().Changed("format") {
				return usagef("--format cannot be used with --output; use --to for the format of the output")
			}
			return a.query(cmd.Context(), f, args[0])
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	f.writeFlags = a.addWriteFlags(cmd, f.readFlags.options)
	f.format = wordValue{word: "table", words: append([]string{"table"}, textFormats...), kind: "FORMAT"}
	addWord(cmd, &f.format, "format", "table, jsonl or csv")
	f.show = addShowFlags(cmd)
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "write the rows to `OUTPUT`, of any writable format, instead of printing them")
	fs.Int64Var(&f.limit, "limit", 0, "stop after `N` rows (default: all)")
	fs.StringArrayVar(&f.params, "param", nil, "`NAME=VALUE` stands where the SQL says $NAME: a number, TRUE, FALSE or NULL, or else text; may be given several times")
	fs.StringVar(&f.temp, "temp", "", "`DIR` for what does not fit into --memory (default: the system's)")
	fs.BoolVar(&f.scans, "scans", false, "tell on standard error what each scan read, and what it was filtered by")
	return cmd
}

// querying is one query with what it has opened.
type querying struct {
	a      *app
	f      *queryFlags
	opened []*inputSet

	mu      sync.Mutex
	unknown []string // names that are no files
}

// known is knownFile, and remembers what is none.
func (q *querying) known(name string) bool {
	ok := knownFile(name)
	if !ok {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.unknown = append(q.unknown, name)
	}
	return ok
}

// notThere returns the error of a statement, or that of a file that it names in quotes and that is not there: DuckDB looks for a table.
func (q *querying) notThere(sql string, err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, name := range q.unknown {
		if errors.Is(err, errs.ErrOption) && strings.Contains(sql, "'"+name+"'") { // DuckDB asks for no name that is a table
			return inFile(name, fmt.Errorf("there is no table, and no file, of this name: %w", fs.ErrNotExist))
		}
	}
	return err
}

func (a *app) query(ctx context.Context, f *queryFlags, sql string) (err error) {
	if sql, err = f.statement(a.stdin, sql); err != nil {
		return err
	}
	var format arrowio.OutputFormat
	var store arrowio.Store
	if f.output != "" {
		// The output is checked first, as a conversion does.
		if format, err = a.outputFormat(f.to.word, f.output); err != nil {
			return err
		}
		if store, err = a.openStore(ctx, format, f.output, f.force, format.Directory || strings.HasSuffix(f.output, "/")); err != nil {
			return err
		}
		defer store.Abort() // does nothing once it is committed
	}
	temp, err := os.MkdirTemp(f.temp, "arrowio-query-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	q := &querying{a: a, f: f}
	db, err := duckdb.Open(duckdb.Options{
		Known: q.known, Open: q.open, Names: a.tableOptions(),
		Threads: f.jobs.n, Memory: int64(f.memory), TempDir: temp,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return q.notThere(sql, err)
	}
	defer func() { _ = rows.Close() }() // where it is not the first time, it says nothing
	if err := q.checkOptions(format.Name); err != nil {
		return err
	}
	out, done, err := q.printer(ctx, rows.Schema(), format, store)
	if err != nil {
		return err
	}
	if err := q.copyRows(rows, out); err != nil {
		_ = out.Abort() // the reason is in err
		return err
	}
	if err := out.Close(); err != nil {
		return q.outputError(err)
	}
	done()
	q.tellScans(rows.Scans())
	return rows.Close()
}

// statement returns the SQL with the values of its parameters.
func (f *queryFlags) statement(stdin io.Reader, sql string) (string, error) {
	if sql == "-" {
		b, err := io.ReadAll(io.LimitReader(stdin, schemaBytes+1))
		if err != nil {
			return "", err
		}
		if len(b) > schemaBytes {
			return "", usagef("query: SQL of more than %d bytes", schemaBytes)
		}
		sql = string(b)
	}
	if strings.ContainsRune(sql, 0) {
		return "", usagef("query: the SQL has a zero byte in it")
	}
	values := map[string]string{}
	for _, p := range f.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return "", usagef("--param takes NAME=VALUE, not %q", p)
		}
		if strings.ContainsRune(value, 0) {
			return "", usagef("--param %s has a zero byte in it", name)
		}
		values[name] = value
	}
	if len(values) == 0 {
		return sql, nil
	}
	return duckdb.Parameters(sql, values)
}

// knownFile reports whether a name that is not a table is the path of a file: it looks like a path, or such a file exists.
func knownFile(name string) bool {
	if name == "" {
		return false
	}
	if name == "-" || strings.ContainsAny(name, "/*?[") || filepath.Ext(name) != "" {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// printer returns the writer for the rows, and done, which is called after the last row.
func (q *querying) printer(ctx context.Context, s *arrow.Schema, format arrowio.OutputFormat, store arrowio.Store) (arrowio.Writer, func(), error) {
	a, f := q.a, q.f
	if store == nil {
		if f.format.word == "table" {
			out := a.newTablePrinter(s, f.show)
			return out, func() {}, nil
		}
		w, err := a.newFormatPrinter(ctx, f.format.word, f.writeFlags.options, a.stdout, s)
		return w, func() {}, err
	}
	plan, err := format.Plan(s, writeOptions(f.readFlags, f.writeFlags, format))
	if err != nil {
		return nil, nil, q.outputError(err)
	}
	w, err := arrowio.NewWriter(ctx, format, store, plan)
	return w, func() {
		a.noteLosses(f.output, plan, nil)
		a.noteAdvice(f.output, plan)
		if s, ok := store.(*namedStore); ok && plan.Parts != "" && !strings.HasSuffix(f.output, "/") {
			a.noteParts(f.output, plan, s.files.Load())
		}
	}, q.outputError(err)
}

// outputError adds the name of OUTPUT to errors about it.
func (q *querying) outputError(err error) error {
	if q.f.output == "" {
		return err
	}
	return outputError(q.f.output, err)
}

// copyRows sends the rows to out, at most as many as --limit.
func (q *querying) copyRows(rows *duckdb.Rows, out arrowio.Writer) error {
	for limit := q.f.limit; limit > 0; {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		n := min(rec.NumRows(), limit)
		err = writeRows(out, rec, 0, n)
		rec.Release()
		if err != nil {
			return q.outputError(err)
		}
		limit -= n
	}
	return nil
}

// checkOptions returns an error for options that neither a table nor the output has.
func (q *querying) checkOptions(output string) error {
	f := q.f
	if output == "" && f.format.word != "table" {
		output = f.format.word
	}
	var used []usedFormat
	if output != "" {
		used = append(used, usedFormat{f.writeFlags.options, output, "the output"})
	}
	for _, ds := range q.opened {
		for _, name := range ds.formats.names() {
			used = append(used, usedFormat{f.readFlags.options, name, ds.files[0]})
		}
	}
	return f.readFlags.options.check(used...)
}

func (q *querying) tellScans(scans []duckdb.Scan) {
	if !q.f.scans {
		return
	}
	for _, s := range scans {
		line := fmt.Sprintf("scan of %s: columns %s", s.Name, strings.Join(s.Columns, ", "))
		if len(s.Columns) == 0 {
			line = fmt.Sprintf("scan of %s: no columns", s.Name)
		}
		if s.Filter != nil {
			line += "; where " + s.Filter.String()
		}
		fmt.Fprintln(q.a.stderr, printable(line))
	}
	for _, ds := range q.opened {
		fmt.Fprintln(q.a.stderr, printable(fmt.Sprintf("read of %s: %d of %d bytes", ds.files[0], ds.read(), ds.size)))
	}
}
