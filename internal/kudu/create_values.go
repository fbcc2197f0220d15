package kudu

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// integer returns the value of a cell of an integer type, a date or a time.
func integer(t cfilewire.DataType, cell []byte) (int64, bool) {
	if len(cell) != t.Width() {
		return 0, false
	}
	switch t {
	case cfilewire.Int8:
		return int64(int8(cell[0])), true
	case cfilewire.Int16:
		return int64(int16(binary.LittleEndian.Uint16(cell))), true
	case cfilewire.Int32, cfilewire.Date:
		return int64(int32(binary.LittleEndian.Uint32(cell))), true
	case cfilewire.Int64, cfilewire.UnixtimeMicros:
		return int64(binary.LittleEndian.Uint64(cell)), true
	}
	return 0, false
}

// literal is a value in the form in which Kudu's tool takes it; false = it has none for this type or value.
func literal(c *kuduwire.Column, cell []byte) (string, bool) {
	if n, ok := integer(c.Type, cell); ok {
		return strconv.FormatInt(n, 10), true
	}
	switch {
	case c.Type.Binary():
		return escaped(string(cell)), utf8.Valid(cell)
	case c.Type == cfilewire.Bool && len(cell) == 1:
		return strconv.FormatBool(cell[0] != 0), true
	case c.Type == cfilewire.Float && len(cell) == 4:
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(cell)))
		return strconv.FormatFloat(v, 'g', -1, 32), !math.IsNaN(v) && !math.IsInf(v, 0)
	case c.Type == cfilewire.Double && len(cell) == 8:
		v := math.Float64frombits(binary.LittleEndian.Uint64(cell))
		return strconv.FormatFloat(v, 'g', -1, 64), !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return cfile.CellText(c.Type, c.Scale, cell), false
}

// escaped is a text as in JSON, without the quotes: Kudu's tool puts them around what it is given.
func escaped(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // which no text is
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// impalaLiteral is a value in SQL; false = Impala has none for it.
func impalaLiteral(c *kuduwire.Column, cell []byte) (string, bool) {
	n, isInt := integer(c.Type, cell)
	switch {
	case c.Type == cfilewire.UnixtimeMicros && isInt:
		t := time.UnixMicro(n).UTC()
		return "CAST('" + t.Format("2006-01-02 15:04:05.000000") + "' AS TIMESTAMP)", t.Year() >= 1400 && t.Year() <= 9999
	case c.Type == cfilewire.Date && isInt:
		return "DATE '" + time.Unix(n*86400, 0).UTC().Format("2006-01-02") + "'", true
	case isInt:
		return strconv.FormatInt(n, 10), true
	case c.Type == cfilewire.String || c.Type == cfilewire.Varchar:
		return impalaText(string(cell)), utf8.Valid(cell)
	case c.Type.Decimal() > 0:
		return cfile.CellText(c.Type, c.Scale, cell), true
	case c.Type.Binary():
		return impalaText(string(cell)), false
	}
	return literal(c, cell)
}
