package duckdb

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// functionName is that of the table function for files.
const functionName = "arrowio"

// tableKey names a table with its options.
func tableKey(name string, options map[string][]string) string {
	parts := []string{strconv.Quote(name)}
	for o, values := range options {
		part := o
		for _, v := range values {
			part += " " + strconv.Quote(v)
		}
		parts = append(parts, part)
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\n")
}

// filtersOf reads the answer of json_serialize_plan: what each table can be filtered by. schema returns that of a table
// by its key; nil = there is no such table.
//
// Why this is right: in this plan, every scan of a table is followed by conditions that a row must meet. Without the rows
// that meet those of none of its scans the plan has the same result, and so has every other plan of the statement.
// Whatever is not understood is a condition that every row may meet, and a scan that is not understood ends it all.
func filtersOf(plan []byte, schema func(key string) *arrow.Schema) map[string]expr.Expr {
	var answer struct {
		Error bool
		Plans []any
	}
	d := json.NewDecoder(bytes.NewReader(plan))
	d.UseNumber()
	if d.Decode(&answer) != nil || answer.Error {
		return nil
	}
	p := &planReader{schema: schema, found: map[string]expr.Or{}, whole: map[string]bool{}, sound: true}
	p.walk(answer.Plans)
	if !p.sound {
		return nil
	}
	filters := map[string]expr.Expr{}
	for key, any := range p.found {
		switch {
		case p.whole[key]:
		case len(any) == 1:
			filters[key] = any[0]
		default:
			filters[key] = any
		}
	}
	return filters
}

type planReader struct {
	schema func(key string) *arrow.Schema
	found  map[string]expr.Or
	whole  map[string]bool // tables of which some scan has no condition
	sound  bool
}

type object = map[string]any

func (p *planReader) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			p.walk(e)
		}
	case object:
		if get, ok := filtered(v); ok {
			conditions, _ := v["expressions"].([]any)
			p.scan(get, conditions)
			return
		}
		if isScan(v) {
			p.scan(v, nil)
			return
		}
		for _, e := range v {
			p.walk(e)
		}
	}
}

func isScan(v object) bool { return v["type"] == "LOGICAL_GET" && v["name"] == functionName }

// filtered returns the scan that a filter stands directly over.
func filtered(v object) (object, bool) {
	children, _ := v["children"].([]any)
	if v["type"] != "LOGICAL_FILTER" || len(children) != 1 {
		return nil, false
	}
	get, _ := children[0].(object)
	return get, get != nil && isScan(get)
}

func (p *planReader) scan(get object, conditions []any) {
	key, ok := scanKey(get)
	var s *arrow.Schema
	if ok {
		s = p.schema(key)
	}
	if s == nil {
		p.sound = false
		return
	}
	var all expr.And
	if columns := scanColumns(get, s); columns != nil {
		c := &condition{schema: s, columns: columns}
		for _, e := range conditions {
			if x, _ := c.expr(e); x != nil {
				all = append(all, x)
			}
		}
	}
	switch len(all) {
	case 0:
		p.whole[key] = true
	case 1:
		p.found[key] = append(p.found[key], all[0])
	default:
		p.found[key] = append(p.found[key], all)
	}
}

// scanKey is the key of the table that a scan is of.
func scanKey(get object) (string, bool) {
	parameters, _ := get["parameters"].([]any)
	if len(parameters) != 1 {
		return "", false
	}
	name, ok := texts(parameters[0])
	if !ok || len(name) != 1 {
		return "", false
	}
	options := map[string][]string{}
	named, _ := get["named_parameters"].([]any)
	for _, n := range named {
		o, _ := n.(object)
		key, _ := o["key"].(string)
		values, ok := texts(o["value"])
		if !ok {
			return "", false
		}
		if len(values) > 0 {
			options[key] = values
		}
	}
	return tableKey(name[0], options), true
}

