package arch

// rule is a row of the import table. Paths are relative to the module; * stands for one element's name and $ for what
// the * of pkg matched; a final /** stands for the path and everything below it. The first row that matches a package
// counts. Test files may import what they like.
type rule struct {
	pkg   string
	may   []string // packages of this module that it may import; its own subpackages it always may
	never []string // packages of others that it may not, in the words of their import paths
	why   string
}

// neutral are the packages that know no format, and that what reads or writes one may use.
var neutral = []string{
	"arrowio/local", "arrowio/splitcopy",
	"internal/annotate", "internal/arrowbuf", "internal/arrowcheck", "internal/arrowdense", "internal/budget", "internal/tracing", "internal/workers", "internal/bitpack", "internal/blockcodec",
	"internal/cursor", "internal/decimaltext", "internal/farread", "internal/inflate", "internal/keptrows", "internal/options", "internal/pathjson", "internal/pb", "internal/readall", "internal/recordsplit", "internal/partwriter", "internal/arrowipc", "internal/arrowjson",
	"internal/arrowmeta", "internal/arrowtype", "internal/fieldname", "internal/gonerows", "internal/geoarrow", "internal/plans", "internal/schemadiff", "internal/floattext", "internal/halffloat", "internal/inferred", "internal/jsontext",
	"internal/salvage", "internal/sinkblocks", "internal/textvalues", "internal/unzstd", "internal/valueset", "internal/wkb",
}

// public is what users may import, and the programs built on it.
var public = []string{"arrowio/**", "readers/**", "writers/**", "convert", "flight", "flight/auth", "flight/client"}

// doesIO are the packages that reach outside the process, or wait.
var doesIO = []string{"io", "io/fs", "io/ioutil", "bufio", "os", "os/**", "net", "net/**", "syscall", "golang.org/x/sys/**"}

const arrowPath = "github.com/apache/arrow/go/**"

