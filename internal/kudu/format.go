package kudu

import (
	"context"
	"strconv"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/options"
)

// Name is the format's name.
const Name = "kudu"

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
	// reads past damage like Salvage.
	Rebuild string
	Schemas []string // with Rebuild: superblocks, or directories of them, whose tables the rows may be of
	// Servers are the directories, like path, of other servers with replicas of the same tablets: of each tablet the newest one that
	// is whole is read. See docs/formats/kudu.md.
	Servers []string
	Replica string // with Servers: the server, by its uuid or directory, whose replicas are read where it has them
	Merge   bool   // with Servers: read what all replicas have, and of each key the newest row
	Check   bool   // with Servers: all columns of a replica are read before it is chosen

	// PassDenied makes an overview go on without superblocks that may not be read: Overview.Denied is an error about them.
	PassDenied bool

	noData bool      // go on without data directories, to list what superblocks tell
	verify bool      // for Verify alone: go on past damage, which Verify then reports
	watch  *logWatch // notes what logs are about; nil = not reported

	// For tests.
	sizes   sizes                                                 // of splits; zero = usualSizes
	through func(block uint64, src arrowio.Source) arrowio.Source // what blocks are read through; nil = nothing
}

// Format returns the reader of tablet servers' directories, of sets, and of the small files of a server, which have no rows.
func Format() arrowio.Format {
	return arrowio.Format{
		Name: Name,
		Options: []arrowio.Option{
			{Name: "kudu-data-dir", Usage: "a data directory of the server (--fs_data_dirs)", Default: "INPUT's sibling data, or INPUT itself", Repeated: true},
			{Name: "kudu-metadata-dir", Usage: "the server's metadata directory (--fs_metadata_dir), where it has one", Default: "where Kudu looks: INPUT, then the first data directory"},
			{Name: "kudu-encryption-key", Usage: "the key of encrypted files that a key service has unwrapped: a file of hexadecimal digits, or env:NAME", Default: "what Kudu's default key provider keeps with the files"},
			{Name: "kudu-table", Usage: "name or id of the table to read", Default: "the only table"},
			{Name: "kudu-tablet", Usage: "id of the one tablet to read", Default: "all tablets of the table"},
			{Name: "kudu-block", Usage: "id of one block to read by itself, as the CFile that it is; needs no superblock", Default: "a table"},
			{Name: "kudu-snapshot", Usage: "read as of a moment: a hybrid time as a number, or an RFC 3339 time", Default: "everything on disk and in the logs"},
			{Name: "kudu-wal", Usage: "replay write-ahead logs for rows that were never flushed, or skip them", Default: "replay", Values: []string{"replay", "skip"}},
			{Name: "kudu-uncommitted", Usage: "operations at a log's end that only other servers know to be committed", Default: "apply where this server alone decides", Values: []string{"apply", "skip"}},
			{Name: "kudu-wal-memory", Usage: "bound on the bytes of memory that rows of write-ahead logs take", Default: "2147483648"},
			{Name: "kudu-salvage", Usage: "go on past damage and report what is lost", Default: "false", Values: []string{"true", "false"}},
			{Name: "kudu-verify", Usage: "compare the checksums of blocks that are read; false takes less time, and damage may be shown as other rows", Default: "true", Values: []string{"true", "false"}},
			{Name: "kudu-rebuild", Usage: "put tablets without superblocks together from their blocks, as far as that is sure, likely or even doubtful", Default: "read what superblocks name", Values: []string{"sure", "likely", "doubtful"}},
			{Name: "kudu-schema", Usage: "a superblock of a replica, or a directory of them, that names the columns of rebuilt tablets", Default: "the server's own", Repeated: true},
			{Name: "kudu-server", Usage: "the directory, like INPUT, of another server that has replicas of the same tablets; several INPUTs are the same", Default: "INPUT is the only server", Repeated: true},
			{Name: "kudu-replica", Usage: "with several servers: the one, by its uuid or directory, whose replicas are read", Default: "of each tablet the newest replica that is whole"},
			{Name: "kudu-merge", Usage: "with several servers: read the rows of all replicas of a tablet, and of each key the newest", Default: "false", Values: []string{"true", "false"}},
			{Name: "kudu-check", Usage: "with several servers: read all columns of a replica before it is chosen, and pass over one that is damaged", Default: "false", Values: []string{"true", "false"}},
			{Name: "kudu-strings", Usage: "how to show strings: text, which must be UTF-8, or their bytes", Default: "text", Values: []string{"text", "binary"}, Remote: true},
		},
		Match:       matchServerFile,
		MatchBeside: besideContainer,
		Open:        openServerFile,
		LooksLike:   looksLikeServer,
		MatchTree:   isSet,
		OpenTree: func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
			opt, err := parseOptions(o.Options)
			if err != nil {
				return nil, err
			}
			if o.For == arrowio.ForVerify {
				opt.Salvage, opt.verify = true, true
			}
			f, err := OpenSet(ctx, t, o.Limits, opt)
			if err != nil {
				return nil, err // not a File that is a nil *File
			}
			return f, nil
		},
		OpenPath: func(ctx context.Context, path string, o arrowio.OpenOptions) (arrowio.File, error) {
			opt, err := parseOptions(o.Options)
			if err != nil {
				return nil, err
			}
			if ok, err := isSet(ctx, local.DirTree(path)); err == nil && ok {
				return Format().OpenTree(ctx, local.DirTree(path), o)
			}
			switch {
			case opt.ofSeveral():
				return openCluster(ctx, path, o, opt)
			case opt.Block != "":
				return OpenBlock(ctx, path, o.Limits, opt)
			case o.For == arrowio.ForInfo:
				return openForInfo(ctx, path, o.Limits, opt)
			case o.For == arrowio.ForVerify:
				opt.Salvage, opt.verify = true, true
				return openToVerify(ctx, path, o.Limits, opt)
			}
			f, err := Open(ctx, path, o.Limits, opt)
			if err != nil {
				return nil, err // not a File that is a nil *File
			}
			return f, nil
		},
	}
}

