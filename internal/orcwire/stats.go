package orcwire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/pb"
)

// Tri is an answer that a file may leave out.
type Tri uint8

// Answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// ColumnStats says something about the values of a column in a file, a stripe or a row group (specification, "Column
// Statistics"). A nil pointer is a part that the writer left out. Which parts can be believed depends on the writer:
// see Quirks.
type ColumnStats struct {
	HasValues   bool
	Values      int64 // that are not null, if HasValues. 0 is no proof that all are null: Hive's compactor wrote it for anything.
	HasNull     Tri   // Unknown in files of Hive before 1.1, Presto and Trino
	HasBytes    bool
	BytesOnDisk int64 // of the column's streams, if HasBytes
	Int         *IntStats
	Double      *DoubleStats
	String      *StringStats
	Bool        *BucketStats
	Decimal     *DecimalStats
	Date        *DateStats
	Binary      *BinaryStats
	Timestamp   *TimestampStats
	Collection  *CollectionStats
	Geo         *GeoStats
}

// IntStats is about tinyint, smallint, int and bigint.
type IntStats struct {
	Min, Max *int64
	Sum      *int64 // nil also where it overflowed
}

// DoubleStats is about float and double. Where Sum is NaN a NaN is among the values, and Min and Max cannot be trusted.
type DoubleStats struct{ Min, Max, Sum *float64 }

// StringStats is about string, char and varchar. The slices are parts of the bytes that were parsed.
type StringStats struct {
	Min, Max     []byte // nil = absent
	Lower, Upper []byte // in place of Min and Max where those are long: bounds, maybe no values
	Sum          *int64 // bytes of all values
}

// BucketStats is about boolean.
type BucketStats struct{ True []uint64 } // one number: how many values are true

// DecimalStats is about decimal, as decimal text; "" = absent.
type DecimalStats struct{ Min, Max, Sum string }

// DateStats is about date: days since 1970-01-01.
type DateStats struct{ Min, Max *int32 }

// BinaryStats is about binary.
type BinaryStats struct{ Sum *int64 } // bytes of all values

// TimestampStats is about timestamp and timestamp with local time zone: milliseconds since 1970-01-01, rounded
// towards the past, and the nanoseconds within the millisecond.
type TimestampStats struct {
	Min, Max           *int64 // in the writer's time zone, which statistics do not name
	MinUTC, MaxUTC     *int64
	MinNanos, MaxNanos int32 // 0 and 999999 where absent, so that the bounds hold
}

// CollectionStats is about list and map: how many elements values have.
type CollectionStats struct{ MinChildren, MaxChildren, TotalChildren *uint64 }

// GeoStats is about geometry and geography.
type GeoStats struct {
	Box   *BoundingBox
	Types []int32 // codes of well-known binary, as 1 = point, 1001 = point with z
}

// BoundingBox bounds the coordinates of geometries.
type BoundingBox struct {
	XMin, XMax, YMin, YMax float64
	ZMin, ZMax, MMin, MMax *float64
}

var columnStatsTable = pb.NewTable(
	pb.Uint(1, "numberOfValues", func(s *ColumnStats) *int64 { return &s.Values }).With(func(s *ColumnStats) *bool { return &s.HasValues }),
	pb.PartOf(2, "intStatistics", intStatsTable, func(s *ColumnStats) **IntStats { return &s.Int }),
	pb.PartOf(3, "doubleStatistics", doubleStatsTable, func(s *ColumnStats) **DoubleStats { return &s.Double }),
	pb.PartOf(4, "stringStatistics", stringStatsTable, func(s *ColumnStats) **StringStats { return &s.String }),
	pb.PartOf(5, "bucketStatistics", pb.NewTable(
		pb.Varints(1, "count", func(s *BucketStats) *[]uint64 { return &s.True }),
	), func(s *ColumnStats) **BucketStats { return &s.Bool }),
	pb.PartOf(6, "decimalStatistics", decimalStatsTable, func(s *ColumnStats) **DecimalStats { return &s.Decimal }),
	pb.PartOf(7, "dateStatistics", dateStatsTable, func(s *ColumnStats) **DateStats { return &s.Date }),
	pb.PartOf(8, "binaryStatistics", pb.NewTable(
		pb.SintOf(1, "sum", func(s *BinaryStats) **int64 { return &s.Sum }),
	), func(s *ColumnStats) **BinaryStats { return &s.Binary }),
	pb.PartOf(9, "timestampStatistics", timestampStatsTable, func(s *ColumnStats) **TimestampStats { return &s.Timestamp }),
	pb.Custom(10, "hasNull", pb.FormBool, func(m *pb.Message, s *ColumnStats) {
		if s.HasNull = No; m.Bool() {
			s.HasNull = Yes
		}
	}, func(b []byte, num protowire.Number, s *ColumnStats) []byte {
		if s.HasNull == Unknown {
			return b
		}
		return pb.AppendUint(b, num, uint64(s.HasNull-No))
	}),
	pb.Uint(11, "bytesOnDisk", func(s *ColumnStats) *int64 { return &s.BytesOnDisk }).With(func(s *ColumnStats) *bool { return &s.HasBytes }),
	pb.PartOf(12, "collectionStatistics", collectionStatsTable, func(s *ColumnStats) **CollectionStats { return &s.Collection }),
	pb.PartOf(13, "geospatialStatistics", geoStatsTable, func(s *ColumnStats) **GeoStats { return &s.Geo }),
)

var intStatsTable = pb.NewTable(
	pb.SintOf(1, "minimum", func(s *IntStats) **int64 { return &s.Min }),
	pb.SintOf(2, "maximum", func(s *IntStats) **int64 { return &s.Max }),
	pb.SintOf(3, "sum", func(s *IntStats) **int64 { return &s.Sum }),
)

