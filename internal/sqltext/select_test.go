package sqltext

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// shown is a Select as a test writes it.
type shown struct {
	table  string
	items  string // name=path
	where  string
	limit  int64
	offset int64
	params int
}

func show(t *testing.T, sql string, params ...string) shown {
	t.Helper()
	s, err := Parse(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	out := shown{table: strings.Join(s.Table, "/"), limit: s.Limit, offset: s.Offset, params: s.Params}
	var items []string
	for _, it := range s.Items {
		path := it.Path
		switch {
		case it.Count:
			path = "count(*)"
		case len(s.Table) == 0:
			path = "one"
		}
		items = append(items, it.Name+"="+path)
	}
	if s.All {
		items = append(items, "*")
	}
	out.items = strings.Join(items, " ")
	x, err := s.Where(params)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if x != nil {
		out.where = x.String()
	}
	return out
}

func TestParse(t *testing.T) {
	for sql, want := range map[string]shown{
		"select * from events": {table: "events", items: "*", limit: -1},
		"SELECT id, tags.name AS n, \"a b\" x FROM main.events e WHERE e.id > 5 AND name = 'it''s' LIMIT 10 OFFSET 3;": {
			table: "main/events", items: `id=id n=tags.name x="a b"`, where: "id > 5 AND name = 'it''s'", limit: 10, offset: 3,
		},
		"select events.id, events.place.x from cat.main.events where events.place.x in (1, 2) or not events.ok": {
			table: "cat/main/events", items: "id=id x=place.x", where: "place.x IN (1, 2) OR NOT ok", limit: -1,
		},
		"select count(*) from `a``b`":             {table: "a`b", items: "count_star()=count(*)", limit: -1},
		"select COUNT(*) as \"n\" from t limit 0": {table: "t", items: "n=count(*)"},
		"select 1":                                 {items: "1=one", limit: -1},
		"SELECT 1;":                                {items: "1=one", limit: -1},
		"select 42 as answer ;":                    {items: "answer=one", limit: -1},
		"select a from t offset 5 limit 2":         {table: "t", items: "a=a", limit: 2, offset: 5},
		"select a -- all of it\nfrom /* the */ t":  {table: "t", items: "a=a", limit: -1},
		"select \"from\" from \"select\"":          {table: "select", items: `from="from"`, limit: -1},
		"select größe from t where größe <= 1e-3":  {table: "t", items: "größe=größe", where: "größe <= 1e-3", limit: -1},
		"select a from t where b = x'00ff'":        {table: "t", items: "a=a", where: "b = X'00ff'", limit: -1},
		"select a from t where \"group\" = 1":      {table: "t", items: "a=a", where: `"group" = 1`, limit: -1},
		"select a from t where group = 1":          {table: "t", items: "a=a", where: "group = 1", limit: -1},
		"select a from t where \"t\".\"a.b\" = -1": {table: "t", items: "a=a", where: `"a.b" = -1`, limit: -1},
		"select \"ID\", t.`P`.x, p.\"X\" as n from t where \"ID\" = 1 and P.\"x\" < t.`Id`": { // quotes stay: the case of these names counts
			table: "t", items: `ID="ID" x="P".x n=p."X"`, where: `"ID" = 1 AND P."x" < "Id"`, limit: -1,
		},
		"select t.* from t":                                   {table: "t", items: "*", limit: -1},
		"select x.* from cat.main.t x limit 3":                {table: "cat/main/t", items: "*", limit: 3},
		"select \"cat\".\"main\".\"t\".* from \"cat\".main.t": {table: "cat/main/t", items: "*", limit: -1},
		"select cat.main.t.a, main.t.b.c, t.d from cat.main.t where cat.main.t.a = 1 and main.t.b.c = 2 and t.d = 3 and t.t.e = 4 and main.x = 5": {
			table: "cat/main/t", items: "a=a c=b.c d=d", where: "a = 1 AND b.c = 2 AND d = 3 AND t.e = 4 AND main.x = 5", limit: -1,
		},
		"select a from t where 1 = 0":                     {table: "t", items: "a=a"},
		"select a from t where 1=0 limit 5 offset 2":      {table: "t", items: "a=a", offset: 2},
		"select count(*) from t where 1 = 1":              {table: "t", items: "count_star()=count(*)", limit: -1},
		"select * from t where 1=1":                       {table: "t", items: "*", limit: -1},
		"select * from t where 1 = 1 and t.a > 5 limit 1": {table: "t", items: "*", where: "a > 5", limit: 1},
		"select a from t where t.a < t.b.c and t.x is nan or t.s ilike 'x%'": {
			table: "t", items: "a=a", where: "a < b.c AND x IS NAN OR s ILIKE 'x%'", limit: -1,
		},
		"select a from t where t.tags [ 0 ] = 'x' and m['k'] . v < t.n[1] and contains(t.tags, 'y')": {
			table: "t", items: "a=a", where: "tags[0] = 'x' AND m['k'].v < n[1] AND contains(tags, 'y')", limit: -1,
		},
		"select a from t where a < left and group[0] > right": {table: "t", items: "a=a", where: "a < left AND group[0] > right", limit: -1},
		"select a from t where a = NULL and NULL < b":         {table: "t", items: "a=a", where: "a IN (NULL) AND b IN (NULL)", limit: -1},
		"select count(1) from t":                              {table: "t", items: "count(1)=count(*)", limit: -1},
		"SELECT COUNT( 5 ) AS n FROM t":                       {table: "t", items: "n=count(*)", limit: -1},
		"select current_date":                                 {items: "current_date=one", limit: -1},
		"SELECT CURRENT_DATE AS d;":                           {items: "d=one", limit: -1},
		"select current_date from t":                          {table: "t", items: "current_date=current_date", limit: -1},
		"SELECT 1 AS x WHERE 1=0":                             {items: "x=one"},
		"select 1 where 1 = 1 limit 1":                        {items: "1=one", limit: 1},
		"select 1 limit 5 offset 1":                           {items: "1=one", offset: 1},
		"SELECT TOP 10 * FROM t":                              {table: "t", items: "*", limit: 10},
		"select top (3) a, b from t where a > 1 offset 2":     {table: "t", items: "a=a b=b", where: "a > 1", limit: 3, offset: 2},
		"select top from t":                                   {table: "t", items: "top=top", limit: -1},
		"select top, a from t":                                {table: "t", items: "top=top a=a", limit: -1},
		"select a from t where d = {d '2020-01-31'}":          {table: "t", items: "a=a", where: "d = DATE '2020-01-31'", limit: -1},
		"select a from t where at in ({ts '2020-01-31 10:11:12'}, {TS'2020-02-01 00:00:00.5'}) and c > {t '10:11:12'}": {
			table: "t", items: "a=a", where: "at IN (TIMESTAMP '2020-01-31 10:11:12', TIMESTAMP '2020-02-01 00:00:00.5') AND c > TIME '10:11:12'", limit: -1,
		},
		"select a from t where d = DATE '2020-01-31' and a is not null": {
			table: "t", items: "a=a", where: "d = DATE '2020-01-31' AND NOT a IS NULL", limit: -1,
		},
	} {
		got := show(t, sql)
		if want.where != "" {
			want.where = normal(t, want.where)
		}
		if got.where != "" {
			got.where = normal(t, got.where)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", sql, got, want)
		}
	}
}

// normal writes a condition as package expr does.
func normal(t *testing.T, where string) string {
	t.Helper()
	s, err := Parse("select a from t where " + where)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Where(nil)
	if err != nil {
		t.Fatal(err)
	}
	return x.String()
}

// Parameters take the places of question marks, in their order, and nothing else in the text is one.
func TestParams(t *testing.T) {
	got := show(t, "select a from t where a > ? and b in (?, 'what?') -- ?", "5", "'x''; drop'")
	if want := normal(t, "a > 5 and b in ('x''; drop', 'what?')"); got.where != want || got.params != 2 {
		t.Errorf("got %q and %d parameters, want %q", got.where, got.params, want)
	}
	if got := show(t, "select a from t where a = ? and ? > b", "NULL", "NULL"); got.where != "a IN (NULL) AND b IN (NULL)" {
		t.Errorf("with NULL: %s", got.where)
	}
	s, err := Parse("select a from t where a = ?")
	if err != nil {
		t.Fatal(err)
	}
	for _, params := range [][]string{nil, {"1", "2"}} {
		if _, err := s.Where(params); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%d values for one parameter: %v", len(params), err)
		}
	}
}

