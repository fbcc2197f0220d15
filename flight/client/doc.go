// Package client lets Flight clients of Go take batches with one copy, and reuses their memory. It works with the clients of
// Arrow v15, of Flight and of Flight SQL, and with any server:
//
//	c, err := flight.NewClientWithMiddleware("127.0.0.1:8815", nil, nil, append(client.DialOptions(), credentials)...)
//	stream, err := c.DoGet(ctx, ticket)
//	rows, err := client.NewReader(stream, client.Options{})
//
// A message of Flight is little more than one field of bytes, the body of a batch. It comes in frames of HTTP/2 of 16 KiB:
//
//	frame   data_header, app_metadata; data_body (field 1000): length, first bytes
//	frame   bytes
//	frame   last bytes
//
// By itself gRPC gathers the frames in one buffer, protobuf copies the body out of it, and Arrow's reader each column out of the
// body. Here the body is gathered where it stays (codec.go), and the columns are views of it (reader.go); when its record is
// released, the next body goes there (pool.go).
//
// Arrow v18 cannot use this package: one program cannot have the messages of both versions.
package client