var rules = []rule{
	{
		pkg: "arrowio",
		may: []string{"arrowio/errs", "arrowio/expr", "internal/arrowbuf", "internal/arrowtype", "internal/bitpack", "internal/farread", "internal/geoarrow", "internal/tracing", "internal/workers", "internal/schemadiff"},
		why: "the contracts know no format; of internal only the allocator, what narrows batches, types and metadata that describes columns, what scans tell readers of far files, traces, workers and the comparison of schemas",
	},
	{
		pkg: "arrowio/local",
		may: []string{"arrowio", "arrowio/errs"},
		why: "sources and stores of this machine: what the contracts ask for and nothing more",
	},
	{
		pkg:   "arrowio/errs",
		never: []string{arrowPath, "io", "os", "os/**", "net", "net/**", "syscall"},
		why:   "errors are a leaf: every other package may import it",
	},
	{
		pkg: "arrowio/expr",
		may: []string{"arrowio/errs", "internal/arrowtype", "internal/halffloat"},
		why: "predicates know Arrow, and of this module its errors, what types wrap others and what half floats are",
	},
	{
		pkg: "arrowio/stores",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "internal/remote", "internal/s3store", "internal/hdfsstore"},
		why: "one face for all stores, which know no format",
	},
	{
		pkg: "arrowio/view",
		may: []string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/arrowbuf", "internal/arrowmeta", "internal/arrowtype", "internal/bitpack", "internal/geoarrow", "internal/halffloat", "internal/inferred", "internal/schemadiff", "internal/workers"},
		why: "files under another schema, of any format",
	},
	{
		pkg: "arrowio/dataset",
		may: []string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/local", "arrowio/stores", "arrowio/view", "internal/farread", "internal/iceberg", "internal/inferred", "internal/pathjson", "internal/schemadiff", "internal/textvalues", "internal/workers"},
		why: "the way from paths to rows, which is that of every format",
	},
	{
		pkg: "arrowio/conformance",
		may: []string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/arrowbuf", "internal/arrowcheck", "internal/arrowtype", "internal/bitpack", "internal/workers"},
		why: "one suite for every format, so it knows none",
	},
	{
		pkg:   "internal/kuduwire",
		may:   []string{"arrowio/errs", "internal/cursor", "internal/bitpack", "internal/blockcodec", "internal/pb", "internal/cfilewire", "internal/arrowmeta", "internal/fieldname", "internal/gonerows", "internal/schemadiff"},
		never: doesIO,
		why:   "a wire package is bytes and values; Kudu's are made of CFile's",
	},
	{
		pkg:   "internal/*wire",
		may:   []string{"arrowio/errs", "internal/cursor", "internal/bitpack", "internal/blockcodec", "internal/pb", "internal/arrowmeta", "internal/arrowtype", "internal/fieldname", "internal/gonerows", "internal/geoarrow", "internal/schemadiff"},
		never: doesIO,
		why:   "a wire package is bytes and values, of one format",
	},
	{
		pkg:   "internal/parquetwire/decode",
		may:   []string{"internal/bitpack"},
		never: append([]string{arrowPath}, doesIO...),
		why:   "what reading needs of Parquet's bytes, in the words of kernels",
	},
	{
		pkg: "internal/*wire/**",
		why: "what belongs to a wire package is imported by it, not the reverse",
	},
	{
		pkg: "internal/sqltext",
		may: []string{"arrowio/errs", "arrowio/expr"},
		why: "the SQL that a server answers, whose conditions are those of expr",
	},
	{
		pkg:   "internal/decimaltext",
		never: doesIO,
		why:   "digits and a point",
	},
	{
		pkg:   "internal/celltext",
		may:   []string{"internal/decimaltext", "internal/halffloat"},
		never: doesIO,
		why:   "text for people, of any Arrow value",
	},
	{
		pkg:   "internal/geoarrow",
		never: append([]string{arrowPath}, doesIO...),
		why:   "what ORC, Parquet and GeoArrow say of geometries, in the words of all three",
	},
	{
		pkg:   "internal/wkb",
		may:   []string{"arrowio/errs"},
		never: append([]string{arrowPath}, doesIO...),
		why:   "statistics about geometries, of ORC and of Parquet",
	},
	{
		pkg:   "internal/schematext",
		may:   []string{"arrowio/errs", "internal/orcwire", "internal/trevniwire"},
		never: doesIO,
		why:   "a schema in the notations of formats",
	},
	{
		pkg:   "internal/hivetext",
		may:   []string{"arrowio/errs", "internal/jsontext", "internal/orcwire", "internal/textvalues"},
		never: doesIO,
		why:   "text as Hive's SerDes read it; a metastore writes types as ORC does",
	},
	{
		pkg: "internal/*text",
		may: []string{"arrowio/errs", "internal/bitpack", "internal/cursor", "internal/$wire"},
		why: "how a format's values look as text is between its reader, its writer and its wire package, with kernels",
	},
	{
		pkg: "internal/arrowbuf",
		may: []string{"internal/arrowtype", "internal/bitpack"},
		why: "arrowio imports it",
	},
	{
		pkg:   "internal/bitpack",
		never: []string{arrowPath},
		why:   "kernels stand at the bottom; arrowio imports them",
	},
	{
		pkg:   "internal/inflate",
		never: []string{arrowPath},
		why:   "kernels stand at the bottom",
	},
	{
		pkg:   "internal/unzstd",
		never: []string{arrowPath},
		why:   "kernels stand at the bottom",
	},
	{
		pkg:   "internal/blockcodec",
		may:   []string{"arrowio/errs", "internal/inflate", "internal/unzstd"},
		never: []string{arrowPath},
		why:   "codecs know bytes",
	},
	{
		pkg: "internal/cursor",
		may: []string{"arrowio/errs"},
		why: "it reads bytes of any format",
	},
	{
		pkg: "internal/pb",
		may: []string{"arrowio/errs"},
		why: "it reads protocol buffers of any format",
	},
	{
		pkg: "internal/tracing",
		why: "arrowio imports it",
	},
	{
		pkg: "internal/workers",
		may: []string{"arrowio/errs"},
		why: "it runs tasks, whatever they do",
	},
	{
		pkg: "internal/arch",
		why: "it only reads",
	},
	{
		pkg: "internal/s3store",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "internal/remote", "internal/workers"},
		why: "a store knows bytes and names, no format and no other store",
	},
	{
		pkg: "internal/hdfsstore",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "internal/kerberos", "internal/remote"},
		why: "a store knows bytes and names, no format and no other store",
	},
	{
		pkg: "internal/writertest",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "arrowio/conformance"},
		why: "tests of writers alone import it",
	},
	{
		pkg:   "internal/drawing",
		may:   []string{"arrowio", "internal/celltext"},
		never: doesIO,
		why:   "pictures of what files say of themselves, whatever the format",
	},
	{
		pkg:   "internal/browse",
		may:   []string{"internal/celltext"},
		never: []string{arrowPath, "os", "os/**", "net", "net/**", "syscall"},
		why:   "a screen about files that others have opened and read",
	},
	{
		pkg:   "internal/report",
		may:   []string{"arrowio", "arrowio/expr", "internal/celltext", "internal/drawing", "internal/schematext", "internal/tableprofile"},
		never: []string{"os", "os/**", "net", "net/**", "syscall"},
		why:   "a page about files that others have opened, and inspected or profiled, by the paths that filters name",
	},
	{
		pkg:   "internal/tableprofile",
		may:   []string{"arrowio/errs", "arrowio/expr", "internal/arrowbuf", "internal/arrowdense", "internal/celltext", "internal/halffloat", "internal/workers"},
		never: doesIO,
		why:   "it measures batches, whatever the format",
	},
	{
		pkg: "internal/tablediff",
		may: []string{"arrowio", "arrowio/errs", "arrowio/expr"},
		why: "it compares batches, whatever the format",
	},
	{
		pkg: "internal/orccast",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/view", "internal/orcwire"}, neutral...),
		why: "conversions that exist because orc-core does them know ORC's types",
	},
	{
		pkg: "internal/readas",
		may: []string{"arrowio", "arrowio/errs", "arrowio/view", "internal/orcwire"},
		why: "a schema may be written in ORC's notation",
	},
	{
		pkg:   "internal/iceberg",
		may:   []string{"arrowio", "arrowio/errs", "arrowio/view", "internal/arrowmeta"},
		never: doesIO,
		why:   "a table format's schemas, for readers and writers of the files in its tables",
	},
	{
		pkg:   "internal/icebergfile",
		may:   []string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/view", "internal/arrowbuf", "internal/arrowmeta", "internal/bitpack", "internal/gonerows", "internal/iceberg"},
		never: doesIO,
		why:   "a data file under a table's schema, whatever its format",
	},
	{
		pkg: "arrowio/splitcopy",
		may: []string{"arrowio", "arrowio/errs"},
		why: "what is copied as it is stored, whatever its format",
	},
	{
		pkg: "internal/salvage/salvagetest",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "arrowio/conformance", "internal/salvage"},
		why: "tests of readers that salvage alone import it",
	},
	{
		pkg: "internal/salvage",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/view"}, neutral...),
		why: "what is intact of a damaged file, whatever its format, is shown as views show files: columns may be null",
	},
	{
		pkg: "internal/duckdb",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/arrowc"}, neutral...),
		why: "rows go to DuckDB, and come back, through C",
	},
	{
		pkg: "internal/duckext",
		may: append([]string{"arrowio/errs", "internal/arrowc"}, neutral...),
		why: "rows go to DuckDB through C; what is opened the caller says",
	},
	{
		pkg: "internal/metastore",
		may: append([]string{"arrowio", "arrowio/errs", "internal/kerberos"}, neutral...),
		why: "a client of servers, which may ask for Kerberos",
	},
	{
		pkg: "internal/metastorefake",
		may: []string{"internal/metastore", "internal/judge"},
		why: "it answers, in tests, what the client asks, or Hive does",
	},
	{
		pkg: "internal/campaign",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/conformance"}, neutral...),
		why: "it damages what any reader reads, and is told which there are",
	},
	{
		pkg: "internal/campaign/**",
		may: append([]string{"internal/campaign"}, public...),
		why: "the program that gives a campaign all readers and writers",
	},
	{
		pkg: "internal/cfile",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/cfilewire", "internal/cfile/inspect"}, neutral...),
		why: "it reads CFiles, for readers/cfile and internal/kudu, and has them explained",
	},
	{
		pkg: "internal/cfile/inspect",
		may: append([]string{"arrowio", "arrowio/errs", "internal/cfilewire"}, neutral...),
		why: "it explains the bytes of CFiles, and knows nothing of how they are scanned",
	},
	{
		pkg: "internal/kudu",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/kuduwire", "internal/cfilewire", "internal/cfile", "internal/kudu/inspect", "internal/kudu/atrest", "internal/kudu/rocks"}, neutral...),
		why: "a tablet is made of CFiles, and the files around them are explained; readers/kudu shows it to users, and an import begins with it",
	},
	{
		pkg: "internal/kudu/rebuild",
		may: []string{"internal/kuduwire", "internal/cfilewire"},
		why: "it decides by what it is told of blocks, and reads none",
	},
	{
		pkg: "internal/kudu/rocks",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "internal/blockcodec"},
		why: "it reads a RocksDB, and knows nothing of what is in it",
	},
	{
		pkg: "internal/kudu/atrest",
		may: []string{"arrowio", "arrowio/errs", "arrowio/local", "internal/kuduwire"},
		why: "it decrypts files, and knows nothing of what is in them",
	},
	{
		pkg: "internal/kudu/inspect",
		may: append([]string{"arrowio", "arrowio/errs", "internal/kuduwire", "internal/cfilewire", "internal/cfile"}, neutral...),
		why: "it explains the bytes of a server's files, and knows nothing of how tablets are read",
	},
	{
		pkg: "internal/**",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr"}, neutral...),
		why: "what readers and writers share knows neither them nor a format",
	},
	{
		pkg: "readers/orctable",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/view", "arrowio/expr", "internal/orcwire", "readers/orc"}, neutral...),
		why: "a table is made of ORC files",
	},
	{
		pkg: "readers/orciceberg",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/view", "arrowio/expr", "internal/iceberg", "internal/icebergfile", "readers/orc"}, neutral...),
		why: "a table's files are ORC files, and what the table says of them",
	},
	{
		pkg: "readers/icebergtable",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/view", "arrowio/expr", "internal/iceberg", "internal/icebergcatalog", "internal/icebergfile", "internal/icebergmeta", "internal/puffinwire"}, neutral...),
		why: "a table has files of several formats, which it is given",
	},
	{
		pkg: "readers/hivetable",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/view", "arrowio/expr", "internal/hivetext", "internal/metastore", "internal/readas", "readers/orctable"}, neutral...),
		why: "a table has files of several formats, which it is given; directories of write ids are chosen among as in ACID tables; a metastore writes types as ORC does",
	},
	{
		pkg: "readers/cfile",
		may: []string{"arrowio", "internal/cfile"},
		why: "the part of internal/cfile that is for users",
	},
	{
		pkg: "readers/kudu",
		may: []string{"arrowio", "internal/kudu"},
		why: "the part of internal/kudu that is for users",
	},
	{
		pkg: "readers/avro",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/avrowire", "internal/trevniwire"}, neutral...),
		why: "Trevni columns are Avro records cut up, so that both have one mapping of schemas",
	},
	{
		pkg: "writers/avro",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/avrowire", "internal/trevniwire"}, neutral...),
		why: "Trevni columns are Avro records cut up, so that both have one mapping of schemas",
	},
	{
		pkg: "readers/*",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/$wire", "internal/$wire/**", "internal/$text"}, neutral...),
		why: "a reader knows its own format, no other, and no writer",
	},
	{
		pkg: "readers",
		may: append([]string{"arrowio", "arrowio/dataset", "arrowio/errs", "arrowio/view", "arrowio/expr", "internal/orccast", "internal/readas"}, neutral...),
		why: "the list of readers knows no writer and no wire package",
	},
	{
		pkg: "writers/cfile",
		may: append([]string{"arrowio", "arrowio/errs", "internal/cfilewire", "internal/kuduwire"}, neutral...),
		why: "what it writes is CFiles, and what Kudu says of them",
	},
	{
		pkg: "writers/kudu",
		may: append([]string{"arrowio", "arrowio/errs", "internal/kuduwire", "internal/cfilewire", "internal/kudu", "internal/cfile", "writers/cfile"}, neutral...),
		why: "an import begins with reading what is there, and a set is divided into sets",
	},
	{
		pkg: "writers/orc",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/orcwire", "internal/orctext", "internal/iceberg"}, neutral...),
		why: "a writer knows its own format, what tables of Iceberg ask of it, and no reader",
	},
	{
		pkg: "writers/icebergtable",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/stores", "arrowio/view", "internal/extsort", "internal/iceberg", "internal/icebergcatalog", "internal/icebergmeta", "internal/metastore", "internal/puffinwire"}, neutral...),
		why: "a table has files of several formats, whose writers it is given, in any store, and perhaps a metastore of Hive as its catalog; rows of a partition are sorted together",
	},
	{
		pkg: "writers/hivetable",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/stores", "arrowio/view", "internal/extsort", "internal/metastore", "internal/partitiontext", "internal/readas"}, neutral...),
		why: "a table has files of several formats, whose writers it is given, in any store; a metastore writes types as ORC does",
	},
	{
		pkg: "writers/*",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr", "internal/$wire", "internal/$wire/**", "internal/$text"}, neutral...),
		why: "a writer knows its own format, no other, and no reader",
	},
	{
		pkg: "writers",
		may: append([]string{"arrowio", "arrowio/errs", "arrowio/expr"}, neutral...),
		why: "the list of writers knows no reader and no wire package",
	},
	{
		pkg: "convert",
		may: append([]string{"internal/arrowbuf", "internal/arrowtype", "internal/extsort", "internal/partitiontext", "internal/plans", "internal/schemadiff"}, public...),
		why: "it is built on what users have, sorts on the way, and names columns as plans do; what it keeps it measures as scans do",
	},
	{
		pkg: "flight",
		may: append([]string{"internal/arrowbuf", "internal/arrowtype", "internal/news", "internal/tracing", "internal/workers"}, public...),
		why: "it is built on what users have; small batches are joined, and memory is reused, as scans do it; what is wrong is said once",
	},
	{
		pkg: "flight/auth",
		may: []string{"arrowio/errs", "flight/internal/rpcerr"},
		why: "who a client is, and what it may do, is decided without a look at data",
	},
	{
		pkg: "flight/client",
		may: []string{"arrowio", "arrowio/errs", "readers/ipc"},
		why: "it reads what any server sends; the messages are those of IPC",
	},
	{
		pkg: "flight/internal/certtest",
		why: "tests alone import it",
	},
	{
		pkg: "flight/internal/rpcerr",
		may: []string{"arrowio/errs"},
		why: "every package of the server makes these errors",
	},
	{
		pkg: "flight/internal/sql",
		may: []string{"arrowio", "arrowio/errs", "arrowio/expr", "arrowio/local", "flight/internal/rpcerr", "flight/internal/strict", "flight/internal/transport", "internal/arrowbuf", "internal/arrowtype", "internal/sqltext", "readers/ipc"},
		why: "it answers SQL; catalogs, datasets and files it reaches through its interface Server alone; parameters come as an IPC stream",
	},
	{
		pkg: "flight/internal/strict",
		why: "it reads the JSON of clients, whatever it is",
	},
	{
		pkg: "flight/internal/transport",
		may: []string{"arrowio", "arrowio/errs", "flight/internal/rpcerr", "internal/arrowbuf", "internal/workers", "writers/ipc"},
		why: "it sends records; it knows no dataset and no format but that of the messages",
	},
	{
		pkg: "flight/page",
		may: append([]string{"internal/celltext", "internal/drawing", "internal/extsort", "internal/workers"}, public...),
		why: "it is built on what users have, draws as reports do, and sorts as conversions do; a panic while a page is made is an error",
	},
	{
		pkg: "cmd/libarrowio",
		may: append([]string{"internal/arrowc", "internal/collect", "internal/duckext", "internal/fieldname", "internal/pathjson", "internal/remote", "internal/workers"}, public...),
		why: "it is built on what users have; rows leave it, and come, through C; files are looked at side by side, and those that only the caller reaches are read as stores are, and garbage is collected late",
	},
	{
		pkg: "cmd/arrowio",
		may: append([]string{"flight/page", "internal/browse", "internal/celltext", "internal/collect", "internal/duckdb", "internal/news", "internal/report", "internal/sinkblocks", "internal/tablediff", "internal/tableprofile"}, public...),
		why: "it is built on what users have; merge reads an option of the ORC writer; reports are made of what it inspects; values become text as they do on the page, one command is DuckDB's, and garbage is collected late",
	},
	{
		pkg: "cmd/**",
		may: public,
		why: "it is built on what users have",
	},
	{
		pkg: "python/**",
		may: public,
		why: "it is built on what users have",
	},
	{
		pkg: "examples/**",
		may: public,
		why: "it is built on what users have",
	},
	{
		pkg: "docs/**",
		may: public,
		why: "it is built on what users have",
	},
	{
		pkg: "testdata/**",
		may: append(append([]string{"internal/**"}, public...), neutral...),
		why: "scripts that make fixtures",
	},
}

// topLevel is everything that the module's root may hold.
var topLevel = []string{
	// code
	"arrowio", "readers", "writers", "convert", "flight", "cmd", "internal", "python", "examples", "testdata",
	// the module and what is written about it
	"go.mod", "go.sum", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs",
	// chores
	"Makefile", ".ci", ".golangci.yml", ".gitignore",
}

const (
	softLines = 600 // reported
	hardLines = 800 // an error
)