// What SQL has and this has not is refused by name; what nobody has, by its place.
func TestRefused(t *testing.T) {
	for sql, words := range map[string][]string{
		"select a from t join u on t.a = u.a":        {"JOIN", "DuckDB"},
		"select a from t, u":                         {"several", "DuckDB"},
		"select a from t inner join u":               {"INNER", "DuckDB"},
		"select a, sum(b) from t group by a":         {"SUM(…)", "DuckDB"},
		"select a from t group by a":                 {"GROUP BY is not", "DuckDB"},
		"select a from t where a > 1 group by a":     {"GROUP BY is not", "DuckDB"},
		"select a, count(*) from t group by a":       {"GROUP BY is not", "DuckDB"},
		"select a from t order by a":                 {"ORDER BY is not", "DuckDB"},
		"select a from t where a > 1 order by a":     {"ORDER BY is not", "DuckDB"},
		"select * from read_csv('/etc/passwd')":      {"read_csv(…) in the place of a dataset is not answered", "DuckDB"},
		"select a from m.range(3) where a = 1":       {"range(…) in the place", "DuckDB"},
		"select distinct a from t":                   {"DISTINCT", "DuckDB"},
		"select a from (select * from t)":            {"subquery", "DuckDB"},
		"select a from t where a in (select b)":      {"subquery", "DuckDB"},
		"with x as (select 1) select * from x":       {"WITH", "DuckDB"},
		"insert into t values (1)":                   {"INSERT", "DuckDB"},
		"drop table t":                               {"DROP", "DuckDB"},
		"select a + 1 from t":                        {"expression with +", "DuckDB"},
		"select *, a from t":                         {"* beside", "DuckDB"},
		"select t.*, a from t":                       {"* beside", "DuckDB"},
		"select a, t.* from t":                       {"t.* beside"},
		"select u.* from t":                          {"u.*", "FROM, t"},
		"select t.* from t u":                        {"t.*", "FROM, u"},
		"select cat.t.* from main.t":                 {"cat.t.*"},
		"select count(*) from t where 1 = 0":         {"column"},
		"select a from t where 1 = 0 or a = 1":       {"column"},
		"select a from t where 1 = 1 or a = 1":       {"column"},
		"select a from t where 1 = 1 and":            {"condition"},
		"select count(*), a from t":                  {"COUNT(*)", "DuckDB"},
		"select count(a) from t":                     {"COUNT(…)", "DuckDB"},
		"select a from t union select b from u":      {"UNION", "DuckDB"},
		"select a from t limit $2 offset ?":          {"all ?"},
		"select a from t limit $x":                   {"means nothing"},
		"select a from t limit 1 limit 2":            {"second LIMIT"},
		"":                                           {"column 1", "SELECT"},
		"select":                                     {"column 7", "a column"},
		"select a":                                   {"FROM"},
		"select a from":                              {"a dataset"},
		"select a from t where":                      {"condition"},
		"select a from t where ;":                    {"condition"},
		"select a from t where a >":                  {"condition"},
		"select a from t limit x":                    {"number of rows"},
		"select a from t limit -1":                   {"-"},
		"select a from t limit 99999999999999999999": {"number of rows"},
		"select a from a.b.c.d":                      {"more parts"},
		"select 'a from t":                           {"column 8", "without its end"},
		"select a /* from t":                         {"comment"},
		"select a from t; select b from t":           {"the end"},
		"select a as from t":                         {"FROM"},
		"select a from t where a = 1 \x00":           {"means nothing"},
		"select \xff from t":                         {"UTF-8"},
		"select \"\" from t":                         {"a column"},
		"select 1.5":                                 {"integer"},
		"select a where 1 = 0":                       {"without FROM", "DuckDB"},
		"select 1 where 1 = 0 or 1 = 1":              {"condition without FROM", "DuckDB"},
		"select 1 where x = 1":                       {"condition without FROM", "DuckDB"},
		"select 1 limit ?":                           {"parameters", "DuckDB"},
		"select 'a'":                                 {"'a' in the place of a column", "DuckDB"},
		"select a, 5 from t":                         {"5 in the place of a column", "DuckDB"},
		"select version()":                           {"VERSION(…)", "DuckDB"},
		"select current_timestamp":                   {"without FROM", "DuckDB"},
		"select count(1.5) from t":                   {"COUNT(…)", "DuckDB"},
		"select count(1), a from t":                  {"COUNT(*)", "DuckDB"},
		"select a from t where upper(a) = 'X'":       {"UPPER(…) in a condition", "DuckDB"},
		"select a from t where a = {fn now()}":       {"{fn …}", "DuckDB"},
		"select a from t where a = {ts 5}":           {"a text in quotes"},
		"select a from t where a = {ts '2020-01-01'": {"}"},
		"select top 5 a from t limit 3":              {"second LIMIT"},
		"select top 5 percent * from t":              {"an expression with *", "DuckDB"},
		"select top 99999999999999999999 a from t":   {"number of rows"},
	} {
		_, err := Parse(sql)
		if !errors.Is(err, errs.ErrOption) && !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", sql, err, w)
			}
		}
	}
	if _, err := Parse("select " + strings.Repeat("a", maxText)); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("a long text: %v", err)
	}
}

