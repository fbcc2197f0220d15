package view

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// defaultValue is a value of JSON, which is not null, as Arrow's reader of JSON makes the same of it in a type: that wraps
// and rounds what does not fit, and has children be null that the type says never are. Half floats become their bits; see typeOfBits.
func defaultValue(t arrow.DataType, v any) (any, error) {
	switch t := arrowtype.Storage(t).(type) {
	case *arrow.StructType:
		return defaultStruct(t, v)
	case *arrow.MapType:
		return defaultList(v, func(e any) (any, error) { return defaultStruct(arrow.StructOf(t.KeyField(), t.ItemField()), e) })
	case arrow.ListLikeType:
		if n := listLen(t); n >= 0 {
			if list, ok := v.([]any); ok && len(list) != int(n) {
				return nil, fmt.Errorf("it has %d elements", len(list))
			}
		}
		return defaultList(v, func(e any) (any, error) { return defaultField(t.ElemField(), e) })
	case *arrow.DictionaryType:
		return defaultValue(t.ValueType, v)
	case *arrow.RunEndEncodedType:
		return defaultValue(t.Encoded(), v)
	case *arrow.Float16Type:
		return halfBits(v)
	case arrow.DecimalType:
		return defaultDecimal(t, v)
	case *arrow.TimestampType:
		if text, ok := v.(string); ok {
			return text, nanosecondsHold(t, text)
		}
	}
	if n, ok := v.(json.Number); ok {
		return defaultNumber(arrowtype.Storage(t), n)
	}
	return v, nil
}

// defaultField is defaultValue for a child, which may be null where the field says so.
func defaultField(f arrow.Field, v any) (any, error) {
	if v == nil {
		if !f.Nullable {
			return nil, fmt.Errorf("%s is null, and never is", f.Name)
		}
		return nil, nil
	}
	return defaultValue(f.Type, v)
}

// defaultStruct takes for children that are not told their own defaults.
func defaultStruct(t *arrow.StructType, v any) (any, error) {
	given, ok := v.(map[string]any)
	if !ok {
		return v, nil // Arrow's reader says what is wrong
	}
	out := make(map[string]any, t.NumFields())
	for _, f := range t.Fields() {
		c, ok := given[f.Name]
		if text, has := defaultOf(f); has && !ok {
			in := json.NewDecoder(strings.NewReader(text))
			in.UseNumber()
			if err := in.Decode(&c); err != nil {
				return nil, err
			}
		}
		var err error
		if out[f.Name], err = defaultField(f, c); err != nil {
			return nil, err
		}
	}
	for name := range given {
		if _, ok := out[name]; !ok {
			return nil, fmt.Errorf("there is no %s in it", name)
		}
	}
	return out, nil
}

func defaultList(v any, element func(any) (any, error)) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return v, nil
	}
	out := make([]any, len(list))
	for i, e := range list {
		var err error
		if out[i], err = element(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ratOf reads a number exactly; those of hundreds of digits no type has.
func ratOf(text string) (*big.Rat, bool) {
	if len(text) > 400 || strings.ContainsAny(text, "/_xXoObBpP") {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e < -400 || e > 400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// defaultDecimal wants all digits kept.
func defaultDecimal(t arrow.DecimalType, v any) (any, error) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return v, nil
	}
	r, ok := ratOf(text)
	if !ok {
		return nil, fmt.Errorf("it is no number")
	}
	scale := t.GetScale()
	ten := func(n int32) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
	}
	unscaled := new(big.Rat).Set(r)
	if scale >= 0 {
		unscaled.Mul(r, ten(scale))
	} else {
		unscaled.Quo(r, ten(-scale))
	}
	if !unscaled.IsInt() || unscaled.Abs(unscaled).Cmp(ten(t.GetPrecision())) >= 0 {
		return nil, fmt.Errorf("it has more digits")
	}
	return r.FloatString(int(max(scale, 0))), nil
}

// defaultNumber returns a number that a type of integers holds; of other types it is as it was.
func defaultNumber(t arrow.DataType, n json.Number) (any, error) {
	var least, most int64
	switch t.ID() {
	case arrow.BOOL:
		return nil, fmt.Errorf("it is neither true nor false")
	case arrow.DATE32:
		least, most = math.MinInt32, math.MaxInt32
	case arrow.TIME32, arrow.TIME64:
		unit, _ := timeUnit(t)
		most = 86400*int64(math.Pow10(3*int(unit))) - 1
	case arrow.TIMESTAMP, arrow.DURATION, arrow.DATE64:
		least, most = math.MinInt64, math.MaxInt64
	default:
		if !arrow.IsInteger(t.ID()) {
			return n, nil
		}
	}
	r, ok := ratOf(n.String())
	if !ok || !r.IsInt() {
		return nil, fmt.Errorf("it is no whole number")
	}
	whole := r.Num()
	if least != most && (whole.Cmp(big.NewInt(least)) < 0 || whole.Cmp(big.NewInt(most)) > 0) {
		return nil, fmt.Errorf("it is too large")
	}
	return json.Number(whole.String()), nil // 5.0 and 1e3 are whole
}

// nanosecondsHold refuses times for which Arrow's reader of JSON wraps around.
func nanosecondsHold(t *arrow.TimestampType, text string) error {
	if t.Unit != arrow.Nanosecond || len(text) < 4 {
		return nil
	}
	year, err := strconv.Atoi(text[:4])
	if err != nil {
		return nil // it says so itself
	}
	at, err := arrow.TimestampFromString(text, t.Unit)
	if got := at.ToTime(t.Unit).UTC().Year(); err == nil && (got < year-1 || got > year+1) {
		return fmt.Errorf("nanoseconds are from 1677 to 2262")
	}
	return nil
}
