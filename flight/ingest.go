package flight

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
)

// ingest answers a CommandStatementIngest of Flight SQL as DoPut answers a PutCommand. Its options are format and compression.
func (s *service) ingest(in *inbound, stream flight.FlightService_DoPutServer, i *sql.Ingestion) error {
	c := &PutCommand{Dataset: i.Table}
	for k, v := range i.Options {
		if err := c.sqlOption(k, v); err != nil {
			return err
		}
	}
	switch {
	case i.Appends() && i.Creates():
		c.Mode = PutCreateAppend
	case i.Appends():
		c.Mode = PutAppend
	case i.Replaces():
		c.Mode = PutReplace
		if !i.Creates() {
			if _, err := s.o.Catalog.dataset(i.Table); err != nil {
				return err
			}
		}
	case i.Creates():
		c.Mode = PutCreate
	default:
		return rpcerr.Errorf(codes.InvalidArgument, "Flight SQL: rows for a table that may neither be there nor be made")
	}
	if err := c.check(); err != nil {
		return err
	}
	return s.putCommand(in, stream, c, func(r *PutReport) ([]byte, error) { return sql.IngestionResult(r.Rows), nil })
}

// session options, which clients set before they ask: there is one catalog and one schema.
var sessionOptions = map[string]string{"catalog": SQLCatalog, "schema": SQLSchema}

// setSessionOptions answers a SetSessionOptionsRequest: a client may set what is so in any case, and no other. v15 has no message for it.
//
//	message SetSessionOptionsRequest { map<string, SessionOptionValue> session_options = 1; }
//	message SetSessionOptionsResult { map<string, Error> errors = 1; }   // Error.value = 1: INVALID_NAME = 1, INVALID_VALUE = 2, ERROR = 3
func setSessionOptions(_ context.Context, _ *service, body []byte, send func([]byte) error) error {
	options, err := sql.SessionOptions(body)
	if err != nil {
		return err
	}
	wrong := map[string]int{}
	for name, value := range options {
		want, known := sessionOptions[name]
		switch {
		case !known:
			wrong[name] = sql.SessionInvalidName
		case value != nil && *value != want:
			wrong[name] = sql.SessionInvalidValue
		}
	}
	return send(sql.SessionErrors(wrong))
}

// getSessionOptions answers a GetSessionOptionsRequest with a GetSessionOptionsResult.
func getSessionOptions(_ context.Context, _ *service, _ []byte, send func([]byte) error) error {
	return send(sql.SessionValues(sessionOptions))
}