// Parameters are ? or $1, in the condition and for LIMIT and OFFSET; a number may come twice.
func TestParameters(t *testing.T) {
	for sql, want := range map[string]struct {
		params        []string
		where         string
		limit, offset int64
	}{
		"select a from t where a > ? limit ? offset ?":                {[]string{"1", "2", "3"}, "a > 1", 2, 3},
		"select a from t where a > $2 and b < $2 limit $1 offset $3;": {[]string{"1", "2", "3"}, "a > 2 AND b < 2", 1, 3},
		"select a from t limit $12":                                   {slices.Repeat([]string{"7"}, 12), "", 7, 0},
		"select a from t limit ? offset ?":                            {[]string{"NULL", "NULL"}, "", -1, 0},
		"select a from t where 1 = 0 limit ?":                         {[]string{"5"}, "", 0, 0},
	} {
		s, err := Parse(sql)
		if err != nil || s.Params != len(want.params) {
			t.Errorf("%s: %+v, %v", sql, s, err)
			continue
		}
		if err := s.Bind(want.params); err != nil || s.Limit != want.limit || s.Offset != want.offset {
			t.Errorf("%s: LIMIT %d OFFSET %d, %v", sql, s.Limit, s.Offset, err)
		}
		x, err := s.Where(want.params)
		if err != nil || x != nil && x.String() != want.where {
			t.Errorf("%s: %v, %v", sql, x, err)
		}
	}
	s, err := Parse("select a from t limit ?")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"-1", "1.5", "'x'", "99999999999999999999"} {
		if err := s.Bind([]string{text}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzSelect(f *testing.F) {
	for _, sql := range []string{
		"select * from t", "select a, \"b\".c x from t as u where u.a > ? and b in ('x', X'00') limit 5 offset 2;", "select count(*) from a.b.c", "select 1",
		"select a from t where group = 1 -- x\n", "select m.t.* from m.t where 1 = 1 and m.t.a = 1", "select a from t where not (a is null or ? = b)",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		s, err := Parse(sql)
		if err != nil {
			return
		}
		params := make([]string, s.Params)
		for i := range params {
			params[i] = "'x'"
		}
		_, _ = s.Where(params) // a literal of another type may not fit, as after LIKE
		if len(s.Table) == 0 && len(s.Items) != 1 || len(s.Table) > 0 && !s.All && len(s.Items) == 0 {
			t.Errorf("%q gives %+v", sql, s)
		}
	})
}
