// Flight-load puts `arrowio serve` under load, with clients that check every row that they get.
//
//	flight-load load -bin ARROWIO [-streams 500] [-mib 64] [-connections N] [-out DIR] [-- FLAGS]
//	flight-load soak -bin ARROWIO [-duration 1h] [-rate 30] [-out DIR] [-- FLAGS]
//
// load reads many streams at once. soak has clients come that read, resume, cancel, stall, put, exchange, ask in SQL, send
// nonsense and are killed, while files are replaced, and looks at the server every ten seconds. Both end with a verdict
// and exit with 1 where it is bad. FLAGS are more of `arrowio serve`.
//
// What the rows are follows from their numbers (rows.go), so that clients know what is right without reading a file.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: flight-load load|soak -bin ARROWIO [flags]")
	}
	switch args[0] {
	case "load":
		return load(ctx, args[1:])
	case "soak":
		return soak(ctx, args[1:])
	case "mortal": // what soak kills
		return mortal(ctx, args[1:])
	}
	return fmt.Errorf("%q is neither load nor soak", args[0])
}
