// Package transport puts the messages of a Flight server on the wire, and knows when the wire is done with them.
//
//	Batches ──> Sender ──> gRPC, with the codec of NewCodec ──> a connection of Gathering or Known
//
// A record is sent as its own buffers: FlightData is framed around them (codec.go), and the record is kept until the
// transport has written it. A connection of Gathering writes from where the buffers are (gather.go). What gRPC never gives
// back is released when the connection ends (connection.go).
package transport
