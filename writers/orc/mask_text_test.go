package orc_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// maskValue masks a value of a canonical row, as parsed from JSON: what is at the types that masks names, or below.
func maskValue(v any, t *orcwire.Type, masks map[int]string, m string) any {
	if name, ok := masks[t.ID]; ok {
		m = name
	}
	if v == nil || m == "nullify" {
		return nil
	}
	each := func(i int, v any) any { return maskValue(v, t.Children[i], masks, m) }
	switch t.Kind {
	case orcwire.Struct:
		out := make([]any, len(t.Children))
		for i, x := range v.([]any) {
			out[i] = each(i, x)
		}
		return out
	case orcwire.List:
		out := []any{}
		for _, x := range v.([]any) {
			out = append(out, each(0, x))
		}
		return out
	case orcwire.Map:
		out := []any{}
		for _, x := range v.([]any) {
			entry := x.([]any)
			out = append(out, []any{each(0, entry[0]), each(1, entry[1])})
		}
		return out
	case orcwire.Union:
		u := v.(map[string]any)
		tag, err := u["tag"].(json.Number).Int64()
		if err != nil {
			panic(err)
		}
		return map[string]any{"tag": u["tag"], "value": each(int(tag), u["value"])}
	}
	switch m {
	case "sha256":
		return hashed(v, t)
	case "redact":
		return redacted(v, t)
	}
	return v
}

func hashed(v any, t *orcwire.Type) any {
	switch t.Kind {
	case orcwire.String, orcwire.Char, orcwire.Varchar, orcwire.Binary:
	default:
		return nil
	}
	var h [sha256.Size]byte
	switch v := v.(type) {
	case map[string]any: // a long one
		b, err := hex.DecodeString(v["sha256"].(string))
		if err != nil {
			panic(err)
		}
		copy(h[:], b)
	case string:
		b := []byte(v)
		if t.Kind == orcwire.Binary {
			b, _ = hex.DecodeString(v)
		}
		h = sha256.Sum256(b)
	}
	if t.Kind == orcwire.Binary {
		return hex.EncodeToString(h[:])
	}
	text := strings.ToUpper(hex.EncodeToString(h[:]))
	if t.Kind != orcwire.String {
		text = text[:min(len(text), int(t.MaxLength))]
	}
	return text
}

func redacted(v any, t *orcwire.Type) any {
	switch t.Kind {
	case orcwire.Boolean:
		return true
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long:
		most := map[orcwire.Kind]int{orcwire.Byte: 2, orcwire.Short: 4, orcwire.Int: 9, orcwire.Long: 18}[t.Kind]
		digits, minus := strings.CutPrefix(string(v.(json.Number)), "-")
		out := strings.Repeat("9", min(len(digits), most))
		if minus {
			out = "-" + out
		}
		return json.Number(out)
	case orcwire.Float:
		b, _ := strconv.ParseUint(v.(string)[1:], 16, 32)
		return fmt.Sprintf("f%08x", math.Float32bits(float32(redactedFloat(float64(math.Float32frombits(uint32(b)))))))
	case orcwire.Double:
		b, _ := strconv.ParseUint(v.(string)[1:], 16, 64)
		return fmt.Sprintf("d%016x", math.Float64bits(redactedFloat(math.Float64frombits(b))))
	case orcwire.Date:
		day, _ := v.(json.Number).Int64()
		year := time.Unix(day*86_400, 0).UTC().Year()
		first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix() / 86_400
		if first < math.MinInt32 {
			first = time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC).Unix() / 86_400
		}
		return json.Number(strconv.FormatInt(first, 10))
	case orcwire.Decimal:
		precision, scale := t.DecimalType()
		text, minus := strings.CutPrefix(v.(string), "-")
		whole, fraction, _ := strings.Cut(text, ".")
		fraction = strings.TrimRight(fraction, "0")
		if whole = strings.Repeat("9", min(len(whole), int(precision-scale))); whole == "" {
			whole = "0"
		}
		out := whole
		if scale > 0 {
			out += "." + strings.Repeat("9", len(fraction)) + strings.Repeat("0", int(scale)-len(fraction))
		}
		if minus {
			out = "-" + out
		}
		return out
	}
	return nil // binary
}

func redactedFloat(x float64) float64 {
	nine, sign, power := 9.0, 1.11111, 307
	switch {
	case x == 0:
		return nine * sign
	case !(x > 0):
		sign = -sign
	}
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		_, e, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
		power, _ = strconv.Atoi(e)
		power = min(max(power, -308), 307)
	}
	p, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", power), 64)
	return nine * sign * p
}

// rowText is the canonical text of a value.
func rowText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return string(v)
	case string:
		return stringText(v)
	case []any:
		return listText(len(v), func(i int) string { return rowText(v[i]) })
	case map[string]any:
		if _, ok := v["tag"]; ok {
			return fmt.Sprintf(`{"tag":%s,"value":%s}`, v["tag"], rowText(v["value"]))
		}
		return fmt.Sprintf(`{"len":%s,"sha256":"%s"}`, v["len"], v["sha256"])
	}
	panic(fmt.Sprintf("a %T", v))
}
