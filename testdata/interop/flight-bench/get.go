package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/arrowio/arrowio/flight/client"
)

// got is what a read took.
type got struct {
	Bytes   int64   `json:"bytes"`
	Rows    int64   `json:"rows"`
	Batches int64   `json:"batches"`
	Wall    float64 `json:"wall"` // seconds
	CPU     float64 `json:"cpu"`  // seconds of this process
}

// get reads a ticket once for each line of standard input, by Arrow's client as it is or with the options of package client, and
// prints a got.
func get(ctx context.Context, uri, ticket, how string) error {
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	switch how {
	case "arrow":
	case "ours":
		options = append(options, client.DialOptions()...)
	default:
		return errors.New("usage: flight-bench get URI TICKET arrow|ours")
	}
	address := strings.NewReplacer("grpc+unix://", "unix://", "grpc://", "", "grpc+tcp://", "").Replace(uri)
	c, err := flight.NewClientWithMiddleware(address, nil, nil, options...)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // the process ends
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var g got
		start, cpu := time.Now(), processTime()
		stream, err := c.DoGet(ctx, &flight.Ticket{Ticket: []byte(ticket)})
		if err != nil {
			return err
		}
		rows, err := reader(stream, how)
		if err != nil {
			return err
		}
		for rows.Next() {
			r := rows.Record()
			for _, col := range r.Columns() {
				for _, b := range col.Data().Buffers() {
					if b != nil {
						g.Bytes += int64(b.Len())
					}
				}
			}
			g.Rows += r.NumRows()
			g.Batches++
		}
		if err := rows.Err(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		rows.Release()
		g.Wall, g.CPU = time.Since(start).Seconds(), processTime()-cpu
		out, err := json.Marshal(g)
		if err != nil {
			return err
		}
		fmt.Println(string(out))
	}
	return lines.Err()
}

// reader reads a stream as Arrow does, or by package client.
func reader(stream client.Stream, how string) (array.RecordReader, error) {
	if how == "ours" {
		return client.NewReader(stream, client.Options{})
	}
	return flight.NewRecordReader(stream)
}

// processTime returns the seconds of CPU that this process has had.
func processTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
