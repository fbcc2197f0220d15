package kudu

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kudu"
)

// Name is the format's name.
const Name = kudu.Name

// Options are the options of this format; on the command line each is --kudu-NAME.
type Options struct {
	Data     []string // data directories; none = Wal's sibling `data`, or Wal itself
	Metadata string   // the metadata directory, where it is another than Kudu's default
	Key      string   // the key of encrypted files, unwrapped: a file of hexadecimal digits, or env:NAME; "" = instance files have it
	Table    string   // name or id of the table; "" = the only one
	Tablet   string   // id of one tablet of it; "" = all that are here
	Block    string   // id of one block, to be read as the lone CFile that it is; "" = none. See OpenBlock
	Snapshot uint64   // hybrid time: operations before it are seen; 0 = all of them
	SkipLog  bool     // without what is in write-ahead logs only
	// Uncommitted says what becomes of operations at the end of a log that only other servers know to be committed:
	// "apply", "skip", or "" for what Kudu would do.
	Uncommitted   string
	LogMemory     int64 // bound on the memory that the logs' rows take; 0 = 2 GiB
	Salvage       bool  // go on past damage: what is lost is null or missing, and in File.Warnings
	StringsBinary bool  // show strings as binary: Kudu does not check that they are UTF-8
	Trust         bool  // read blocks without a look at their checksums: damage that nothing else shows becomes wrong rows
	// Rebuild puts together what no superblock names, as far as that is "sure", or "likely", or even "doubtful"; "" = not at all. It
	// reads past damage like Salvage, and Warnings name each doubt.
	Rebuild string
	Schemas []string // with Rebuild: superblocks, or directories of them, whose tables the rows may be of
	// Servers are the directories, like path, of other servers with replicas of the same tablets: of each tablet the newest one that
	// is whole is read.
	Servers []string
	Replica string // with Servers: the server, by its uuid or directory, whose replicas are read where it has them
	Merge   bool   // with Servers: read what all replicas have, and of each key the newest row
	// PassDenied makes OpenOverview go on without superblocks that may not be read: Denied returns an error about them.
	PassDenied bool
	Check      bool // with Servers: all columns of a replica are read before it is chosen, and one that is damaged is passed over
}

func (o Options) own() kudu.Options {
	return kudu.Options{
		Data: o.Data, Metadata: o.Metadata, Key: o.Key, Table: o.Table, Tablet: o.Tablet, Block: o.Block, Snapshot: o.Snapshot, SkipLog: o.SkipLog,
		Uncommitted: o.Uncommitted, LogMemory: o.LogMemory, Salvage: o.Salvage, StringsBinary: o.StringsBinary,
		Trust:   o.Trust,
		Rebuild: o.Rebuild, Schemas: o.Schemas,
		Servers: o.Servers, Replica: o.Replica, Merge: o.Merge, Check: o.Check,
		PassDenied: o.PassDenied,
	}
}

// Format returns the reader of tablet servers' directories, of sets, and of the small files of a server, which have no rows.
func Format() arrowio.Format { return kudu.Format() }

// Open opens the table of a tablet server's directories that o names. path is the server's WAL directory. A table is one File,
// whose splits are ranges of rows of one rowset each, then the rows that each tablet has only in its log. It is an
// arrowio.Verifier, and arrowio.WarningsOf lists what a salvage has lost and what is doubtful. The directories must not change
// while it is open.
func Open(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	return kudu.OpenTable(ctx, path, limits, o.own())
}

// OpenSet opens a set of rowsets (docs/formats/kudu.md, "Sets") as the table that they are of. It must not change while it is open.
// Only the options Salvage, StringsBinary and Trust may be set, since a set has no server, no log and no history.
func OpenSet(ctx context.Context, t arrowio.Tree, limits arrowio.Limits, o Options) (arrowio.File, error) {
	f, err := kudu.OpenSet(ctx, t, limits, o.own())
	if err != nil {
		return nil, err // not a File that is a nil *kudu.File
	}
	return f, nil
}

// OpenBlock opens the block that o.Block names as a single CFile (see readers/cfile). It needs no superblock. If a superblock says
// that the block belongs to a decimal column, the column's scale is used. path is the server's WAL directory, or any directory
// from which the data directories can be found.
func OpenBlock(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	return kudu.OpenBlock(ctx, path, limits, o.own())
}

// OpenOverview opens the directories of a tablet server to see what there is. The File has no columns and no rows: its Info lists
// tables and tablets. path is the server's WAL directory. Of the options only those count that say where directories are,
// Salvage, Rebuild and Schemas. Data directories may be missing: then sizes are not known. That
// no superblock can be read is errs.ErrCorrupt, or with Salvage or Rebuild a loss among the warnings.
func OpenOverview(ctx context.Context, path string, limits arrowio.Limits, o Options) (arrowio.File, error) {
	v, err := kudu.OpenOverview(ctx, path, limits, o.own())
	if err != nil {
		return nil, err // not a File that is a nil *kudu.Overview
	}
	return v, nil
}

// IsServerDir reports whether a local directory is one of a Kudu server's own, as far as its files tell; they may be damaged.
func IsServerDir(dir string) bool { return kudu.IsServerDir(dir) }

// IsOverview reports whether f shows the directories of a server as OpenOverview does. Format opens them so to verify or to
// describe several tables.
func IsOverview(f arrowio.File) bool {
	_, ok := arrowio.As[*kudu.Overview](f)
	return ok
}

// Denied returns an error that names the superblocks which may not be read, of a file that OpenOverview has opened with PassDenied; nil =
// there are none. What the File lists is complete but for their tablets.
func Denied(f arrowio.File) error {
	if v, ok := arrowio.As[*kudu.Overview](f); ok {
		return v.Denied()
	}
	return nil
}
