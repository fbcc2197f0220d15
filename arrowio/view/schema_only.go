package view

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// SchemaOnly returns a File of which only the schema is known. Only Schema and Close may be called.
func SchemaOnly(s *arrow.Schema) arrowio.File { return schemaOnly{schema: s} }

type schemaOnly struct {
	arrowio.File // nil
	schema       *arrow.Schema
}

func (s schemaOnly) Schema() *arrow.Schema { return s.schema }
func (s schemaOnly) Close() error          { return nil }
