package orc

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// typeAt returns the Arrow type at a path of positions, through structs alone.
func (f *File) typeAt(ids []int) arrow.DataType {
	t := f.schema.Field(ids[0]).Type
	for _, i := range ids[1:] {
		t = t.(*arrow.StructType).Field(i).Type // as the path was found
	}
	return t
}

// FieldIDs implements view.FieldIDer: Iceberg's writers give types the attribute iceberg.id.
func (f *File) FieldIDs() (iceberg bool, byID error) {
	for i := range f.schema.NumFields() {
		if f.schema.Field(i).Metadata.FindKey(orcwire.MetaPrefix+"iceberg.id") >= 0 {
			return true, fmt.Errorf("%w reads the columns of an Iceberg table by their ids", errs.Opt("orc-iceberg-schema", ""))
		}
	}
	return false, nil
}
