package parquet

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/arrowjson"
	"github.com/arrowio/arrowio/internal/halffloat"
)

// boundText returns a minimum or maximum as text. Where it would be empty, be taken for one that is quoted, or lose bytes that are not
// UTF-8, it is quoted. Bytes are hexadecimal.
func boundText(s scalar.Scalar) string {
	switch v := s.(type) {
	case *scalar.Duration: // whose own String panics
		return fmt.Sprintf("%d%s", int64(v.Value), v.DataType().(*arrow.DurationType).Unit)
	case *scalar.Float16:
		return strconv.FormatFloat(float64(halffloat.Float32(v.Value)), 'g', -1, 32)
	case *scalar.Binary:
		return "0x" + hex.EncodeToString(v.Data())
	case *scalar.FixedSizeBinary:
		return "0x" + hex.EncodeToString(v.Data())
	case *scalar.Decimal128, *scalar.Decimal256, *scalar.Date32, *scalar.Time32, *scalar.Time64, *scalar.Timestamp:
		// What these print themselves went through a double, or through 64 bits of nanoseconds.
		if text, ok := valueText(v); ok {
			return text
		}
	}
	text := s.String()
	if text == "" || text[0] == '"' || !utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return text
}

// valueText returns the text that rows have of a value in tables.
func valueText(s scalar.Scalar) (string, bool) {
	a, err := scalar.MakeArrayFromScalar(s, 1, memory.DefaultAllocator)
	if err != nil {
		return "", false
	}
	defer a.Release()
	return strings.TrimPrefix(string(new(arrowjson.Encoder).Text(a)(nil, 0)), "+"), true // the sign is for years of more than four digits
}
