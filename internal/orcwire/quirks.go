package orcwire

import (
	"slices"
	"strconv"
	"strings"
)

// Codes of writers that have registered (orc_proto.proto, "Footer").
const (
	WriterJava       = 0
	WriterCPP        = 1
	WriterPresto     = 2
	WriterScritchley = 3
	WriterTrino      = 4
	WriterCUDF       = 5
)

var writerNames = [...]string{"ORC Java", "ORC C++", "Presto", "Scritchley Go", "Trino", "cuDF"}

// WriterName returns who wrote the file, as in "ORC Java 1.6.11" or "Trino". Files of Java older than about 1.5.13 do
// not say which release; the version of the writer's format bounds it: "ORC Java (version 6)".
func WriterName(f *Footer, ps *PostScript) string {
	name := "writer " + strconv.FormatUint(uint64(f.Writer), 10)
	if int64(f.Writer) < int64(len(writerNames)) {
		name = writerNames[f.Writer]
	}
	switch {
	case f.SoftwareVersion != "":
		return name + " " + f.SoftwareVersion
	case f.Writer == WriterJava:
		return name + " (version " + strconv.FormatUint(uint64(ps.WriterVersion), 10) + ")"
	}
	return name
}

// Versions of the Java writer. Others begin at 6 and have had no faults that a version tells.
const (
	javaHIVE8732  = 1
	javaHIVE4243  = 2
	javaHIVE12055 = 3
	javaORC135    = 6
)

// Quirks says what to make of a file for the writer that made it: what it got wrong, and what it meant.
type Quirks struct {
	Writer, Version uint32
	// BadBloom is for the C++ writer's bloom filters up to 1.6.11 and in 1.7.0, which are hashed wrongly (ORC-1024).
	BadBloom bool
	// WrapsSums is for sums of integers that do not fit 64 bits and are told without the bits that do not: before ORC-1008, in 1.8, Java's
	// writer multiplied the value of a vector that repeats by its rows, and did not see all overflows.
	WrapsSums bool
	// StarRocks is set for its writer, which is C++'s with changes: bounds of floats went through text.
	StarRocks bool
}

// keyStarRocks is the user metadata in which StarRocks tells its version.
const keyStarRocks = "starrocks.writer.version"

// NewQuirks reads who wrote the file.
func NewQuirks(ps *PostScript, f *Footer) Quirks {
	q := Quirks{Writer: f.Writer, Version: ps.WriterVersion}
	if q.Writer == WriterCPP {
		// Versions are told since 1.6.11; "1.6.12-SNAPSHOT" is not yet 1.6.12, and has the correction.
		release, _, _ := strings.Cut(f.SoftwareVersion, "-")
		q.BadBloom = release == "" || release == "1.7.0"
		if patch, ok := strings.CutPrefix(release, "1.6."); ok {
			n, err := strconv.Atoi(patch)
			q.BadBloom = err != nil || n <= 11
		}
	}
	if q.Writer == WriterJava { // versions are told since 1.6
		q.WrapsSums = f.SoftwareVersion == "" || strings.HasPrefix(f.SoftwareVersion, "1.6.") || strings.HasPrefix(f.SoftwareVersion, "1.7.")
	}
	q.StarRocks = slices.ContainsFunc(f.Metadata, func(kv KeyValue) bool { return kv.Key == keyStarRocks })
	return q
}

// MayPose reports whether the file may be of a writer that took the Java writer's code and version without its habits, as
// .NET's did: Java tells its release since 1.6, and has told its time zone in every stripe since before version 3.
func (q Quirks) MayPose(f *Footer) bool {
	return q.Writer == WriterJava && q.Version >= javaHIVE12055 && f.SoftwareVersion == ""
}

// fixed reports whether the file is not by a Java writer older than version.
func (q Quirks) fixed(version uint32) bool { return q.Writer != WriterJava || q.Version >= version }

