package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/readers"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	from      wordValue
	options   *optionFlags
	listen    []string
	advertise []string
	jobs      countValue
	memory    sizeValue
	endpoint  sizeValue
	refresh   time.Duration
	drain     time.Duration
	stall     time.Duration
	log       wordValue
	json      bool
	ops       opsFlags
	put       putFlags
	sql       sqlFlags
	each      eachFlags
	audit     auditFlags
	trace     traceFlags

	partitions *partitionFlags
	schemas    []string // [NAME=]FILE|TEXT
	casts      []string // [NAME=]WORD
}

func (a *app) serveCommand() *cobra.Command {
	f := &serveFlags{jobs: countValue{min: 1}, options: newOptionFlags()}
	cmd := &cobra.Command{
		Use:   "serve [flags] NAME=PATH...",
		Short: "Serve datasets over Arrow Flight",
		Long: `Serve gives datasets to Arrow Flight clients of any language, by name. A PATH is a file, a directory, a glob or a URL
of a store, as an INPUT is; a NAME that comes twice has both. Clients ask for a NAME, or with JSON for columns and rows of it:

  {"dataset": "events", "columns": ["a", "b.c"], "where": "a > 5", "rows": "0:1000000", "compression": "zstd"}

Clients can read only these datasets, and what clients have put into the directories of --writable. Without security serve
listens on loopback addresses and Unix sockets only.

The addresses are printed when it is ready: a line each, or with --json {"addresses": [...], "datasets": [{"name",
"format", "fragments", "rows", "bytes"}], "page": of --http}. On SIGTERM or SIGINT it takes no more calls and ends when those that run are
done; on a second signal it ends at once. SIGHUP makes it look for new and changed files, and read tokens, certificates and keys again. Its log goes to standard error.`,
		Example: `  arrowio serve events=archive/events/ prices=prices.orc
  arrowio serve --listen unix:///run/arrowio.sock --listen grpc://127.0.0.1:0 --json events='archive/*.trv'
  arrowio serve --each archive/reports/ --skip-broken --refresh 1m
  arrowio serve --refresh 1m --schema events=events.json events=s3://lake/events/ sales=hdfs:///warehouse/sales`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && f.ops.config == "" && len(f.put.writable)+len(f.each.dirs) == 0 {
				return usagef("serve: datasets are missing: give NAME=PATH, such as events=archive/events/")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := f.ops.configure(cmd, &f.sql, args)
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	f.from = wordValue{words: a.readerNames(), kind: "FORMAT"}
	addWord(cmd, &f.from, "from", "read every PATH as this format instead of telling it by content")
	fs.StringArrayVar(&f.listen, "listen", []string{"grpc://127.0.0.1:8815"}, "listen at `URI`: grpc://HOST:PORT (port 0 = any), unix:///PATH; may be given several times (default grpc://127.0.0.1:8815)")
	fs.StringArrayVar(&f.advertise, "advertise", nil, "tell clients to read at `URI`, of this server or another of the same datasets; may be given several times (default: where they asked)")
	fs.Var(&f.jobs, "jobs", "splits of one stream decoded at once (default: the number of CPUs)")
	fs.Var(&f.memory, "memory", "memory of one stream for splits in flight (default 256MiB)")
	fs.Var(&f.endpoint, "endpoint-bytes", "stored bytes of an endpoint, about (default 128MiB)")
	fs.DurationVar(&f.refresh, "refresh", 0, "look for new and changed files every `DURATION`, such as 30s (default: when a client asks)")
	fs.DurationVar(&f.drain, "drain-timeout", 30*time.Second, "how long running calls may go on after a signal; -1s = as long as they take (default 30s)")
	fs.DurationVar(&f.stall, "stall-timeout", 5*time.Minute, "how long a client may take nothing of what waits for it before its call is ended, and then its connection; and send nothing of what it puts; 0 = any time (default 5m)")
	f.log = wordValue{words: []string{"text", "json", "none"}, word: "text"}
	addWord(cmd, &f.log, "log", "how to log calls to standard error: text, json or none (default text)")
	fs.BoolVar(&f.json, "json", false, "print what is served as a JSON object")
	f.ops.add(cmd)
	f.put.add(cmd)
	f.sql.add(cmd)
	f.each.add(cmd)
	f.audit.add(cmd)
	f.trace.add(cmd)
	f.partitions = addPartitionFlags(cmd)
	f.addSchemas(cmd)
	a.addStoreFlags(cmd)
	for _, r := range a.readers {
		f.options.add(cmd, r.Name, r.Options)
	}
	return cmd
}

// datasetArgs groups PATHs by NAME, in the order of the first occurrence of each name.
func datasetArgs(args []string) (names []string, paths map[string][]string, err error) {
	paths = map[string][]string{}
	for _, arg := range args {
		name, path, ok := strings.Cut(arg, "=")
		switch {
		case !ok || path == "":
			return nil, nil, usagef("serve: %q is not NAME=PATH", arg)
		case !flight.ValidName(name):
			return nil, nil, usagef("serve: %q cannot be a name: letters, digits, _ . - are allowed", name)
		case path == "-":
			return nil, nil, usagef("serve: standard input can be read only once")
		}
		if paths[name] == nil {
			names = append(names, name)
		}
		paths[name] = append(paths[name], path)
	}
	return names, paths, nil
}

func (f *serveFlags) logger(a *app) *slog.Logger {
	switch f.log.word {
	case "json":
		return slog.New(slog.NewJSONHandler(a.stderr, nil))
	case "none":
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.stderr, nil))
}

// served is what serve prints when the server is ready.
type served struct {
	Addresses []string        `json:"addresses"`
	Datasets  []servedDataset `json:"datasets"`
	Page      string          `json:"page,omitempty"` // the address for browsers
}

type servedDataset struct {
	Name      string `json:"name"`
	Format    string `json:"format"` // of the first file
	Fragments int    `json:"fragments"`
	Rows      *int64 `json:"rows"` // null = not known before they are read
	Bytes     int64  `json:"bytes"`

	Error   string        `json:"error,omitempty"` // why it cannot be opened
	LeftOut []servedFault `json:"left_out,omitempty"`
}

// servedFault is a file that is left out of its dataset.
type servedFault struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

func (a *app) serve(ctx context.Context, f *serveFlags, args []string) (err error) {
	names, paths, err := datasetArgs(args)
	if err != nil {
		return err
	}
	if len(names) == 0 && len(f.put.writable)+len(f.each.dirs) == 0 { // the config file has none
		return usagef("serve: datasets are missing: give NAME=PATH, such as events=archive/events/, or a table [%s] in the config file", datasetsKey)
	}
	if f.stall < 0 {
		return usagef("serve: --stall-timeout is %s; it may be 0, for any time, or more", f.stall)
	}
	if f.refresh < 0 {
		return usagef("serve: --refresh is %s; it may be 0, for never, or more", f.refresh)
	}
	if err := checkAdvertised(f.advertise); err != nil {
		return err
	}
	if err := f.checkLeast(); err != nil {
		return err
	}
	hangups := takeHangups()
	log := f.logger(a)
	// Calls that run when ctx ends go on reading; until there are any, it ends what waits for a store.
	places := a.places(context.WithoutCancel(ctx))
	defer places.Stop()
	starting := context.AfterFunc(ctx, places.Stop)
	specs, err := f.specs(a, names, paths, places)
	if err != nil {
		return err
	}
	catalog := flight.NewCatalog(flight.CatalogOptions{Refresh: f.refresh, Logger: log})
	o := flight.Options{
		Catalog: catalog, Logger: log, Advertise: f.advertise, Parallelism: f.jobs.n, Memory: int64(f.memory),
		EndpointBytes: int64(f.endpoint), DrainTimeout: f.drain, StallTimeout: f.stall,
	}
	if err := f.put.apply(f.each.read(readers.Options{Formats: a.readers, Stores: places}), &f.ops, &o); err != nil {
		return err
	}
	ops, err := f.ops.apply(&o)
	if err != nil {
		return err
	}
	audit, err := f.audit.apply(&o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, audit.close()) }()
	stopTraces, err := f.trace.apply(ctx, &o, f.audit.text())
	if err != nil {
		return err
	}
	defer stopTraces()
	stopSQL, err := f.sql.apply(&o)
	if err != nil {
		return err
	}
	defer stopSQL()
	server, err := flight.New(o)
	if err != nil {
		return err
	}
	stopMonitor, err := ops.startMonitor(server)
	if err != nil {
		return err
	}
	defer stopMonitor()
	if names, err = f.fill(ctx, a, names, paths, specs, places, &o); err != nil {
		return err
	}
	if err := f.sql.checkViews(names, f.ops.restrictions); err != nil {
		return inFile(f.ops.config, err)
	}
	if err := f.checkNames(ctx, names, log); err != nil {
		return err
	}
	if err := ops.access.CheckRestrictions(ctx, catalog); err != nil {
		return inFile(f.ops.config, err)
	}
	listeners, err := listenAll(server, f.listen, ops)
	if err == nil && f.ops.check {
		if err = ops.access.CheckKeys(ctx); err == nil {
			err = a.printf("ok\n")
		}
		err = errors.Join(err, ops.close())
		for _, l := range listeners {
			err = errors.Join(err, l.Close())
		}
		return err
	}
	if err == nil {
		err = a.printServed(ctx, catalog, names, listeners, o.Credentials != nil, f.json, ops.pageURL())
	}
	if err != nil {
		err = errors.Join(err, ops.close())
		for _, l := range listeners {
			err = errors.Join(err, l.Close())
		}
		return err
	}
	starting()
	ops.health.Started()
	var refreshing sync.WaitGroup
	defer refreshing.Wait()
	until, stop := context.WithCancel(ctx)
	defer stop()
	refreshing.Go(func() { refreshOnHangup(until, hangups, &ops.reloader, catalog, audit, &f.ops.read, log) })
	return ops.serve(ctx, server, listeners)
}