// texts is a value as texts, as the table function gets it.
func texts(v any) ([]string, bool) {
	o, _ := v.(object)
	if o == nil {
		return nil, false
	}
	if null, _ := o["is_null"].(bool); null {
		return nil, true
	}
	switch x := o["value"].(type) {
	case string:
		return []string{x}, true
	case bool:
		return []string{strconv.FormatBool(x)}, true
	case json.Number:
		return []string{x.String()}, true
	case object:
		children, ok := x["children"].([]any)
		var out []string
		for _, c := range children {
			t, good := texts(c)
			ok = ok && good
			out = append(out, t...)
		}
		return out, ok
	}
	return nil, false
}

// scanColumns lists the fields that references of a condition mean; nil = it is not sure that rows can be left out, or
// which columns these are.
func scanColumns(get object, s *arrow.Schema) []int {
	names, _ := get["names"].([]any)
	if len(names) != s.NumFields() {
		return nil
	}
	// Numbers of rows, or a sample, would be others.
	if n, ok := get["ordinality_idx"].(json.Number); ok && n.String() != strconv.FormatUint(math.MaxUint64, 10) {
		return nil
	}
	if extra, ok := get["extra_info"].(object); ok && extra["sample_options"] != nil {
		return nil
	}
	var read []int
	indexes, _ := get["column_indexes"].([]any)
	for _, i := range indexes {
		o, _ := i.(object)
		children, _ := o["child_indexes"].([]any)
		k, ok := integer(o["index"])
		if !ok || len(children) > 0 || k >= int64(s.NumFields()) {
			k = -1
		}
		read = append(read, int(k))
	}
	projected, _ := get["projection_ids"].([]any)
	if len(projected) == 0 {
		return read
	}
	var out []int
	for _, i := range projected {
		k, ok := integer(i)
		if !ok || k < 0 || k >= int64(len(read)) {
			return nil
		}
		out = append(out, read[k])
	}
	return out
}

