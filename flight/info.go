package flight

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/flight/internal/strict"
)

// commandOf reads a descriptor: a PATH of one name, or a CMD.
func commandOf(d *flight.FlightDescriptor) (*Command, error) {
	switch d.GetType() {
	case flight.DescriptorPATH:
		p := d.GetPath()
		if len(p) != 1 {
			return nil, errs.Errorf(errs.ErrOption, "a path of %d parts; a dataset is named by one", len(p))
		}
		c := &Command{Dataset: p[0]}
		return c, c.check()
	case flight.DescriptorCMD:
		return ParseCommand(d.GetCmd())
	}
	return nil, errs.Errorf(errs.ErrOption, "invalid FlightDescriptor: its type must be PATH or CMD")
}

// bindDescriptor opens the dataset that a descriptor names.
func (s *service) bindDescriptor(ctx context.Context, d *flight.FlightDescriptor) (*bound, error) {
	c, err := commandOf(d)
	if err != nil {
		return nil, err
	}
	CallFrom(ctx).say(c.said())
	e, err := s.open(ctx, PermitRead, c.Dataset, c.openOptions())
	if err != nil {
		return nil, err
	}
	return c.bind(e)
}

// GetFlightInfo implements the RPC.
func (s *service) GetFlightInfo(ctx context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	if sql.Owns(d.GetCmd()) {
		return s.sql.Info(ctx, d)
	}
	b, err := s.bindDescriptor(ctx, d)
	if err != nil {
		return nil, err
	}
	info, err := s.flightInfo(ctx, b, d)
	return info, b.entry.Public(err)
}

// PollFlightInfo implements the RPC: there is nothing to wait for.
func (s *service) PollFlightInfo(ctx context.Context, d *flight.FlightDescriptor) (*flight.PollInfo, error) {
	info, err := s.GetFlightInfo(ctx, d)
	if err != nil {
		return nil, err
	}
	return &flight.PollInfo{Info: info, Progress: proto.Float64(1)}, nil
}

// GetSchema implements the RPC.
func (s *service) GetSchema(ctx context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	if sql.Owns(d.GetCmd()) {
		return s.sql.Schema(ctx, d)
	}
	b, err := s.bindDescriptor(ctx, d)
	if err != nil {
		return nil, err
	}
	return &flight.SchemaResult{Schema: schemaBytes(b.schema)}, nil
}

// flightInfo answers a command.
func (s *service) flightInfo(ctx context.Context, b *bound, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	parts, err := b.endpoints(ctx, s.o.EndpointBytes)
	if err != nil {
		return nil, b.entry.failed(ctx, err)
	}
	info, err := s.infoOf(b, parts)
	if err != nil {
		return nil, err
	}
	info.Schema, info.FlightDescriptor = schemaBytes(b.schema), d
	return info, nil
}

// infoOf returns what a FlightInfo says of the parts of a command, but for schema and descriptor.
func (s *service) infoOf(b *bound, parts []dataset.Part) (*flight.FlightInfo, error) {
	query := randomID()
	if !b.entry.Numbered() {
		for _, p := range parts {
			for i := range p.Files {
				if p.Files[i].Start != 0 || p.Files[i].End != 0 {
					return nil, errs.Errorf(errs.ErrInternal, "%s: a part of a split", b.Dataset)
				}
			}
		}
	}
	at, rows, bytes := b.flightEndpoints(parts, dataset.SchemaHash(b.schema), query, s.o.Advertise)
	if !b.entry.Numbered() {
		rows, bytes = arrowio.UnknownRows, unknownBytes
	}
	meta, err := json.Marshal(infoMeta{Query: query, Format: b.entry.Format, Fragments: len(b.entry.Fragments), LeftOut: len(b.entry.LeftOut)})
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return &flight.FlightInfo{Endpoint: at, TotalRecords: rows, TotalBytes: bytes, Ordered: true, AppMetadata: meta}, nil
}

// infoMeta is the app_metadata of a FlightInfo.
type infoMeta struct {
	Query     string `json:"query"`
	Format    string `json:"format,omitempty"`  // of the first file
	Fragments int    `json:"fragments"`         // files of the dataset
	LeftOut   int    `json:"left_out,omitzero"` // files that should be, but cannot be opened
}

func schemaBytes(s *arrow.Schema) []byte {
	return flight.SerializeSchema(s, memory.NewGoAllocator())
}

// criteria is what a listing is narrowed by.
type criteria struct {
	Name string `json:"name"` // a pattern as path.Match reads it
}

// matcher returns what Criteria.expression means: JSON, or else what names begin with.
func matcher(expression []byte) (func(string) bool, error) {
	if len(expression) > maxCommandBytes {
		return nil, errs.Errorf(errs.ErrOption, "criteria of %d bytes", len(expression))
	}
	if len(expression) == 0 || expression[0] != '{' {
		return func(name string) bool { return strings.HasPrefix(name, string(expression)) }, nil
	}
	c := criteria{}
	if err := strict.Decode(expression, &c); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "criteria: %w", err)
	}
	if _, err := path.Match(c.Name, ""); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "criteria: %q is not a pattern", c.Name)
	}
	return func(name string) bool {
		ok, err := path.Match(c.Name, name)
		return c.Name == "" || ok && err == nil
	}, nil
}

// ListFlights implements the RPC: what the client may read, sorted by name.
func (s *service) ListFlights(c *flight.Criteria, stream flight.FlightService_ListFlightsServer) error {
	ctx := stream.Context()
	match, err := matcher(c.GetExpression())
	if err != nil {
		return err
	}
	for _, name := range s.o.Catalog.Names() {
		if !match(name) || s.authorize(ctx, PermitRead, name) != nil {
			continue
		}
		d := &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}
		e, err := s.listed(ctx, name)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		b, err := (&Command{Dataset: name}).bind(e)
		if err != nil {
			return err
		}
		info, err := s.flightInfo(ctx, b, d)
		if err != nil {
			return e.Public(err)
		}
		if err := stream.Send(info); err != nil {
			return err
		}
	}
	return nil
}
