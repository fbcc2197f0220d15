package duckdb

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

var planSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "a b", Type: arrow.BinaryTypes.String},
	{Name: "f", Type: arrow.PrimitiveTypes.Float64},
	{Name: "d", Type: arrow.FixedWidthTypes.Date32},
	{Name: "n", Type: &arrow.Decimal128Type{Precision: 30, Scale: 2}},
}, nil)

// These are parts of answers of DuckDB 1.5.5 to json_serialize_plan(…, optimize := true).
const (
	planGet = `{"type":"LOGICAL_GET","children":[],"table_index":0,"names":["id","a b","f","d","n"],"projection_ids":[],` +
		`"table_filters":{"filters":[]},"name":"arrowio","parameters":[{"type":{"id":"VARCHAR","type_info":null},"is_null":false,"value":"x.orc"}],` +
		`"named_parameters":[],"column_indexes":[{"index":0,"child_indexes":[]},{"index":1,"child_indexes":[]},{"index":2,"child_indexes":[]},{"index":3,"child_indexes":[]},{"index":4,"child_indexes":[]}],` +
		`"extra_info":{"file_filters":"","sample_options":null},"ordinality_idx":18446744073709551615}`
	planFilter = `{"type":"LOGICAL_FILTER","children":[%s],"expressions":[%s],"projection_map":[]}`
	planAnswer = `{"error":false,"plans":[{"type":"LOGICAL_PROJECTION","children":[%s]}]}`
)

func ref(i int, id string) string {
	return fmt.Sprintf(`{"expression_class":"BOUND_REF","type":"BOUND_REF","alias":"x","return_type":{"id":"%s","type_info":null},"index":%d}`, id, i)
}

func constant(id, info, value string) string {
	return fmt.Sprintf(`{"expression_class":"BOUND_CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"%s","type_info":%s},"is_null":false,"value":%s}}`, id, info, value)
}

func comparison(op, left, right string) string {
	return fmt.Sprintf(`{"expression_class":"BOUND_COMPARISON","type":"COMPARE_%s","left":%s,"right":%s}`, op, left, right)
}

func compound(class, kind, children string) string {
	return fmt.Sprintf(`{"expression_class":"%s","type":"%s","return_type":{"id":"BOOLEAN"},"children":[%s]}`, class, kind, children)
}

func cast(child, to string) string {
	return fmt.Sprintf(`{"expression_class":"BOUND_CAST","type":"OPERATOR_CAST","child":%s,"return_type":{"id":"%s"},"try_cast":false}`, child, to)
}

func planned(t *testing.T, plan string) map[string]expr.Expr {
	t.Helper()
	return filtersOf([]byte(plan), func(key string) *arrow.Schema {
		if key == tableKey("x.orc", nil) {
			return planSchema
		}
		return nil
	})
}

func TestConditions(t *testing.T) {
	id, text, f, d, n := ref(0, "BIGINT"), ref(1, "VARCHAR"), ref(2, "DOUBLE"), ref(3, "DATE"), ref(4, "DECIMAL")
	five := constant("BIGINT", "null", "5")
	unknown := `{"expression_class":"BOUND_FUNCTION","name":"random","children":[]}`
	for _, c := range []struct{ condition, want string }{
		{comparison("EQUAL", id, five), "id = 5"},
		{comparison("LESSTHAN", five, id), "id > 5"},
		{comparison("GREATERTHANOREQUALTO", five, id), "id <= 5"},
		{comparison("GREATERTHAN", f, constant("DOUBLE", "null", "2.0")), "NOT f <= 2"}, // NaN is greater
		{comparison("LESSTHAN", f, constant("DOUBLE", "null", "2.0")), "f < 2"},
		{comparison("EQUAL", text, constant("VARCHAR", "null", `"it's"`)), `"a b" = 'it''s'`},
		{comparison("EQUAL", d, constant("DATE", "null", "18262")), "d = DATE '2020-01-01'"},
		{comparison("EQUAL", d, constant("DATE", "null", "2147483647")), ""}, // infinity
		{comparison("LESSTHAN", cast(d, "TIMESTAMP"), constant("TIMESTAMP", "null", "1577836800000000")), "d < TIMESTAMP '2020-01-01 00:00:00.000000'"},
		{comparison("GREATERTHAN", n, constant("DECIMAL", `{"width":30,"scale":2}`, `{"upper":0,"lower":150}`)), "n > 1.50"},
		{comparison("EQUAL", n, constant("DECIMAL", `{"width":30,"scale":2}`, `{"upper":-1,"lower":18446744073709551466}`)), "n = -1.50"},
		{comparison("EQUAL", cast(id, "DOUBLE"), constant("DOUBLE", "null", "5")), ""}, // not every integer is a double
		{comparison("EQUAL", cast(id, "TINYINT"), constant("TINYINT", "null", "5")), "id = 5"},
		{comparison("EQUAL", id, ref(0, "BIGINT")), ""},
		{comparison("EQUAL", unknown, five), ""},
		{comparison("DISTINCT_FROM", id, five), ""},
		{compound("BOUND_OPERATOR", "OPERATOR_IS_NULL", text), `"a b" IS NULL`},
		{compound("BOUND_OPERATOR", "OPERATOR_IS_NOT_NULL", id), "id IS NOT NULL"},
		{compound("BOUND_OPERATOR", "COMPARE_IN", id+","+five+","+constant("BIGINT", "null", "7")), "id IN (5, 7)"},
		{compound("BOUND_OPERATOR", "COMPARE_IN", id+","+five+","+unknown), ""},
		{compound("BOUND_OPERATOR", "OPERATOR_NOT", comparison("EQUAL", id, five)), "NOT id = 5"},
		{compound("BOUND_OPERATOR", "OPERATOR_NOT", comparison("NOT_DISTINCT_FROM", id, five)), ""},
		{compound("BOUND_OPERATOR", "OPERATOR_NOT", compound("BOUND_CONJUNCTION", "CONJUNCTION_AND", comparison("EQUAL", id, five)+","+unknown)), ""},
		{compound("BOUND_CONJUNCTION", "CONJUNCTION_AND", comparison("EQUAL", id, five)+","+unknown), "id = 5"},
		{compound("BOUND_CONJUNCTION", "CONJUNCTION_OR", comparison("EQUAL", id, five)+","+unknown), ""},
		{`{"expression_class":"BOUND_BETWEEN","type":"COMPARE_BETWEEN","input":` + id + `,"lower":` + five + `,"upper":` + constant("BIGINT", "null", "9") + `,"lower_inclusive":true,"upper_inclusive":false}`, "id >= 5 AND id < 9"},
		{`{"expression_class":"BOUND_FUNCTION","name":"prefix","children":[` + text + "," + constant("VARCHAR", "null", `"a%"`) + `]}`, `"a b" LIKE 'a\%%' ESCAPE '\'`},
		{`{"expression_class":"BOUND_FUNCTION","name":"prefix","children":[` + text + "," + five + `]}`, ""},
		{comparison("EQUAL", ref(9, "BIGINT"), five), ""},
		{comparison("EQUAL", ref(-1, "BIGINT"), five), ""},
		{`5`, ""},
	} {
		got := planned(t, fmt.Sprintf(planAnswer, fmt.Sprintf(planFilter, planGet, c.condition)))[tableKey("x.orc", nil)]
		switch {
		case c.want == "" && got != nil:
			t.Errorf("%s: %s, want nothing", c.condition, got)
		case c.want != "" && (got == nil || got.String() != c.want):
			t.Errorf("%s: %v, want %s", c.condition, got, c.want)
		case got != nil:
			if _, err := expr.Bind(got, planSchema); err != nil {
				t.Errorf("%s: %v", c.want, err)
			}
		}
	}
}

