package orc

import (
	"bytes"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// evidence is what is known of a column in a row group, or in a stripe.
type evidence struct {
	known expr.Stats
	bloom *orcwire.BloomFilter // nil = none
	c     *subject
}

func (e *evidence) Stats() expr.Stats { return e.known }

// MayContain asks the bloom filter. A value may have been hashed in several ways: any of them counts.
func (e *evidence) MayContain(v scalar.Scalar) bool {
	if e.bloom == nil || e.bloom.Hashes == 0 || len(e.bloom.Bits) == 0 {
		return true
	}
	hashes, ok := e.c.hashes[v]
	if !ok {
		hashes = e.c.hash(v)
		e.c.hashes[v] = hashes
	}
	for _, h := range hashes {
		if e.bloom.MayContain(h) {
			return true
		}
	}
	return hashes == nil
}

// bloomed reports whether a bloom filter of the column in this stripe can be asked anything.
func (c *subject) bloomed(s *stripe) bool {
	id := c.typ.ID
	_, modern := s.find(id, orcwire.BloomFilterUTF8)
	if _, original := s.find(id, orcwire.BloomFilterOriginal); !modern && !original {
		return false
	}
	if c.file.veiled(c.typ) || !c.file.quirks.BloomTrusted(c.typ.Kind, modern, s.encoding(id).Bloom) {
		return false
	}
	switch c.typ.Kind {
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long, orcwire.Float, orcwire.Double, orcwire.String, orcwire.Varchar,
		orcwire.Binary, orcwire.Date, orcwire.Decimal:
		return true
	case orcwire.Char:
		return c.file.quirks.Writer == orcwire.WriterJava // the C++ writer hashes what lies behind the value in memory
	case orcwire.TimestampInstant:
		return c.unit() != arrow.Second
	case orcwire.Timestamp:
		return c.unit() != arrow.Second && s.zoning() == zoneUTC
	}
	return false
}

// hash returns the hashes that a value may have in a bloom filter of the column; nil = it may have any
// (docs/formats/orc.md, "Bloom filters").
func (c *subject) hash(v scalar.Scalar) []uint64 {
	switch v := v.(type) {
	case *scalar.Int8:
		return []uint64{orcwire.HashLong(int64(v.Value))}
	case *scalar.Int16:
		return []uint64{orcwire.HashLong(int64(v.Value))}
	case *scalar.Int32:
		return []uint64{orcwire.HashLong(int64(v.Value))}
	case *scalar.Int64:
		return []uint64{orcwire.HashLong(v.Value)}
	case *scalar.Float32:
		return []uint64{orcwire.HashDouble(float64(v.Value))}
	case *scalar.Float64:
		return []uint64{orcwire.HashDouble(v.Value)}
	case *scalar.Date32:
		if c.file.hybrid && v.Value < gregorianDay {
			return nil
		}
		return []uint64{orcwire.HashLong(int64(v.Value))}
	case *scalar.Timestamp:
		return c.hashTime(int64(v.Value))
	case *scalar.Decimal128:
		return c.hashDecimal(v.Value)
	case *scalar.String:
		return c.hashText(v.Data())
	case *scalar.Binary:
		return c.hashText(v.Data())
	}
	return nil
}

// hashTime hashes milliseconds. Where the unit is finer, values of one millisecond have one hash. Times before 1970 may
// have been stored otherwise than they were hashed.
func (c *subject) hashTime(v int64) []uint64 {
	switch c.unit() {
	case arrow.Nanosecond:
		v /= 1e6
	case arrow.Microsecond:
		v /= 1e3
	case arrow.Second:
		return nil // it stands for a thousand milliseconds
	}
	if v < zoneMillis {
		return nil
	}
	return []uint64{orcwire.HashLong(v)}
}

func (c *subject) hashDecimal(v decimal128.Num) []uint64 {
	t, ok := c.values.(*arrow.Decimal128Type)
	if !ok {
		return nil
	}
	text := orcwire.AppendDecimal(nil, v.LowBits(), uint64(v.HighBits()), int(t.Scale))
	h := []uint64{orcwire.HashBytes(text)}
	// The drafts of ORC 2 hash short decimals as integers.
	if major, _ := c.file.ps.FileVersion(); major > 0 && c.typ.Precision <= 18 {
		h = append(h, orcwire.HashLong(int64(v.LowBits())))
	}
	return h
}

func (c *subject) hashText(b []byte) []uint64 {
	h := []uint64{orcwire.HashBytes(b)}
	if c.typ.Kind != orcwire.Char {
		return h
	}
	// What is written is padded to the length in characters; what was asked for may be padded already, or not.
	bare := bytes.TrimRight(b, " ")
	padded := bytes.Clone(bare)
	if n := int64(c.typ.MaxLength) - int64(utf8.RuneCount(bare)); n > 0 && n <= maxPadding {
		padded = append(padded, bytes.Repeat([]byte(" "), int(n))...)
	} else if n > 0 {
		return nil
	}
	return append(h, orcwire.HashBytes(bare), orcwire.HashBytes(padded))
}

// maxPadding bounds what is built to hash a value; Hive's char has at most 255 characters.
const maxPadding = 1 << 16
