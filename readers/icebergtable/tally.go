package icebergtable

import (
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// tally is what a manifest lists. Numbers of files and rows are by their status.
type tally struct {
	Bytes       int64 // of the manifest
	Files, Rows [statuses]int64
	// First and Last are the lowest and the highest sequence number of files that were not deleted; First is more than Last if there
	// are none.
	First, Last int64
}

// add counts a file; e is nil if it was deleted.
func (n *tally) add(raw *rawEntry, e *entry) {
	if n.Files == [statuses]int64{} {
		n.First, n.Last = math.MaxInt64, math.MinInt64
	}
	n.Files[raw.Status]++
	n.Rows[raw.Status] += raw.File.Rows
	if e != nil {
		n.First, n.Last = min(n.First, e.Sequence), max(n.Last, e.Sequence)
	}
}

// said is what a manifest list says that a manifest lists; -1 = it does not say.
type said struct {
	Bytes       int64
	Files, Rows [statuses]int64
	First       int64
}

// rawSaid is said in Avro. Old writers have other names for numbers of files.
type rawSaid struct {
	Length       *int64 `avro:"manifest_length"`
	First        *int64 `avro:"min_sequence_number"`
	Added        *int32 `avro:"added_files_count"`
	Existing     *int32 `avro:"existing_files_count"`
	Deleted      *int32 `avro:"deleted_files_count"`
	OldAdded     *int32 `avro:"added_data_files_count"`
	OldExisting  *int32 `avro:"existing_data_files_count"`
	OldDeleted   *int32 `avro:"deleted_data_files_count"`
	AddedRows    *int64 `avro:"added_rows_count"`
	ExistingRows *int64 `avro:"existing_rows_count"`
	DeletedRows  *int64 `avro:"deleted_rows_count"`
}

func (r *rawSaid) said() said {
	files := func(of, old *int32) int64 {
		if of == nil {
			of = old
		}
		if of == nil {
			return -1
		}
		return int64(*of)
	}
	number := func(of *int64) int64 {
		if of == nil {
			return -1
		}
		return *of
	}
	return said{
		Bytes: number(r.Length), First: number(r.First),
		Files: [statuses]int64{files(r.Existing, r.OldExisting), files(r.Added, r.OldAdded), files(r.Deleted, r.OldDeleted)},
		Rows:  [statuses]int64{number(r.ExistingRows), number(r.AddedRows), number(r.DeletedRows)},
	}
}

// statusNames are the names of the statuses in fields of manifest lists.
var statusNames = [statuses]string{"existing", "added", "deleted"}

// checkManifest returns in what a manifest differs from what the manifest list, and the snapshot, say.
func (p *planner) checkManifest(m manifest, n tally, s *iceberg.Snapshot) (out []error) {
	at := errs.At{File: m.Path, Format: Name, Op: "manifest"}
	if found, err := p.places.find(m.Path); err == nil {
		at.File = found
	}
	fault := func(format string, args ...any) { out = append(out, errs.Locate(corrupt(format, args...), at)) }
	compare := func(field string, said, is int64) {
		if said >= 0 && said != is {
			fault("%s is %d in the manifest list, and %d in the manifest", field, said, is)
		}
	}
	compare("manifest_length", m.Said.Bytes, n.Bytes)
	for i, name := range statusNames {
		compare(name+"_files_count", m.Said.Files[i], n.Files[i])
		compare(name+"_rows_count", m.Said.Rows[i], n.Rows[i])
	}
	if p.meta.Version < 2 {
		return out
	}
	if n.Files[statusExisting]+n.Files[statusAdded] > 0 {
		if m.Said.First > n.First {
			fault("min_sequence_number is %d in the manifest list, and a file of the manifest has sequence number %d", m.Said.First, n.First)
		}
		if n.Last > m.Sequence {
			fault("a file has sequence number %d, and the manifest list says that the manifest has %d", n.Last, m.Sequence)
		}
	}
	if m.Sequence > s.Sequence {
		fault("the manifest list says that the manifest has sequence number %d, and its snapshot %d has %d", m.Sequence, s.ID, s.Sequence)
	}
	return out
}