// listenAll opens all addresses. With an error it also returns those that it has opened.
func listenAll(server *flight.Server, uris []string, ops *ops) (out []net.Listener, err error) {
	if err := ops.listenPage(server); err != nil {
		return nil, err
	}
	for _, uri := range uris {
		if err := ops.checkURI(uri); err != nil {
			return out, err
		}
		l, err := flight.Listen(uri)
		if err != nil {
			if err = ops.held(server, err); err != nil {
				return out, err
			}
			continue
		}
		out = append(out, l)
		if err := ops.explain(server.CheckAddress(l.Addr())); err != nil {
			return out, err
		}
	}
	return out, nil
}

// printServed prints that the server is ready. Connections that arrive before Serve is called wait.
func (a *app) printServed(ctx context.Context, c *flight.Catalog, names []string, listeners []net.Listener, tls, asJSON bool, page string) error {
	out := served{Page: page, Addresses: []string{}, Datasets: []servedDataset{}}
	for _, l := range listeners {
		out.Addresses = append(out.Addresses, flight.URI(l.Addr(), tls))
	}
	if !asJSON {
		return a.printf("%s\n", strings.Join(out.Addresses, "\n"))
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		e, err := c.Lookup(ctx, name, nil)
		if err != nil && ctx.Err() == nil { // it need not be readable, or has changed meanwhile
			out.Datasets = append(out.Datasets, servedDataset{Name: name, Error: err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		d := servedDataset{Name: name, Format: e.Format, Fragments: len(e.Fragments), Bytes: e.Bytes}
		if e.Rows >= 0 {
			d.Rows = &e.Rows
		}
		for _, l := range e.LeftOut {
			d.LeftOut = append(d.LeftOut, servedFault{l.File, l.Err.Error()})
		}
		out.Datasets = append(out.Datasets, d)
	}
	return printJSON(a.stdout, out)
}
