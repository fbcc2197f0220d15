package icebergtable

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/iceberg"
)

// summaryOf returns what a manifest list says of the values of a partition field in all entries, those of deleted files too.
func summaryOf(entries []manifestEntry, p *partField) summary {
	nan := false
	var lower, upper any
	var s summary
	for i := range entries {
		v := fromAvro(&p.typ, entries[i].File.Partition[p.avroName])
		switch {
		case v == nil:
			s.HasNull = true
			continue
		case isNaN(v):
			nan = true
			continue
		}
		if lower == nil || compare(v, lower) < 0 {
			lower = v
		}
		if upper == nil || compare(v, upper) > 0 {
			upper = v
		}
	}
	s.HasNaN = &nan
	if lower != nil {
		lo, hi := single(lower), single(upper)
		s.Lower, s.Upper = &lo, &hi
	}
	return s
}

// fromAvro returns a value of a partition as it is kept. Old files may have it in a narrower type than the column has now.
func fromAvro(t *iceberg.Type, v any) any {
	switch x := v.(type) {
	case []byte:
		if t.Kind == iceberg.Decimal {
			return decimalOf(x)
		}
	case [16]byte:
		return x[:]
	case int32:
		if t.Kind == iceberg.Long || t.Kind >= iceberg.Time && t.Kind <= iceberg.TimestampTZNS {
			return int64(x)
		}
	case float32:
		if t.Kind == iceberg.Double {
			return float64(x)
		}
	}
	return v
}

// decimalOf reads an unscaled decimal.
func decimalOf(b []byte) any {
	if len(b) == 0 || len(b) > 16 {
		return nil
	}
	var full [16]byte
	if b[0]&0x80 != 0 {
		for i := range full {
			full[i] = 0xff
		}
	}
	copy(full[16-len(b):], b)
	return decimal128.New(int64(binary.BigEndian.Uint64(full[:8])), binary.BigEndian.Uint64(full[8:]))
}
