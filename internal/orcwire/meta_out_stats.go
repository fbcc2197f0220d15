package orcwire

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/pb"
)

// StatsOf lists statistics that are going to be written: of a file or a stripe by type id. nil stands for statistics
// that say nothing. The list keeps their encoded form, nothing of stats.
func StatsOf(stats []*ColumnStats) StatsList {
	l := StatsList{num: 1}
	for _, s := range stats {
		l.add(len(l.b))
		var at int
		l.b, at = openMessage(l.b, 1)
		if s != nil {
			l.b = AppendColumnStats(l.b, s)
		}
		l.b = closeMessage(l.b, at)
	}
	return l
}

// AppendMetadata appends the statistics of stripes, the reverse of ParseMetadata.
func AppendMetadata(dst []byte, stripes []StatsList) []byte {
	for _, l := range stripes {
		var at int
		dst, at = openMessage(dst, 1)
		dst = appendStatsList(dst, 1, l)
		dst = closeMessage(dst, at)
	}
	return dst
}

// AppendFileStats appends the statistics of an encrypted column, the reverse of ParseFileStats: a FileStatistics message
// with those of the file by type id from the variant's root on, or a ColumnarStripeStatistics message with those of one
// type by stripe.
func AppendFileStats(dst []byte, l StatsList) []byte { return appendStatsList(dst, 1, l) }

// appendStatsList appends the elements of a list as the repeated field num.
func appendStatsList(dst []byte, num protowire.Number, l StatsList) []byte {
	for b := range l.all() {
		dst = appendBytes(dst, num, b)
	}
	return dst
}

// all yields the message of each element, in order.
func (l StatsList) all() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		m := pb.New(l.b)
		for left := l.n; left > 0 && m.Next(); {
			if m.Num != l.num {
				continue
			}
			left--
			if !yield(m.Data) {
				return
			}
		}
	}
}

// AppendColumnStats appends one ColumnStatistics message, the reverse of ParseColumnStats.
func AppendColumnStats(dst []byte, s *ColumnStats) []byte {
	if s.HasValues {
		dst = appendUint(dst, 1, uint64(s.Values))
	}
	if x := s.Int; x != nil {
		dst = appendPart(dst, 2, x.append)
	}
	if x := s.Double; x != nil {
		dst = appendPart(dst, 3, x.append)
	}
	if x := s.String; x != nil {
		dst = appendPart(dst, 4, x.append)
	}
	if x := s.Bool; x != nil {
		var at int
		dst, at = openMessage(dst, 5)
		if len(x.True) > 0 {
			dst = appendPacked(dst, 1, x.True)
		}
		dst = closeMessage(dst, at)
	}
	if x := s.Decimal; x != nil {
		dst = appendPart(dst, 6, x.append)
	}
	if x := s.Date; x != nil {
		dst = appendPart(dst, 7, x.append)
	}
	if x := s.Binary; x != nil {
		var at int
		dst, at = openMessage(dst, 8)
		dst = closeMessage(appendSintOf(dst, 1, x.Sum), at)
	}
	if x := s.Timestamp; x != nil {
		dst = appendPart(dst, 9, x.append)
	}
	if s.HasNull != Unknown {
		dst = appendUint(dst, 10, uint64(s.HasNull-No))
	}
	if s.HasBytes {
		dst = appendUint(dst, 11, uint64(s.BytesOnDisk))
	}
	if x := s.Collection; x != nil {
		dst = appendPart(dst, 12, x.append)
	}
	if x := s.Geo; x != nil {
		dst = appendPart(dst, 13, x.append)
	}
	return dst
}

// appendPart appends a message that append makes.
func appendPart(dst []byte, num protowire.Number, content func(dst []byte) []byte) []byte {
	dst, at := openMessage(dst, num)
	return closeMessage(content(dst), at)
}

func (s *IntStats) append(dst []byte) []byte {
	return appendSintOf(appendSintOf(appendSintOf(dst, 1, s.Min), 2, s.Max), 3, s.Sum)
}

func (s *DoubleStats) append(dst []byte) []byte {
	return appendDoubleOf(appendDoubleOf(appendDoubleOf(dst, 1, s.Min), 2, s.Max), 3, s.Sum)
}

func (s *StringStats) append(dst []byte) []byte {
	dst = appendBytesOf(appendBytesOf(dst, 1, s.Min), 2, s.Max)
	dst = appendSintOf(dst, 3, s.Sum)
	return appendBytesOf(appendBytesOf(dst, 4, s.Lower), 5, s.Upper)
}

func (s *DecimalStats) append(dst []byte) []byte {
	for i, v := range []string{s.Min, s.Max, s.Sum} {
		if v != "" {
			dst = appendBytes(dst, protowire.Number(i+1), v)
		}
	}
	return dst
}

func (s *DateStats) append(dst []byte) []byte {
	return appendSintOf(appendSintOf(dst, 1, s.Min), 2, s.Max)
}

func (s *TimestampStats) append(dst []byte) []byte {
	for i, v := range []*int64{s.Min, s.Max, s.MinUTC, s.MaxUTC} {
		dst = appendSintOf(dst, protowire.Number(i+1), v)
	}
	if s.MinNanos != 0 {
		dst = appendUint(dst, 5, uint64(s.MinNanos+1))
	}
	if s.MaxNanos != lastNanos {
		dst = appendUint(dst, 6, uint64(s.MaxNanos+1))
	}
	return dst
}

func (s *CollectionStats) append(dst []byte) []byte {
	for i, v := range []*uint64{s.MinChildren, s.MaxChildren, s.TotalChildren} {
		if v != nil {
			dst = appendUint(dst, protowire.Number(i+1), *v)
		}
	}
	return dst
}

func (s *GeoStats) append(dst []byte) []byte {
	if s.Box != nil {
		dst = appendPart(dst, 1, s.Box.append)
	}
	for _, v := range s.Types {
		dst = appendUint(dst, 2, uint64(int64(v)))
	}
	return dst
}

func (s *BoundingBox) append(dst []byte) []byte {
	for i, v := range []*float64{&s.XMin, &s.XMax, &s.YMin, &s.YMax, s.ZMin, s.ZMax, s.MMin, s.MMax} {
		dst = appendDoubleOf(dst, protowire.Number(i+1), v)
	}
	return dst
}

// appendSintOf appends what v points to; nil is left out.
func appendSintOf[T int32 | int64](dst []byte, num protowire.Number, v *T) []byte {
	if v == nil {
		return dst
	}
	return appendSint(dst, num, int64(*v))
}

func appendDoubleOf(dst []byte, num protowire.Number, v *float64) []byte {
	if v == nil {
		return dst
	}
	return appendDouble(dst, num, *v)
}

func appendBytesOf(dst []byte, num protowire.Number, b []byte) []byte {
	if b == nil {
		return dst
	}
	return appendBytes(dst, num, b)
}
