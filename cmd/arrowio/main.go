package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones named in files exist everywhere

	"github.com/arrowio/arrowio/arrowio/local"
	_ "github.com/arrowio/arrowio/internal/collect" // the first garbage collection comes late
)

func main() {
	// A closed pipe is an error of a write like any other, so that the program can still clean up behind itself.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// What was ignored stays so: nohup does that to SIGHUP, and a shell to SIGINT of what it runs in the background.
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		<-signals
		cancel(errInterrupted)
		<-signals
		local.RemoveUnfinished()
		os.Exit(exitInterrupted) // asked twice: at once, whatever else is not cleaned up
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
