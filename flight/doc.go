// Package flight serves datasets over Arrow Flight. It serves all files that package readers opens, to clients in all languages
// that have an Arrow Flight library.
//
//	catalog := flight.NewCatalog(flight.CatalogOptions{})
//	err := catalog.Add(ctx, "events", flight.Spec{Paths: []string{"events/"}})
//	server, err := flight.New(flight.Options{Catalog: catalog})
//	listener, err := flight.Listen("grpc://127.0.0.1:8815")
//	err = server.Serve(ctx, listener)         // until ctx ends; running streams finish
//
// A client asks for a dataset by its name (a descriptor PATH) or by a Command (a descriptor CMD of JSON), gets a FlightInfo with
// one endpoint for each group of splits, and reads them in parallel, in any order, from any of their locations. Columns that the
// client does not ask for are not read. Splits that the filter excludes get no endpoint.
//
// # Sending
//
// The buffers of a batch are passed to gRPC without a copy: the server writes the framing of FlightData around them, and keeps
// the record until the transport has written it. The transport does not copy them either. Copying each batch into a message
// first, as Arrow's own package does, would cost a third of the server's time. Package transport in flight/internal does this.
//
// # What is trusted
//
// Nothing that a client sends is trusted. A ticket holds everything that a server needs to answer it, so that each of several
// servers over the same store can. Since clients send tickets back, they are checked like every other request. Clients never send
// paths: they can read the datasets of the catalog, and cannot name anything else.
package flight
