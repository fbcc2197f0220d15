package convert

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// wideIndices returns ds with indices of 32 bits in all dictionaries, if f joins the dictionaries of several files into one:
// narrower indices might not number the values of all, and Lost says so. Otherwise it returns ds.
func wideIndices(ds *dataset.Dataset, f arrowio.OutputFormat) *dataset.Dataset {
	if !f.OneDictionary || len(ds.Fragments) < 2 || ds.Schema == nil {
		return ds
	}
	fields := ds.Schema.Fields()
	for i := range fields {
		fields[i].Type = wideIndex(fields[i].Type)
	}
	md := ds.Schema.Metadata()
	wide := *ds
	wide.Schema = arrow.NewSchema(fields, &md)
	for _, d := range schemadiff.Fields(ds.Schema.Fields(), fields) {
		column := ds.Schema.Field(d.Column).Name
		text := d.Text + ", which has room for the different values of all files"
		if d.Path != schemadiff.Path(column) {
			text = d.Path + " " + text
		}
		wide.Lost = append(slices.Clone(wide.Lost), arrowio.Loss{Of: arrowio.LossOfColumn, Path: expr.Quote(column), Text: text})
	}
	return &wide
}

func wideIndex(t arrow.DataType) arrow.DataType {
	d, ok := t.(*arrow.DictionaryType)
	if !ok {
		return arrowtype.Inside(t, wideIndex)
	}
	if d.IndexType.(arrow.FixedWidthDataType).BitWidth() >= 32 {
		return t
	}
	return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: d.ValueType, Ordered: d.Ordered}
}