var doubleStatsTable = pb.NewTable(
	pb.DoubleOf(1, "minimum", func(s *DoubleStats) **float64 { return &s.Min }),
	pb.DoubleOf(2, "maximum", func(s *DoubleStats) **float64 { return &s.Max }),
	pb.DoubleOf(3, "sum", func(s *DoubleStats) **float64 { return &s.Sum }),
)

var stringStatsTable = pb.NewTable(
	pb.Bytes(1, "minimum", func(s *StringStats) *[]byte { return &s.Min }).As(pb.FormText),
	pb.Bytes(2, "maximum", func(s *StringStats) *[]byte { return &s.Max }).As(pb.FormText),
	pb.SintOf(3, "sum", func(s *StringStats) **int64 { return &s.Sum }),
	pb.Bytes(4, "lowerBound", func(s *StringStats) *[]byte { return &s.Lower }).As(pb.FormText),
	pb.Bytes(5, "upperBound", func(s *StringStats) *[]byte { return &s.Upper }).As(pb.FormText),
)

var decimalStatsTable = pb.NewTable(
	pb.Text(1, "minimum", func(s *DecimalStats) *string { return &s.Min }).OmitZero(),
	pb.Text(2, "maximum", func(s *DecimalStats) *string { return &s.Max }).OmitZero(),
	pb.Text(3, "sum", func(s *DecimalStats) *string { return &s.Sum }).OmitZero(),
)

var dateStatsTable = pb.NewTable(
	pb.SintOf(1, "minimum", func(s *DateStats) **int32 { return &s.Min }),
	pb.SintOf(2, "maximum", func(s *DateStats) **int32 { return &s.Max }),
)

var timestampStatsTable = pb.NewTable(
	pb.SintOf(1, "minimum", func(s *TimestampStats) **int64 { return &s.Min }),
	pb.SintOf(2, "maximum", func(s *TimestampStats) **int64 { return &s.Max }),
	pb.SintOf(3, "minimumUtc", func(s *TimestampStats) **int64 { return &s.MinUTC }),
	pb.SintOf(4, "maximumUtc", func(s *TimestampStats) **int64 { return &s.MaxUTC }),
	nanosOfMilli(5, "minimumNanos", 0, func(s *TimestampStats) *int32 { return &s.MinNanos }),
	nanosOfMilli(6, "maximumNanos", lastNanos, func(s *TimestampStats) *int32 { return &s.MaxNanos }),
).Start(func(s *TimestampStats) { s.MaxNanos = lastNanos })

const lastNanos = 999_999

// nanosOfMilli is a field of nanoseconds within a millisecond, which are stored with 1 added. What is out of range is as good as
// absent: it leaves the widest bound.
func nanosOfMilli(num protowire.Number, name string, widest int32, at func(s *TimestampStats) *int32) pb.Entry[TimestampStats] {
	return pb.Int(num, name, at).Reading(func(m *pb.Message, s *TimestampStats) {
		if v := m.Int32() - 1; v >= 0 && v <= lastNanos {
			*at(s) = v
		}
	}).Writing(func(b []byte, num protowire.Number, s *TimestampStats) []byte {
		if *at(s) == widest {
			return b
		}
		return pb.AppendUint(b, num, uint64(*at(s)+1))
	})
}

var collectionStatsTable = pb.NewTable(
	pb.UintOf(1, "minChildren", func(s *CollectionStats) **uint64 { return &s.MinChildren }),
	pb.UintOf(2, "maxChildren", func(s *CollectionStats) **uint64 { return &s.MaxChildren }),
	pb.UintOf(3, "totalChildren", func(s *CollectionStats) **uint64 { return &s.TotalChildren }),
)

var geoStatsTable = pb.NewTable(
	pb.PartOf(1, "bbox", boxTable, func(s *GeoStats) **BoundingBox { return &s.Box }),
	pb.Varints(2, "geospatialTypes", func(s *GeoStats) *[]int32 { return &s.Types }).As(pb.FormInt).
		Writing(func(b []byte, num protowire.Number, s *GeoStats) []byte { // one by one
			for _, v := range s.Types {
				b = pb.AppendUint(b, num, uint64(int64(v)))
			}
			return b
		}),
)

var boxTable = pb.NewTable(
	pb.Double(1, "xmin", func(s *BoundingBox) *float64 { return &s.XMin }),
	pb.Double(2, "xmax", func(s *BoundingBox) *float64 { return &s.XMax }),
	pb.Double(3, "ymin", func(s *BoundingBox) *float64 { return &s.YMin }),
	pb.Double(4, "ymax", func(s *BoundingBox) *float64 { return &s.YMax }),
	pb.DoubleOf(5, "zmin", func(s *BoundingBox) **float64 { return &s.ZMin }),
	pb.DoubleOf(6, "zmax", func(s *BoundingBox) **float64 { return &s.ZMax }),
	pb.DoubleOf(7, "mmin", func(s *BoundingBox) **float64 { return &s.MMin }),
	pb.DoubleOf(8, "mmax", func(s *BoundingBox) **float64 { return &s.MMax }),
)

// ParseColumnStats reads one ColumnStatistics message. The result refers to b.
func ParseColumnStats(b []byte) (ColumnStats, error) {
	var s ColumnStats
	if err := columnStatsTable.Parse(b, &s); err != nil {
		return ColumnStats{}, err
	}
	return s, nil
}

// AppendColumnStats appends one ColumnStatistics message, the reverse of ParseColumnStats.
func AppendColumnStats(dst []byte, s *ColumnStats) []byte { return columnStatsTable.Append(dst, s) }
