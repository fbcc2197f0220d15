package iceberg

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// defaultJSON makes of a single value in Iceberg's JSON (Iceberg table specification, "Appendix D: Single-value
// serialization") one that Arrow reads as the type. Numbers that a float64 may not hold become text.
func defaultJSON(t *Type, raw json.RawMessage, depth int) (string, error) {
	if depth > deepest {
		return "", fmt.Errorf("more than %d values inside one another", deepest)
	}
	none := func() (string, error) { return "", fmt.Errorf("%s is no %s", short(raw), t) }
	switch t.Kind {
	case Unknown:
		return none()
	case Boolean:
		var v bool
		if json.Unmarshal(raw, &v) != nil {
			return none()
		}
		return strconv.FormatBool(v), nil
	case Int, Long:
		var v int64
		if json.Unmarshal(raw, &v) != nil || t.Kind == Int && v != int64(int32(v)) {
			return none()
		}
		return strconv.Quote(strconv.FormatInt(v, 10)), nil
	case Float, Double:
		var v float64
		if json.Unmarshal(raw, &v) != nil || t.Kind == Float && math.Abs(v) > math.MaxFloat32 {
			return none()
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case Struct, List, Map:
		return nestedJSON(t, raw, depth)
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return none()
	}
	out, ok := textJSON(t, text)
	if !ok {
		return none()
	}
	b, err := json.Marshal(out)
	return string(b), err
}

func short(raw []byte) string {
	if len(raw) > 100 {
		return string(raw[:100]) + "…"
	}
	return string(raw)
}

// textJSON reads a value that is text in Iceberg's JSON.
func textJSON(t *Type, text string) (string, bool) {
	bytes := func(n int32, text string) (string, bool) {
		b, err := hex.DecodeString(text)
		return base64.StdEncoding.EncodeToString(b), err == nil && (n < 0 || len(b) == int(n))
	}
	moment := func(layout, shown string, digits int) (string, bool) {
		at, err := time.Parse(layout, text)
		if err != nil { // seconds may be left out
			at, err = time.Parse(strings.Replace(layout, ":05.999999999", "", 1), text)
		}
		_, fraction, _ := strings.Cut(text, ".")
		if i := strings.IndexAny(fraction, "+-Z"); i >= 0 {
			fraction = fraction[:i]
		}
		return at.UTC().Format(shown), err == nil && len(fraction) <= digits
	}
	const local, zoned = "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z07:00"
	switch t.Kind {
	case String:
		return text, true
	case Decimal:
		return decimalText(t, text)
	case Date:
		return moment("2006-01-02", "2006-01-02", 0)
	case Time:
		return moment("15:04:05.999999999", "15:04:05.000000", 6)
	case Timestamp:
		return moment(local, "2006-01-02T15:04:05.000000", 6)
	case TimestampNS:
		return moment(local, "2006-01-02T15:04:05.000000000", 9)
	case TimestampTZ:
		return moment(zoned, "2006-01-02T15:04:05.000000Z", 6)
	case TimestampTZNS:
		return moment(zoned, "2006-01-02T15:04:05.000000000Z", 9)
	case UUID:
		digits := strings.ReplaceAll(text, "-", "")
		if len(text) != 36 || len(digits) != 32 {
			return "", false
		}
		return bytes(16, digits)
	case Fixed:
		return bytes(t.Length, text)
	case Binary:
		return bytes(-1, text)
	}
	return "", false
}

var decimalText1 = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?\d{1,80}(\.\d{1,80})?([eE][+-]?\d{1,2})?$`)
})

// decimalText reads a decimal that the type holds exactly.
func decimalText(t *Type, text string) (string, bool) {
	if !decimalText1().MatchString(text) {
		return "", false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", false
	}
	ten := func(n int32) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(ten(t.Scale)))
	if !scaled.IsInt() || new(big.Int).Abs(scaled.Num()).Cmp(ten(t.Precision)) >= 0 {
		return "", false
	}
	return r.FloatString(int(t.Scale)), true
}

// nestedJSON reads a value with others inside: of a struct those by id, of a map its keys and its values.
func nestedJSON(t *Type, raw json.RawMessage, depth int) (string, error) {
	value := func(f *Field, raw json.RawMessage) (string, error) {
		if len(raw) == 0 {
			raw = f.Default
		}
		if len(raw) == 0 || string(raw) == "null" {
			if f.Required {
				return "", fmt.Errorf("field %s is required", f.Name)
			}
			return "null", nil
		}
		return defaultJSON(&f.Type, raw, depth+1)
	}
	var parts []string
	switch t.Kind {
	case Struct:
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(raw, &doc); err != nil {
			return "", fmt.Errorf("%s is no %s", short(raw), t)
		}
		for i := range t.Fields {
			f := &t.Fields[i]
			v, err := value(f, doc[strconv.Itoa(int(f.ID))])
			if err != nil {
				return "", err
			}
			name, err := json.Marshal(f.Name)
			if err != nil {
				return "", err
			}
			parts = append(parts, string(name)+":"+v)
		}
		return "{" + strings.Join(parts, ",") + "}", nil
	case List:
		var doc []json.RawMessage
		if err := json.Unmarshal(raw, &doc); err != nil {
			return "", fmt.Errorf("%s is no %s", short(raw), t)
		}
		for _, e := range doc {
			v, err := value(&t.Fields[0], e)
			if err != nil {
				return "", err
			}
			parts = append(parts, v)
		}
	default:
		var doc struct {
			Keys   []json.RawMessage `json:"keys"`
			Values []json.RawMessage `json:"values"`
		}
		if err := json.Unmarshal(raw, &doc); err != nil || len(doc.Keys) != len(doc.Values) {
			return "", fmt.Errorf("%s is no %s", short(raw), t)
		}
		for i, k := range doc.Keys {
			key, err := value(&t.Fields[0], k)
			if err != nil {
				return "", err
			}
			v, err := value(&t.Fields[1], doc.Values[i])
			if err != nil {
				return "", err
			}
			parts = append(parts, `{"key":`+key+`,"value":`+v+`}`)
		}
	}
	return "[" + strings.Join(parts, ",") + "]", nil
}
