package arrow18

import (
	"errors"
	"fmt"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// The keys under which the metadata of a field names an extension type.
const (
	ExtensionNameKey     = "ARROW:extension:name"
	ExtensionMetadataKey = "ARROW:extension:metadata"
)

// simple are the types without parameters, by their id, which is the same in both versions.
var simple = [...]struct {
	v15 arrow.DataType
	v18 arrow18.DataType
}{
	arrow.NULL:                    {arrow.Null, arrow18.Null},
	arrow.BOOL:                    {arrow.FixedWidthTypes.Boolean, arrow18.FixedWidthTypes.Boolean},
	arrow.UINT8:                   {arrow.PrimitiveTypes.Uint8, arrow18.PrimitiveTypes.Uint8},
	arrow.INT8:                    {arrow.PrimitiveTypes.Int8, arrow18.PrimitiveTypes.Int8},
	arrow.UINT16:                  {arrow.PrimitiveTypes.Uint16, arrow18.PrimitiveTypes.Uint16},
	arrow.INT16:                   {arrow.PrimitiveTypes.Int16, arrow18.PrimitiveTypes.Int16},
	arrow.UINT32:                  {arrow.PrimitiveTypes.Uint32, arrow18.PrimitiveTypes.Uint32},
	arrow.INT32:                   {arrow.PrimitiveTypes.Int32, arrow18.PrimitiveTypes.Int32},
	arrow.UINT64:                  {arrow.PrimitiveTypes.Uint64, arrow18.PrimitiveTypes.Uint64},
	arrow.INT64:                   {arrow.PrimitiveTypes.Int64, arrow18.PrimitiveTypes.Int64},
	arrow.FLOAT16:                 {arrow.FixedWidthTypes.Float16, arrow18.FixedWidthTypes.Float16},
	arrow.FLOAT32:                 {arrow.PrimitiveTypes.Float32, arrow18.PrimitiveTypes.Float32},
	arrow.FLOAT64:                 {arrow.PrimitiveTypes.Float64, arrow18.PrimitiveTypes.Float64},
	arrow.STRING:                  {arrow.BinaryTypes.String, arrow18.BinaryTypes.String},
	arrow.BINARY:                  {arrow.BinaryTypes.Binary, arrow18.BinaryTypes.Binary},
	arrow.DATE32:                  {arrow.FixedWidthTypes.Date32, arrow18.FixedWidthTypes.Date32},
	arrow.DATE64:                  {arrow.FixedWidthTypes.Date64, arrow18.FixedWidthTypes.Date64},
	arrow.INTERVAL_MONTHS:         {arrow.FixedWidthTypes.MonthInterval, arrow18.FixedWidthTypes.MonthInterval},
	arrow.INTERVAL_DAY_TIME:       {arrow.FixedWidthTypes.DayTimeInterval, arrow18.FixedWidthTypes.DayTimeInterval},
	arrow.INTERVAL_MONTH_DAY_NANO: {arrow.FixedWidthTypes.MonthDayNanoInterval, arrow18.FixedWidthTypes.MonthDayNanoInterval},
	arrow.LARGE_STRING:            {arrow.BinaryTypes.LargeString, arrow18.BinaryTypes.LargeString},
	arrow.LARGE_BINARY:            {arrow.BinaryTypes.LargeBinary, arrow18.BinaryTypes.LargeBinary},
	arrow.STRING_VIEW:             {arrow.BinaryTypes.StringView, arrow18.BinaryTypes.StringView},
	arrow.BINARY_VIEW:             {arrow.BinaryTypes.BinaryView, arrow18.BinaryTypes.BinaryView},
}

var (
	errNoType     = errs.Errorf(errs.ErrSchema, "a field has no type")
	errUnionCodes = errs.Errorf(errs.ErrSchema, "a union type has the same type code twice")
)

// noSuchType is the error for a type that the other version does not have.
func noSuchType(t fmt.Stringer, version int) error {
	return errs.Errorf(errs.ErrUnsupported, "Arrow for Go v%d has no type %s", version, t)
}

func unknownExtension(name, where string, version int) error {
	return errs.Errorf(errs.ErrUnsupported, "extension type %q of %s is not registered with Arrow for Go v%d", name, where, version)
}

// inField returns err with the name of a field in front of the path of its column.
func inField(name string, err error) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}
	in := *e
	if in.Column = name; e.Column != "" {
		in.Column += "." + e.Column
	}
	return &in
}

// keysOf returns the keys and values without those that name an extension type.
func keysOf(keys, values []string) (k, v []string) {
	for i := range keys {
		if keys[i] != ExtensionNameKey && keys[i] != ExtensionMetadataKey {
			k, v = append(k, keys[i]), append(v, values[i])
		}
	}
	return k, v
}