func integer(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// condition translates conditions of DuckDB over columns of a scan.
type condition struct {
	schema  *arrow.Schema
	columns []int
}

// expr returns what holds at least where e does; nil = nothing is known. exact: it is true, false and null just where e
// is.
func (c *condition) expr(v any) (x expr.Expr, exact bool) {
	o, _ := v.(object)
	switch o["expression_class"] {
	case "BOUND_COMPARISON":
		op, _ := o["type"].(string)
		if col, ok := c.column(o["left"]); ok {
			return col.compare(op, o["right"])
		}
		if col, ok := c.column(o["right"]); ok {
			return col.compare(turned(op), o["left"])
		}
	case "BOUND_BETWEEN":
		return c.between(o)
	case "BOUND_CONJUNCTION":
		return c.conjunction(o)
	case "BOUND_OPERATOR":
		return c.operator(o)
	case "BOUND_FUNCTION":
		return c.function(o)
	}
	return nil, false
}

func (c *condition) between(o object) (expr.Expr, bool) {
	col, ok := c.column(o["input"])
	if !ok {
		return nil, false
	}
	bound := func(side, inclusive, op string) (expr.Expr, bool) {
		if yes, _ := o[inclusive].(bool); yes {
			op += "OREQUALTO"
		}
		return col.compare(op, o[side])
	}
	low, a := bound("lower", "lower_inclusive", "COMPARE_GREATERTHAN")
	high, b := bound("upper", "upper_inclusive", "COMPARE_LESSTHAN")
	switch {
	case low == nil:
		return high, false
	case high == nil:
		return low, false
	}
	return expr.And{low, high}, a && b
}

func (c *condition) conjunction(o object) (expr.Expr, bool) {
	children, _ := o["children"].([]any)
	and := o["type"] == "CONJUNCTION_AND"
	if !and && o["type"] != "CONJUNCTION_OR" {
		return nil, false
	}
	exact := true
	var parts []expr.Expr
	for _, child := range children {
		x, same := c.expr(child)
		exact = exact && same && x != nil
		switch {
		case x != nil:
			parts = append(parts, x)
		case !and:
			return nil, false
		}
	}
	switch {
	case len(parts) == 0:
		return nil, false
	case len(parts) == 1:
		return parts[0], exact
	case and:
		return expr.And(parts), exact
	}
	return expr.Or(parts), exact
}

func (c *condition) operator(o object) (expr.Expr, bool) {
	children, _ := o["children"].([]any)
	if len(children) == 0 {
		return nil, false
	}
	switch o["type"] {
	case "OPERATOR_NOT":
		if x, exact := c.expr(children[0]); x != nil && exact {
			return expr.Not{X: x}, true
		}
	case "OPERATOR_IS_NULL":
		if col, ok := c.reference(children[0]); ok {
			return expr.IsNull{Col: col.path}, true
		}
	case "OPERATOR_IS_NOT_NULL":
		if col, ok := c.reference(children[0]); ok {
			return expr.Not{X: expr.IsNull{Col: col.path}}, true
		}
	case "COMPARE_IN", "COMPARE_NOT_IN":
		col, ok := c.column(children[0])
		if !ok {
			return nil, false
		}
		in := expr.In{Col: col.path}
		for _, v := range children[1:] {
			s, ok := col.constant(v)
			if !ok {
				return nil, false
			}
			in.Values = append(in.Values, s)
		}
		if o["type"] == "COMPARE_IN" {
			return in, true
		}
		return expr.Not{X: in}, true
	}
	return nil, false
}

// function translates prefix(column, 'text'), which is what becomes of LIKE 'text%'.
func (c *condition) function(o object) (expr.Expr, bool) {
	children, _ := o["children"].([]any)
	if o["name"] != "prefix" && o["name"] != "starts_with" || len(children) != 2 {
		return nil, false
	}
	col, ok := c.reference(children[0])
	if !ok || !isText(col.field) {
		return nil, false
	}
	s, ok := col.constant(children[1])
	if !ok {
		return nil, false
	}
	text := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(string(s.(*scalar.String).Data()))
	return expr.Like{Col: col.path, Pattern: text + "%", Escape: '\\'}, true
}

func isText(t arrow.DataType) bool {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING
}

// operand is a column of the file, whose values DuckDB sees as type id.
type operand struct {
	path  string
	field arrow.DataType
	id    string
}

// reference is a column itself.
func (c *condition) reference(v any) (operand, bool) {
	o, _ := v.(object)
	i, ok := integer(o["index"])
	if o["expression_class"] != "BOUND_REF" || !ok || i < 0 || i >= int64(len(c.columns)) || c.columns[i] < 0 {
		return operand{}, false
	}
	f := c.schema.Field(c.columns[i])
	return operand{expr.Quote(f.Name), f.Type, typeID(o["return_type"])}, true
}

func typeID(v any) string {
	o, _ := v.(object)
	id, _ := o["id"].(string)
	return id
}

// column is a column, or one in another type that holds each of its values.
func (c *condition) column(v any) (operand, bool) {
	o, _ := v.(object)
	if o["expression_class"] != "BOUND_CAST" {
		return c.reference(v)
	}
	col, ok := c.reference(o["child"])
	if try, _ := o["try_cast"].(bool); try || !ok || !keeps(col.id, typeID(o["return_type"])) {
		return operand{}, false
	}
	col.id = typeID(o["return_type"])
	return col, true
}

var integers = []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}

// keeps tells whether a cast keeps the value, or fails.
func keeps(from, to string) bool {
	switch {
	case from == to:
		return !isDecimal(from) // the scale may be another
	case slices.Contains(integers, from):
		return slices.Contains(integers, to) || to == "HUGEINT" || isDecimal(to)
	case from == "FLOAT":
		return to == "DOUBLE"
	case from == "DATE":
		return to == "TIMESTAMP"
	}
	return false
}

func isDecimal(id string) bool { return id == "DECIMAL" }

func turned(op string) string {
	if rest, ok := strings.CutPrefix(op, "COMPARE_LESSTHAN"); ok {
		return "COMPARE_GREATERTHAN" + rest
	}
	if rest, ok := strings.CutPrefix(op, "COMPARE_GREATERTHAN"); ok {
		return "COMPARE_LESSTHAN" + rest
	}
	return op
}

