package main

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"syscall"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/duckdb"
)

// duckdbWorks is the reason for the least memory of DuckDB.
const duckdbWorks = "DuckDB answers nothing with less"

// held ignores the error that an address is in use, for --check-config: it is probably in use by the server that runs with this
// configuration. It checks whether the address may be served.
func (p *ops) held(server *flight.Server, err error) error {
	if !p.check || !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	var oe *net.OpError
	if errors.As(err, &oe) && oe.Addr != nil {
		if err := p.explain(server.CheckAddress(oe.Addr)); err != nil {
			return err
		}
	}
	p.log.Warn("an address is in use and was not tried", "error", err.Error())
	return nil
}

// checkLeast returns an error for sizes that are too small for any client to read any dataset.
func (f *serveFlags) checkLeast() error {
	for _, s := range []struct {
		flag  string
		size  sizeValue
		least int64
		what  string
	}{
		{"memory", f.memory, 2 * flight.DefaultBatchBytes, "a stream decodes one batch while it sends another"},
		{"max-memory", f.ops.memory, 2 * flight.DefaultBatchBytes, "a stream decodes one batch while it sends another"},
		{"max-client-memory", f.ops.clientMemory, 2 * flight.DefaultBatchBytes, "a stream decodes one batch while it sends another"},
		{"max-sent-bytes", f.ops.sent, flight.DefaultBatchBytes, "that is a batch"},
		{"max-client-sent-bytes", f.ops.clientSent, flight.DefaultBatchBytes, "that is a batch"},
		{"sql-memory", f.sql.memory, duckdb.LeastMemory, duckdbWorks},
		{"sql-session-memory", f.sql.sessionMemory, duckdb.LeastMemory, duckdbWorks},
		{"max-message", f.ops.message, flight.MaxTicketBytes, "tickets of this server can be as long"},
	} {
		if s.size > 0 && int64(s.size) < s.least {
			return usagef("serve: --%s is %s; the least is %s: %s", s.flag, humanize.IBytes(uint64(s.size)), humanize.IBytes(uint64(s.least)), s.what)
		}
	}
	return nil
}

// checkAdvertised returns an error for advertised locations at which no client could read.
func checkAdvertised(uris []string) error {
	for _, uri := range uris {
		u, err := url.Parse(uri)
		place := err == nil && (u.Host != "" && u.Port() != "" && slices.Contains([]string{"grpc", "grpc+tcp", "grpc+tls"}, u.Scheme) ||
			u.Scheme == "grpc+unix" && u.Path != "" || u.Scheme == "arrow-flight-reuse-connection")
		if !place {
			return usagef("serve: --advertise %q is not where clients can read, such as grpc://HOST:PORT, grpc+tls://HOST:PORT or grpc+unix:///PATH", uri)
		}
	}
	return nil
}