func parseOptions(given map[string]string) (o Options, err error) {
	m, err := options.Check(Format().Options, given)
	if err != nil {
		return o, err
	}
	o = Options{
		Data: options.Values(given["kudu-data-dir"]), Metadata: given["kudu-metadata-dir"], Key: given["kudu-encryption-key"],
		Table: given["kudu-table"], Tablet: given["kudu-tablet"], Block: given["kudu-block"],
		SkipLog: m["kudu-wal"] == "skip", Uncommitted: given["kudu-uncommitted"],
		Salvage: m["kudu-salvage"] == "true", StringsBinary: m["kudu-strings"] == "binary",
		Trust:   m["kudu-verify"] == "false",
		Rebuild: given["kudu-rebuild"], Schemas: options.Values(given["kudu-schema"]),
		Servers: options.Values(given["kudu-server"]), Replica: given["kudu-replica"], Merge: m["kudu-merge"] == "true", Check: m["kudu-check"] == "true",
	}
	if err := o.checkRebuild(); err != nil {
		return o, err
	}
	if o.LogMemory, err = strconv.ParseInt(m["kudu-wal-memory"], 10, 64); err != nil || o.LogMemory <= 0 {
		return o, errs.Errorf(errs.ErrOption, "%w: %q is no number of bytes", errs.Opt("kudu-wal-memory", ""), m["kudu-wal-memory"])
	}
	if s := given["kudu-snapshot"]; s != "" {
		if o.Snapshot, err = parseSnapshot(s); err != nil {
			return o, err
		}
	}
	return o, nil
}

// logicalBits is how many low bits of a hybrid time are a counter; above them are microseconds since 1970.
const logicalBits = 12

// parseSnapshot reads a hybrid time or an RFC 3339 time. At the latter everything is seen that happened before it. A moment
// in the future is refused.
func parseSnapshot(s string) (uint64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	t := time.UnixMicro(int64(v >> logicalBits)).UTC()
	if err != nil {
		t, err = time.Parse(time.RFC3339Nano, s)
		v = uint64(t.UnixMicro()) << logicalBits
	}
	now := time.Now()
	switch {
	case err != nil || v != 0 && t.UnixMicro() < 0:
		return 0, errs.Errorf(errs.ErrOption, "%w: %q is neither a hybrid time nor an RFC 3339 time such as 2024-05-01T12:00:00Z", errs.Opt("kudu-snapshot", ""), s)
	case v == 0:
		return 0, errs.Errorf(errs.ErrOption, "%w: %s is before any operation", errs.Opt("kudu-snapshot", ""), s)
	case t.After(now):
		return 0, errs.Errorf(errs.ErrOption, "%w: %s is in the future (it is %s, now is %s); without it the latest rows are read", errs.Opt("kudu-snapshot", ""),
			s, t.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return v, nil
}

// timeText is a hybrid time as RFC 3339 has it.
func timeText(hybrid uint64) string {
	return time.UnixMicro(int64(hybrid >> logicalBits)).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
}
