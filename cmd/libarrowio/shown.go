package main

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
)

// show sets the schema that the files of a request are read as.
func (r openRequest) show(o *readers.Options) error {
	given := r.Schema != "" || r.SchemaIPC != nil
	if !given && r.Cast != "" && r.Cast != "none" {
		return errs.Errorf(errs.ErrOption, "cast says how values become those of schema, which is missing")
	}
	if !given {
		return nil
	}
	var err error
	if o.Cast, err = readers.Cast(r.Cast); err != nil {
		return err
	}
	if r.SchemaIPC != nil {
		o.Schema, err = schemaOf(r.SchemaIPC)
	} else {
		o.Schema, err = readers.ParseSchema(r.Schema, r.Options)
	}
	if err != nil {
		return errs.Errorf(errs.ErrOption, "schema: %w", err)
	}
	return nil
}
