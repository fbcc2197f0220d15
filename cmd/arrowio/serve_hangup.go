package main

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/arrowio/arrowio/flight"
)

// takeHangups returns a channel of the SIGHUPs from now on, which no longer end the program. If the signal was ignored when the
// program began, none come.
func takeHangups() chan os.Signal {
	hangups := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Reset(syscall.SIGHUP) // main does not get it any more
		signal.Notify(hangups, syscall.SIGHUP)
	}
	return hangups
}

// configFile is a config file as it was read. The zero value is none.
type configFile struct {
	path string
	sum  [sha256.Size]byte
}

// warnChanged logs whether the file is not what it was: whoever sends SIGHUP may think that it is read again.
func (f *configFile) warnChanged(ctx context.Context, log *slog.Logger) {
	if f.path == "" {
		return
	}
	b, err := os.ReadFile(f.path)
	switch {
	case err != nil:
		log.WarnContext(ctx, "the config file cannot be read; what it said when the server started is in force", "config", f.path, "error", err.Error())
	case sha256.Sum256(b) != f.sum:
		log.WarnContext(ctx, "the config file has changed since the server started, and what it said then is in force: restart the server", "config", f.path)
	}
}

// refreshOnHangup reads the files of tokens and certificates again and refreshes all datasets at each SIGHUP, until ctx ends.
func refreshOnHangup(ctx context.Context, hangups <-chan os.Signal, r *flight.Reloader, c *flight.Catalog, audit *auditFile, config *configFile, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			log.InfoContext(ctx, "SIGHUP: reading tokens and certificates again, and looking for new and changed files", "datasets", len(c.Names()))
			config.warnChanged(ctx, log)
			audit.reopen()
			r.Reload()
			c.RefreshAll(ctx)
		}
	}
}
