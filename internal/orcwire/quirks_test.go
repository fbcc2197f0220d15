package orcwire

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func TestWriterName(t *testing.T) {
	for _, c := range []struct {
		writer   uint32
		version  uint32
		software string
		want     string
	}{
		{0, 9, "1.6.11", "ORC Java 1.6.11"},
		{0, 6, "", "ORC Java (version 6)"},
		{1, 6, "2.2.2", "ORC C++ 2.2.2"},
		{1, 6, "", "ORC C++"},
		{2, 6, "", "Presto"},
		{3, 6, "", "Scritchley Go"},
		{4, 6, "411", "Trino 411"},
		{5, 6, "", "cuDF"},
		{6, 6, "", "writer 6"},
		{1<<32 - 1, 6, "x", "writer 4294967295 x"},
	} {
		if got := WriterName(&Footer{Writer: c.writer, SoftwareVersion: c.software}, &PostScript{WriterVersion: c.version}); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// What Java's versions 0 to 9 fixed, and that all other writers have it.
func TestJavaVersions(t *testing.T) {
	for v := range uint32(11) {
		q := Quirks{Writer: WriterJava, Version: v}
		for _, c := range []struct {
			name      string
			got, want bool
		}{
			{"stripe statistics", q.StripeStatsTrusted(), v >= 1},
			{"string statistics", q.StringStatsTrusted(), v >= 1},
			{"names", q.RealNames(), v >= 2},
			{"timestamp statistics", q.TimestampStatsUTC(), v >= 6},
			{"decimals of 18 digits", q.DecimalStatsTrusted(18), v != 6},
			{"decimals of 19 digits", q.DecimalStatsTrusted(19), true},
			{"decimals of Hive 0.11", q.DecimalStatsTrusted(0), true},
			{"bloom filter of int", q.BloomTrusted(Int, false, 0), true},
			{"bloom filter of tinyint", q.BloomTrusted(Byte, true, 0), true},
			{"bloom filter of boolean", q.BloomTrusted(Boolean, true, 0), false},
			{"bloom filter of list", q.BloomTrusted(List, true, 0), true},
			{"bloom filter of string", q.BloomTrusted(String, false, 0), v >= 3},
			{"bloom filter of char", q.BloomTrusted(Char, false, 0), v >= 3},
			{"bloom filter of varchar", q.BloomTrusted(Varchar, false, 0), v >= 3},
			{"bloom filter of decimal", q.BloomTrusted(Decimal, false, 0), false},
			{"bloom filter of timestamp", q.BloomTrusted(Timestamp, false, 0), v >= 6},
			{"UTF-8 bloom filter of string", q.BloomTrusted(String, true, 0), true},
			{"UTF-8 bloom filter of decimal", q.BloomTrusted(Decimal, true, 0), true},
			{"UTF-8 bloom filter of timestamp", q.BloomTrusted(Timestamp, true, 0), false},
			{"UTC bloom filter of timestamp", q.BloomTrusted(TimestampInstant, true, 1), true},
		} {
			if c.got != c.want {
				t.Errorf("version %d: %s: %t", v, c.name, c.got)
			}
		}
	}
	for w := uint32(WriterCPP); w < 8; w++ {
		q := Quirks{Writer: w, Version: 6}
		if !q.StripeStatsTrusted() || !q.StringStatsTrusted() || !q.RealNames() || !q.TimestampStatsUTC() || !q.DecimalStatsTrusted(5) || !q.BloomTrusted(String, false, 0) {
			t.Errorf("writer %d is taken for an old Java", w)
		}
	}
}

// The releases of the C++ writer that ORC-1024 names.
func TestBadBloomFilters(t *testing.T) {
	for software, bad := range map[string]bool{
		"": true, "1.6.0": true, "1.6.9": true, "1.6.11": true, "1.6.11-SNAPSHOT": true, "1.7.0": true, "1.7.0-SNAPSHOT": true, "1.6.x": true,
		"1.6.12": false, "1.6.12-SNAPSHOT": false, "1.7.1": false, "1.7.7": false, "2.2.2": false, "1.60.0": false,
	} {
		q := NewQuirks(&PostScript{WriterVersion: 6}, &Footer{Writer: WriterCPP, SoftwareVersion: software})
		if q.BadBloom != bad || q.BloomTrusted(Int, true, 1) == bad || q.Version != 6 {
			t.Errorf("%q: %+v", software, q)
		}
		if q := NewQuirks(&PostScript{}, &Footer{Writer: WriterJava, SoftwareVersion: software}); q.BadBloom {
			t.Errorf("Java %q: %+v", software, q)
		}
		if q.BloomTrusted(Boolean, true, 1) || q.BloomTrusted(Byte, true, 1) || q.BloomTrusted(List, true, 1) || q.BloomTrusted(Map, true, 1) {
			t.Errorf("%q: filters of booleans, tinyint, lists and maps: %+v", software, q)
		}
	}
}

// The releases of Java's writer before ORC-1008.
func TestWrappedSums(t *testing.T) {
	for software, wraps := range map[string]bool{"": true, "1.6.0": true, "1.7.11": true, "1.8.0": false, "1.8.5": false, "1.60.0": false, "2.3.1": false} {
		if q := NewQuirks(&PostScript{WriterVersion: 9}, &Footer{Writer: WriterJava, SoftwareVersion: software}); q.WrapsSums != wraps {
			t.Errorf("%q: %+v", software, q)
		}
		if q := NewQuirks(&PostScript{WriterVersion: 6}, &Footer{Writer: WriterCPP, SoftwareVersion: software}); q.WrapsSums {
			t.Errorf("C++ %q: %+v", software, q)
		}
	}
}

func TestHybrid(t *testing.T) {
	plain := footerOf(names(typeMsg(Struct, 1), "a"), typeMsg(Date))
	iceberg := footerOf(names(typeMsg(Struct, 1), "a"), typeMsg(Date).Bytes(7, attribute("iceberg.id", "1")))
	for _, c := range []struct {
		name             string
		b                pbtest.Message
		writer, calendar uint64
		want             bool
	}{
		{"old Java", plain, WriterJava, CalendarUnknown, true},
		{"Java", plain, WriterJava, CalendarHybrid, true},
		{"Java, proleptic", plain, WriterJava, CalendarProleptic, false},
		{"Iceberg", iceberg, WriterJava, CalendarHybrid, false},
		{"C++", plain, WriterCPP, CalendarUnknown, false},
		{"C++, hybrid", plain, WriterCPP, CalendarHybrid, false},
		{"Presto", plain, WriterPresto, CalendarUnknown, false},
		{"Trino", plain, WriterTrino, CalendarUnknown, false},
		{"another", plain, 77, CalendarUnknown, false},
		{"another, hybrid", plain, 77, CalendarHybrid, true},
		{"another, proleptic", plain, 77, CalendarProleptic, false},
	} {
		f, err := ParseFooter(append(pbtest.Message(nil), c.b...).Uint(9, c.writer).Uint(11, c.calendar), errs.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := NewQuirks(&PostScript{}, f).Hybrid(f); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
