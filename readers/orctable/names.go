package orctable

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// dirKind is what a directory of an ACID table holds.
type dirKind uint8

const (
	notAcid     dirKind = iota
	base                // everything up to a write id
	delta               // rows that were inserted, in tables of version 1 all that happened
	deleteDelta         // row ids that were deleted
)

var dirPrefixes = [...]string{base: "base_", delta: "delta_", deleteDelta: "delete_delta_"}

// String returns what people call it.
func (k dirKind) String() string {
	return [...]string{notAcid: "originals", base: "base", delta: "delta", deleteDelta: "delete delta"}[k]
}

// dirName is what the name of a directory says.
type dirName struct {
	kind     dirKind
	min, max int64 // write ids; those of a base are both its own
	stmt     int64 // of the transaction; -1 = not told
	txn      int64 // that compacted; -1 = not told
}

// none stands for a statement or transaction that a name does not tell.
const none = -1

// beforeAll is the write id of the base that the first compaction of a converted table makes.
const beforeAll = math.MinInt64

// kindOf tells by its prefix what kind of directory a name is meant for, well formed or not.
func kindOf(name string) dirKind {
	for k := base; k <= deleteDelta; k++ {
		if strings.HasPrefix(name, dirPrefixes[k]) {
			return k
		}
	}
	return notAcid
}

// parseDir reads base_W[_vT], delta_A_B[_S][_vT] and delete_delta_A_B[_S][_vT]. Other names, and these with numbers that
// cannot be, are none; why says so where the name has the prefix of one.
func parseDir(name string) (d dirName, why string) {
	d = dirName{kind: kindOf(name), stmt: none, txn: none}
	if d.kind == notAcid {
		return d, ""
	}
	bad := func(why string) (dirName, string) { return dirName{}, why }
	parts := strings.Split(strings.TrimPrefix(name, dirPrefixes[d.kind]), "_")
	if t, ok := strings.CutPrefix(parts[len(parts)-1], "v"); ok {
		if d.txn, ok = number(t); !ok {
			return bad("what follows _v is no transaction")
		}
		parts = parts[:len(parts)-1]
	}
	var ok bool
	if d.kind == base {
		if len(parts) != 1 {
			return bad("a base has one write id")
		}
		if d.min, ok = signedNumber(parts[0]); !ok {
			return bad("its write id is no number")
		}
		d.max = d.min
		return d, ""
	}
	if len(parts) != 2 && len(parts) != 3 {
		return bad("a delta has two write ids, and perhaps a statement")
	}
	if d.min, ok = number(parts[0]); ok {
		d.max, ok = number(parts[1])
	}
	if !ok {
		return bad("its write ids are no numbers")
	}
	if d.min > d.max {
		return bad("its write ids end before they begin")
	}
	if len(parts) == 3 {
		if d.stmt, ok = number(parts[2]); !ok || d.stmt > math.MaxInt32 {
			return bad("its statement is no number")
		}
	}
	return d, ""
}

// number reads digits, leading zeros among them.
func number(s string) (int64, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func signedNumber(s string) (int64, bool) {
	if s == "" || s[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// hidden tells names that Hive passes over, at every level.
func hidden(name string) bool { return name == "" || name[0] == '_' || name[0] == '.' }

// compactedMark is a file that tells, in Hive 3, that a base was made by compaction.
const compactedMark = "_metadata_acid"

// flushSuffix ends the names of side files: see flushed.
const flushSuffix = "_flush_length"

var (
	bucketName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^bucket_(\d+)(?:_\d+)?$`) })
	rawName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+)_\d+(?:_copy_\d+)?$`) })
)

// bucketOf returns the bucket that the name of a data file tells; false = none. In tables without buckets it is which of
// the writers it was.
func bucketOf(name string) (int64, bool) {
	m := bucketName().FindStringSubmatch(name)
	if m == nil {
		m = rawName().FindStringSubmatch(name)
	}
	if m == nil {
		return 0, false
	}
	return number(m[1])
}

// partitionOf splits k=v, with what is escaped as it was; false = it is no such name. null = the value is none.
func partitionOf(name string) (key, value string, null, ok bool) {
	k, v, ok := strings.Cut(name, "=")
	if !ok || k == "" || hidden(name) {
		return "", "", false, false
	}
	return unescape(k), unescape(v), v == defaultPartition, true
}

// defaultPartition is where Hive puts rows whose partition column is null, or empty.
const defaultPartition = "__HIVE_DEFAULT_PARTITION__"

// unescape undoes what Hive does to characters that a path cannot have: %XX. Anything else stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// bucketBits makes of a bucket and a statement what Hive 3 stores as bucket of a row id: version 1 in the upper three
// bits, then 12 bits of bucket and, behind four that are kept for later, 12 of the statement.
func bucketBits(bucket, stmt int64) (int32, bool) {
	if bucket < 0 || bucket > 0xfff || stmt < 0 || stmt > 0xfff {
		return 0, false
	}
	return int32(1<<29 | bucket<<16 | stmt), true
}

// checkBucket refuses buckets of row ids whose upper bits name an unknown version. In version 0, of Hive 2, all
// of it is the bucket.
func checkBucket(b int32) error {
	if uint32(b)>>29 > 1 {
		return errs.Errorf(errs.ErrUnsupported, "bucket %d of a row id has the unknown version %d", b, uint32(b)>>29)
	}
	return nil
}
