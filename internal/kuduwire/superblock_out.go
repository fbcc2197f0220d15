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
		message = appendMessage(message, 6, appendRowSet(nil, &rowsets[i]))
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

// appendRowSet appends what parseRowSet reads.
func appendRowSet(dst []byte, r *RowSet) []byte {
	dst = appendNumber(dst, 1, r.ID)
	dst = appendNumber(dst, 2, r.LastDurableDMS)
	for _, c := range r.Columns {
		dst = appendMessage(dst, 3, appendNumber(appendID(nil, 2, c.Block), 4, int64(c.ID)))
	}
	for _, id := range r.Redo {
		dst = appendMessage(dst, 4, appendID(nil, 2, id))
	}
	for _, id := range r.Undo {
		dst = appendMessage(dst, 5, appendID(nil, 2, id))
	}
	if r.HasBloom {
		dst = appendID(dst, 6, r.Bloom)
	}
	if r.HasAdHoc {
		dst = appendID(dst, 7, r.AdHoc)
	}
	if r.MinKey != nil {
		dst = appendMessage(dst, 8, r.MinKey)
	}
	if r.MaxKey != nil {
		dst = appendMessage(dst, 9, r.MaxKey)
	}
	if r.LiveRows >= 0 {
		dst = appendNumber(dst, 10, r.LiveRows)
	}
	return dst
}
