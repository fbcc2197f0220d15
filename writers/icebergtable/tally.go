package icebergtable

import "strconv"

// size is how many bytes the table has of a file: of a deletion vector its own.
func (f *dataFile) size() int64 {
	if f.Format == formatPuffin && f.Size != nil {
		return *f.Size
	}
	return f.Bytes
}

// add counts a file that the table gets.
func (t *tally) add(f *dataFile) {
	if f.Content == contentPositions {
		t.addedDeletes++
		t.addedPositions += f.Rows
		if f.Format == formatPuffin {
			t.addedVectors++
		}
		t.addedBytes += f.size()
		return
	}
	t.addedFiles++
	t.addedRows += f.Rows
	t.addedBytes += f.Bytes
}

// remove counts a file that the table loses.
func (t *tally) remove(e *manifestEntry) {
	t.deletedBytes += e.File.size()
	switch e.File.Content {
	case 0:
		t.deletedFiles++
		t.deletedRows += e.File.Rows
	case 1:
		t.removedDeletes++
		t.removedPositions += e.File.Rows
		if e.File.Format == formatPuffin {
			t.removedVectors++
		} else {
			t.removedPositionFiles++
		}
	default:
		t.removedDeletes++
		t.removedEqus += e.File.Rows
	}
}

// summary returns what a snapshot says of itself. before is that of its parent. whole = nothing of the parent is left.
func (t *tally) summary(op string, before map[string]string, whole bool) map[string]string {
	s := map[string]string{"operation": op, "engine-name": "arrowio"}
	set := func(key string, n int64) {
		if n != 0 {
			s[key] = strconv.FormatInt(n, 10)
		}
	}
	set("added-data-files", t.addedFiles)
	set("added-records", t.addedRows)
	set("added-files-size", t.addedBytes)
	set("added-delete-files", t.addedDeletes)
	set("added-dvs", t.addedVectors)
	set("added-position-delete-files", t.addedDeletes-t.addedVectors)
	set("added-position-deletes", t.addedPositions)
	set("deleted-data-files", t.deletedFiles)
	set("deleted-records", t.deletedRows)
	set("removed-files-size", t.deletedBytes)
	set("removed-delete-files", t.removedDeletes)
	set("removed-dvs", t.removedVectors)
	set("removed-position-delete-files", t.removedPositionFiles)
	set("removed-equality-delete-files", t.removedDeletes-t.removedVectors-t.removedPositionFiles)
	set("removed-position-deletes", t.removedPositions)
	set("removed-equality-deletes", t.removedEqus)
	for _, c := range []struct {
		key  string
		more int64
	}{
		{"total-data-files", t.addedFiles - t.deletedFiles},
		{"total-records", t.addedRows - t.deletedRows},
		{"total-files-size", t.addedBytes - t.deletedBytes},
		{"total-delete-files", t.addedDeletes - t.removedDeletes},
		{"total-position-deletes", t.addedPositions - t.removedPositions},
		{"total-equality-deletes", -t.removedEqus},
	} {
		had := int64(0)
		if text, ok := before[c.key]; ok {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				continue
			}
			had = n
		} else if len(before) > 0 && !whole {
			continue // its parent does not say
		}
		if n := had + c.more; n >= 0 {
			s[c.key] = strconv.FormatInt(n, 10)
		}
	}
	return s
}
