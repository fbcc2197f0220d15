// Package flight serves datasets over Arrow Flight: any file that package readers opens, to any language that has an
// Arrow Flight client.
//
//	catalog := flight.NewCatalog(flight.CatalogOptions{})
//	err := catalog.Add(ctx, "events", flight.Spec{Paths: []string{"events/"}})
//	server, err := flight.New(flight.Options{Catalog: catalog})
//	listener, err := flight.Listen("grpc://127.0.0.1:8815")
//	err = server.Serve(ctx, listener)         // until ctx ends; running streams finish
//
// A client asks for a dataset by its name (a descriptor PATH) or by a Command (a descriptor CMD of JSON), gets a FlightInfo
// with one endpoint for each group of splits, and reads them in parallel, in any order, from any of their locations. What
// can be left out is: columns that are not asked for are not read, splits that the filter cannot match get no endpoint.
//
// # Sending
//
// A batch goes to gRPC as its own buffers: FlightData is framed by hand around them, and the record is kept until the
// transport has written it. Copying each batch into a message first, as Arrow's own package does, costs a third of the
// server's time. Nor does the transport copy it. Both are the work of package transport in flight/internal.
//
// # What is trusted
//
// Nothing that a client sends. Tickets hold all that is needed to honour them, so that any server of a fleet over one
// store can; they come back from strangers and are checked as any request is. Paths never come from clients: what is in
// the catalog can be read, nothing else can be named.
package flight
