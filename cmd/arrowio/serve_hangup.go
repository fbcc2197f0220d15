package main

import (
	"context"
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

// refreshOnHangup reads the files of tokens and certificates again and refreshes all datasets at each SIGHUP, until ctx ends.
func refreshOnHangup(ctx context.Context, hangups <-chan os.Signal, r *flight.Reloader, c *flight.Catalog, audit *auditFile, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			log.InfoContext(ctx, "SIGHUP: reading tokens and certificates again, and looking for new and changed files", "datasets", len(c.Names()))
			audit.reopen()
			r.Reload()
			c.RefreshAll(ctx)
		}
	}
}