func TestScansOfOneTable(t *testing.T) {
	key := tableKey("x.orc", nil)
	five := fmt.Sprintf(planFilter, planGet, comparison("EQUAL", ref(0, "BIGINT"), constant("BIGINT", "null", "5")))
	other := fmt.Sprintf(planFilter, planGet, comparison("LESSTHAN", ref(0, "BIGINT"), constant("BIGINT", "null", "2")))
	if f := planned(t, fmt.Sprintf(planAnswer, five+","+other)); f[key] == nil || f[key].String() != "id = 5 OR id < 2" {
		t.Errorf("two scans: %v", f)
	}
	if f := planned(t, fmt.Sprintf(planAnswer, five+","+planGet)); f[key] != nil {
		t.Errorf("one of them without a condition: %v", f)
	}
	// A scan under something else than a filter has no condition, though there is one further up.
	limited := fmt.Sprintf(planFilter, `{"type":"LOGICAL_LIMIT","children":[`+planGet+`]}`, comparison("EQUAL", ref(0, "BIGINT"), constant("BIGINT", "null", "5")))
	if f := planned(t, fmt.Sprintf(planAnswer, limited)); f[key] != nil {
		t.Errorf("under a limit: %v", f)
	}
}

func TestPlansThatAreNotUnderstood(t *testing.T) {
	five := comparison("EQUAL", ref(0, "BIGINT"), constant("BIGINT", "null", "5"))
	good := fmt.Sprintf(planFilter, planGet, five)
	edit := func(from, to string) string {
		return fmt.Sprintf(planFilter, replaceOnce(t, planGet, from, to), five)
	}
	for name, plan := range map[string]string{
		"no JSON":        `{"error":false,"plans":[{"type":"LOGICAL_FILTER","value":NaN}]}`,
		"an error":       `{"error":true,"error_message":"x"}`,
		"another table":  fmt.Sprintf(planAnswer, good+","+replaceOnce(t, planGet, "x.orc", "y.orc")),
		"other columns":  fmt.Sprintf(planAnswer, edit(`"id",`, "")),
		"a row's number": fmt.Sprintf(planAnswer, edit("18446744073709551615", "5")),
		"a sample":       fmt.Sprintf(planAnswer, edit(`"sample_options":null`, `"sample_options":{}`)),
		"a child":        fmt.Sprintf(planAnswer, edit(`{"index":0,"child_indexes":[]}`, `{"index":0,"child_indexes":[{"index":1}]}`)),
		"an option":      fmt.Sprintf(planAnswer, edit(`"named_parameters":[]`, `"named_parameters":[{"key":"format","value":{"is_null":false,"value":"orc"}}]`)),
	} {
		if f := planned(t, plan); len(f) > 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
	if f := planned(t, fmt.Sprintf(planAnswer, edit(`"projection_ids":[]`, `"projection_ids":[2,0]`))); len(f) != 1 || f[tableKey("x.orc", nil)].String() != "f = 5" {
		t.Errorf("projected: %v", f)
	}
}

func replaceOnce(t *testing.T, s, from, to string) string {
	t.Helper()
	for i := range len(s) - len(from) + 1 {
		if s[i:i+len(from)] == from {
			return s[:i] + to + s[i+len(from):]
		}
	}
	t.Fatalf("no %s", from)
	return ""
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(planAnswer, fmt.Sprintf(planFilter, planGet, comparison("EQUAL", ref(0, "BIGINT"), constant("BIGINT", "null", "5"))))))
	f.Add([]byte(`{"plans":[[{"type":"LOGICAL_GET","name":"arrowio"}]]}`))
	f.Fuzz(func(t *testing.T, plan []byte) { planned(t, string(plan)) })
}
