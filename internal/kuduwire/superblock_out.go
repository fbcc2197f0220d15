package kuduwire

import (
	"reflect"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// AddRowSets returns the container file b, a TabletSuperBlockPB, with rowsets behind those that it has. Of the message
// nothing else changes, whatever else it says: fields of later versions of Kudu stay as they are, and so do the container's
// version and the description of its messages. The rowsets' ids and blocks must be new. What comes out has been read again:
// it says what b said, and the rowsets. It shares nothing with b.
func AddRowSets(b []byte, rowsets []RowSet, lim errs.Limits) ([]byte, error) {
	const op = "superblock"
	want, err := ParseSuperBlock(b, lim)
	if err != nil {
		return nil, err
	}
	c, err := OpenContainer(b)
	if err != nil {
		return nil, place(err, op, -1)
	}
	head := c.Good
	message, ok := c.Next()
	if !ok {
		return nil, place(c.Err, op, -1)
	}
	message = slices.Clone(message)
	for i := range rowsets {
		message = rowSetTable.AppendField(message, 6, &rowsets[i])
	}
	out := AppendRecord(slices.Clone(b[:head]), c.Version, message)
	// A mistake here would cost a tablet.
	got, err := ParseSuperBlock(out, lim)
	if err != nil {
		return nil, err
	}
	want.RowSets = append(want.RowSets, rowsets...)
	if !reflect.DeepEqual(got, want) {
		return nil, place(errs.Errorf(errs.ErrInternal, "%d rowsets were added, and something else has changed", len(rowsets)), op, -1)
	}
	return out, nil
}
