package plans

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// FloatInText says what becomes of a float32 or float16 whose text is read without a schema: text has no types, and the float64 of the
// digits is mostly another number than the float.
func FloatInText(t arrow.DataType) string {
	text := "comes back as float64, that of the digits"
	if t.ID() == arrow.FLOAT32 {
		text += ": 0.1 as the float64 0.1, which is another number than the float32"
	}
	if t.ID() == arrow.FLOAT16 {
		return text + "; a schema that says float32, which holds every float16, brings the same numbers back as float32"
	}
	return text + "; a schema that says float32 brings the same numbers back"
}