func (col operand) compare(op string, v any) (expr.Expr, bool) {
	s, ok := col.constant(v)
	if !ok {
		return nil, false
	}
	is := func(op expr.Op) expr.Expr { return expr.Compare{Col: col.path, Op: op, Value: s} }
	// To DuckDB NaN is greater than every other value, to IEEE it is unordered.
	float := col.id == "FLOAT" || col.id == "DOUBLE"
	switch op {
	case "COMPARE_EQUAL":
		return is(expr.Eq), true
	case "COMPARE_NOT_DISTINCT_FROM":
		return is(expr.Eq), false // null is false, not null
	case "COMPARE_NOTEQUAL":
		return is(expr.Ne), true
	case "COMPARE_LESSTHAN":
		return is(expr.Lt), true
	case "COMPARE_LESSTHANOREQUALTO":
		return is(expr.Le), true
	case "COMPARE_GREATERTHAN":
		if float {
			return expr.Not{X: is(expr.Le)}, true
		}
		return is(expr.Gt), true
	case "COMPARE_GREATERTHANOREQUALTO":
		if float {
			return expr.Not{X: is(expr.Lt)}, true
		}
		return is(expr.Ge), true
	}
	return nil, false
}

// constant is a value that is no null and of the operand's type.
func (col operand) constant(v any) (scalar.Scalar, bool) {
	o, _ := v.(object)
	value, _ := o["value"].(object)
	kind, _ := value["type"].(object)
	null, known := value["is_null"].(bool)
	if o["expression_class"] != "BOUND_CONSTANT" || !known || null || kind["id"] != col.id {
		return nil, false
	}
	raw := value["value"]
	i, isInteger := integer(raw)
	switch col.id {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER":
		return scalar.NewInt64Scalar(i), isInteger
	case "UBIGINT":
		n, _ := raw.(json.Number)
		u, err := strconv.ParseUint(n.String(), 10, 64)
		return scalar.NewUint64Scalar(u), err == nil
	case "FLOAT", "DOUBLE":
		n, _ := raw.(json.Number)
		f, err := n.Float64()
		if col.id == "FLOAT" {
			f = float64(float32(f)) // however many digits the plan has of it
		}
		return scalar.NewFloat64Scalar(f), err == nil
	case "VARCHAR":
		text, ok := raw.(string)
		return scalar.NewStringScalar(text), ok && isText(col.field)
	case "DATE":
		ok := isInteger && i > -1<<30 && i < 1<<30 // beyond are the infinities
		return scalar.NewDate32Scalar(arrow.Date32(i)), ok
	case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE":
		ok := isInteger && i != math.MaxInt64 && i > -math.MaxInt64
		return scalar.NewTimestampScalar(arrow.Timestamp(i), timestampType(col.id)), ok
	case "HUGEINT", "DECIMAL":
		n, ok := wide(raw)
		scale, width := int32(0), int32(38)
		if info, _ := kind["type_info"].(object); col.id == "DECIMAL" {
			w, a := integer(info["width"])
			s, b := integer(info["scale"])
			if !a || !b || w < 1 || w > 38 || s < 0 || s > w {
				return nil, false
			}
			width, scale = int32(w), int32(s)
		}
		if !ok || n.BitLen() > 126 {
			return nil, false
		}
		return scalar.NewDecimal128Scalar(decimal128.FromBigInt(n), &arrow.Decimal128Type{Precision: width, Scale: scale}), true
	}
	return nil, false
}

func timestampType(id string) arrow.DataType {
	switch id {
	case "TIMESTAMP_S":
		return &arrow.TimestampType{Unit: arrow.Second}
	case "TIMESTAMP_MS":
		return &arrow.TimestampType{Unit: arrow.Millisecond}
	case "TIMESTAMP_NS":
		return &arrow.TimestampType{Unit: arrow.Nanosecond}
	case "TIMESTAMP WITH TIME ZONE":
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	}
	return &arrow.TimestampType{Unit: arrow.Microsecond}
}

// wide is an integer of 64 or 128 bits.
func wide(v any) (*big.Int, bool) {
	if i, ok := integer(v); ok {
		return big.NewInt(i), true
	}
	o, _ := v.(object)
	upper, ok := integer(o["upper"])
	n, _ := o["lower"].(json.Number)
	lower, err := strconv.ParseUint(n.String(), 10, 64)
	if !ok || err != nil {
		return nil, false
	}
	out := new(big.Int).Lsh(big.NewInt(upper), 64)
	return out.Add(out, new(big.Int).SetUint64(lower)), true
}
