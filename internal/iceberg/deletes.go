package iceberg

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
)

// Fields of position deletes (Iceberg table specification, "Reserved Field IDs", "Position Delete Files").
const (
	PathID       = 2147483546
	PathName     = "file_path"
	PositionID   = 2147483545
	PositionName = "pos"
)

// Fields of row lineage (Iceberg table specification, "Row Lineage").
const (
	RowID           = 2147483540
	RowIDName       = "_row_id"
	LastUpdatedID   = 2147483539
	LastUpdatedName = "_last_updated_sequence_number"
)

// Lineage are the fields of row lineage.
func Lineage() []Field {
	return []Field{
		{ID: RowID, Name: RowIDName, Type: Type{Kind: Long}},
		{ID: LastUpdatedID, Name: LastUpdatedName, Type: Type{Kind: Long}},
	}
}

// User metadata of the delete files that Iceberg's Java library writes.
const (
	DeleteType = "delete-type"
	DeleteIDs  = "delete-field-ids"
)

// Deletes tells how a file with a schema says which rows of a table are deleted: by "position", by "equality" with values.
// It is "" for other files. A file of values that does not say what it is looks like any other.
func Deletes(s *arrow.Schema) string {
	md := s.Metadata()
	for _, key := range []string{DeleteType, MetaORC + DeleteType} {
		if v, ok := md.GetValue(key); ok && (v == "position" || v == "equality") {
			return v
		}
	}
	has := func(id int) bool {
		for i := range s.NumFields() {
			if v, ok := s.Field(i).Metadata.GetValue(MetaFieldID); ok && v == strconv.Itoa(id) {
				return true
			}
		}
		return false
	}
	if has(PathID) && has(PositionID) {
		return "position"
	}
	return ""
}
