// Serve gives the files of a directory to Arrow Flight clients, and is one itself: it asks for a column of the rows that
// satisfy a condition and adds it up, one part after the other.
//
//	go run ./examples/serve testdata/orc/java-2.3.1/pruning.orc "id__mono >= 7500" id__mono
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/apache/arrow/go/v15/arrow/array"
	arrowflight "github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/flight/client"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: serve FILE CONDITION COLUMN")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, path, where, column string) (err error) {
	// A name stands for a file, a directory, a pattern or a URL of a store; clients see names only.
	catalog := flight.NewCatalog(flight.CatalogOptions{})
	if err := catalog.Add(ctx, "events", flight.Spec{Paths: []string{path}}); err != nil {
		return err
	}
	server, err := flight.New(flight.Options{Catalog: catalog})
	if err != nil {
		return err
	}
	listener, err := flight.Listen("grpc://127.0.0.1:0") // any port that is free
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(serving, listener) }()
	defer func() { // calls that run are let finish
		stop()
		err = errors.Join(err, <-ended)
	}()
	return ask(ctx, w, listener.Addr().String(), where, column)
}

// ask is a client, as it would be in another program, in any language.
func ask(ctx context.Context, w io.Writer, address, where, column string) error {
	options := append(client.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	c, err := arrowflight.NewClientWithMiddleware(address, nil, nil, options...)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // nothing waits for it
	command, err := json.Marshal(flight.Command{Dataset: "events", Columns: []string{column}, Where: where})
	if err != nil {
		return err
	}
	info, err := c.GetFlightInfo(ctx, &arrowflight.FlightDescriptor{Type: arrowflight.DescriptorCMD, Cmd: command})
	if err != nil {
		return err
	}
	n, total := int64(0), int64(0)
	for _, part := range info.Endpoint { // in any order, by as many workers as one likes
		rows, sum, err := read(ctx, c, part.Ticket)
		if err != nil {
			return err
		}
		n, total = n+rows, total+sum
	}
	_, err = fmt.Fprintf(w, "%d rows, sum %d\n", n, total)
	return err
}

func read(ctx context.Context, c arrowflight.Client, ticket *arrowflight.Ticket) (n, total int64, err error) {
	stream, err := c.DoGet(ctx, ticket)
	if err != nil {
		return 0, 0, err
	}
	rows, err := client.NewReader(stream, client.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer rows.Release()
	for rows.Next() {
		values, ok := rows.Record().Column(0).(*array.Int64)
		if !ok {
			return 0, 0, fmt.Errorf("the column is %s, not int64", rows.Record().Column(0).DataType())
		}
		for i, v := range values.Int64Values() {
			if values.IsValid(i) {
				total += v
			}
		}
		n += rows.Record().NumRows()
	}
	return n, total, rows.Err()
}
