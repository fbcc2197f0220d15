package icebergmeta

import "strings"

// AvroError returns an error of the library that reads files of Avro as one about the file, without the library's word for the form of such
// files.
func AvroError(err error) error { return &avroError{err} }

type avroError struct{ error }

func (e *avroError) Error() string {
	return "damaged Avro: " + strings.TrimPrefix(e.error.Error(), "ocf: ")
}
func (e *avroError) Unwrap() error { return e.error }
