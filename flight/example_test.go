package flight_test

import (
	"context"
	"fmt"
	"log"

	v15 "github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/arrowio/arrowio/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A server of one dataset, and a client that lists what there is.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	catalog := flight.NewCatalog(flight.CatalogOptions{})
	if err := catalog.Add(ctx, "people", flight.Spec{Paths: []string{"../testdata/trevni/java-1.12.1/avro-nested.trv"}}); err != nil {
		log.Fatal(err)
	}
	server, err := flight.New(flight.Options{Catalog: catalog})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := flight.Listen("grpc://127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- server.Serve(ctx, listener) }()

	client, err := v15.NewClientWithMiddleware(listener.Addr().String(), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	list, err := client.ListFlights(ctx, &v15.Criteria{})
	if err != nil {
		log.Fatal(err)
	}
	info, err := list.Recv()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.FlightDescriptor.Path, info.TotalRecords, "rows")
	client.Close()
	stop() // streams that run are finished
	if err := <-served; err != nil {
		log.Fatal(err)
	}
	// Output: [people] 80 rows
}