// StripeStatsTrusted reports whether the statistics of stripes and of the file can be believed: before HIVE-8732
// maxima went wrong when row groups were merged.
func (q Quirks) StripeStatsTrusted() bool { return q.fixed(javaHIVE8732) }

// StringStatsTrusted reports whether the bounds of strings, of row groups too, are in the order of UTF-8: before
// HIVE-8732 they were not.
func (q Quirks) StringStatsTrusted() bool { return q.fixed(javaHIVE8732) }

// RealNames reports whether struct names are those of the table: before HIVE-4243 Hive wrote _col0, _col1 and so on at
// top level, and columns match by position.
func (q Quirks) RealNames() bool { return q.fixed(javaHIVE4243) }

// TimestampStatsUTC reports whether Min and Max of TimestampStats can be told in UTC. Before ORC-135 they were in the
// writer's zone, which the statistics of files and stripes do not have; MinUTC and MaxUTC are good wherever they are.
func (q Quirks) TimestampStatsUTC() bool { return q.fixed(javaORC135) }

// RoundsFinely reports whether seconds of timestamps before 1970 are rounded towards zero for any fraction: see
// Timestamps.Finely.
func (q Quirks) RoundsFinely() bool { return q.Writer == WriterTrino }

// DecimalStatsTrusted reports whether bounds of decimals can be believed: until ORC-517 those of up to 18 digits could
// be wrong, in the writer that first had them as long integers, version 6.
func (q Quirks) DecimalStatsTrusted(precision uint32) bool {
	return q.Writer != WriterJava || q.Version != javaORC135 || precision > 18 || precision == 0
}

// AddsRepeatsOnce reports whether sums of floats, doubles and decimals may have a value once that fills a batch of rows: Java's writer adds
// the value of a vector that repeats once, and counts its rows rightly.
func (q Quirks) AddsRepeatsOnce() bool { return q.Writer == WriterJava }

// BloomTrusted reports whether a filter of a BLOOM_FILTER stream (utf8 false) or a BLOOM_FILTER_UTF8 stream can be
// asked about values of a kind. encoding is Encoding.Bloom of the column.
//
// In the first, strings were hashed in whatever the machine's charset was until HIVE-12055, decimals never rightly, and
// timestamps in the writer's zone until ORC-135, as in the second where the encoding does not say UTC.
func (q Quirks) BloomTrusted(k Kind, utf8 bool, encoding uint32) bool {
	if q.BadBloom {
		return false
	}
	switch k {
	case Boolean:
		return false // Java's are empty, and C++'s are like those of tinyint
	case Byte:
		return q.Writer != WriterCPP // it hashes what is left when the first values were overwritten by bytes
	case List, Map:
		return q.Writer != WriterCPP // it hashes where the children begin, instead of how many there are
	case Float:
		return q.Writer != WriterCPP // it hashes the double that it was given, which may have more digits than it stores
	case String, Char, Varchar:
		return utf8 || q.fixed(javaHIVE12055)
	case Decimal:
		return utf8
	case Timestamp, TimestampInstant:
		if utf8 {
			return encoding == 1
		}
		return q.fixed(javaORC135)
	}
	return true
}

// Hybrid reports whether dates and timestamps before 1582-10-15 are labelled in the hybrid calendar, Julian before that
// day. Java's writer labels so unless it says otherwise, and its old files do not say. Iceberg writes through it, and
// stores proleptic days under a flag that says hybrid: its types carry ids. The C++, Presto and Trino writers do not
// say, and store proleptic days; so do the other registered ones. A writer that is not known is taken at its word, unless it wrote ids.
func (q Quirks) Hybrid(f *Footer) bool {
	switch {
	case f.Calendar == CalendarProleptic:
		return false
	case slices.ContainsFunc(f.Types, func(t *Type) bool {
		_, ok := t.Attribute("iceberg.id")
		return ok
	}):
		return false
	case q.Writer == WriterJava:
		return true
	case q.Writer < uint32(len(writerNames)):
		return false
	}
	return f.Calendar == CalendarHybrid
}
