package icebergtable

// Outcome says what a change has done to a table or, in a dry run, what it would do.
type Outcome struct {
	DryRun bool `json:"dry_run,omitempty"`
	// Snapshot is the id of the snapshot that was made; 0 = none was, because nothing was to be done.
	// In JSON it is text, since many readers of JSON round such numbers.
	Snapshot int64 `json:"snapshot,omitempty,string"`
	// Rows is how many rows are deleted, or, by a compaction, written again.
	Rows int64 `json:"rows"`
	// Dropped are the data files of which no row is left, and that are taken out of the table without being read or written.
	Dropped int `json:"files_dropped"`
	// Marked are the data files that get a delete file or a deletion vector.
	Marked int `json:"files_with_deletes"`
	// Rewritten are the data files whose other rows are written again, and Written the files that they are written to. A dry run does
	// not know Written.
	Rewritten int `json:"files_rewritten"`
	Written   int `json:"files_written"`
	// Cleared are the delete files that are taken out of the table because no data file needs them any more.
	Cleared int `json:"delete_files_dropped"`
	// Unread is how many of the data files were not opened, because the manifests say enough of them.
	Unread int `json:"files_not_read"`
}
