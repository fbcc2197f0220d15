package sqltext

import (
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Select is a SELECT.
type Select struct {
	Table  []string // name, or schema and name, or catalog, schema and name; nil = SELECT integer, or SELECT CURRENT_DATE
	All    bool     // SELECT *
	Items  []Item   // otherwise
	Limit  int64    // -1 = none
	Offset int64
	Params int // how many parameters there are, ? or $1

	// The numbers of the parameters that Limit and Offset are, from 1; 0 = they are none. See Bind.
	LimitParam, OffsetParam int

	where  []token    // nil = none
	never  bool       // WHERE 1 = 0
	top    bool       // Limit is that of TOP
	tables [][]string // what columns may be qualified with, the longest first
	of     []string   // the qualifier of table.*
}

// Item is a column of the result.
type Item struct {
	Path  string // of the column, as package expr resolves it
	Count bool   // COUNT(*) or COUNT(integer), which is then the only item
	One   int64  // of SELECT integer
	Today bool   // CURRENT_DATE
	Name  string // in the result

	names []token // of Path
}

// instead is said of what is not answered.
const instead = "this server selects columns of one dataset with WHERE, LIMIT and OFFSET; one of a build with DuckDB (arrowio-duckdb) answers all of SQL"

// Parse reads a SELECT. Errors are errs.ErrOption, for mistakes with their place, and errs.ErrUnsupported for what
// SQL has and this does not, with what to use instead. Whether the table and its columns exist is not asked.
func Parse(sql string) (*Select, error) {
	tokens, err := lex(sql)
	if err != nil {
		return nil, err
	}
	p := &parser{sql: sql, tokens: tokens}
	s, err := p.query()
	if err != nil {
		return nil, err
	}
	if _, err := s.Where(slices.Repeat([]string{"'?'"}, s.Params)); err != nil {
		return nil, err
	}
	return s, nil
}

// Bind sets Limit and Offset where they are parameters. params are literals of package expr: an integer, or NULL for none.
func (s *Select) Bind(params []string) error {
	for _, l := range []struct {
		param int
		to    *int64
		none  int64
		word  string
	}{{s.LimitParam, &s.Limit, -1, "LIMIT"}, {s.OffsetParam, &s.Offset, 0, "OFFSET"}} {
		if l.param == 0 || l.param > len(params) {
			continue
		}
		text := params[l.param-1]
		if text == "NULL" {
			*l.to = l.none
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return errs.Errorf(errs.ErrOption, "SQL: the parameter of %s is %s, and not a number of rows", l.word, text)
		}
		if *l.to = n; s.never {
			s.Limit = 0
		}
	}
	return nil
}

// Where returns the condition with params, literals of package expr, in place of the parameters; nil = none.
func (s *Select) Where(params []string) (expr.Expr, error) {
	if len(params) != s.Params {
		return nil, errs.Errorf(errs.ErrOption, "SQL with %d parameters, and %d values for them", s.Params, len(params))
	}
	if s.where == nil {
		return nil, nil
	}
	var b strings.Builder
	for i, t := range s.where {
		switch {
		case t.is("["), i > 0 && (t.is(".") || s.where[i-1].is(".")): // a path is one word
		case i > 0:
			b.WriteByte(' ')
		}
		switch {
		case t.param > 0:
			b.WriteString(params[t.param-1])
		case t.kind == tokenQuoted:
			b.WriteString(inQuotes(t.name))
		default:
			b.WriteString(t.text)
		}
	}
	x, err := expr.ParseSQL(b.String())
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "SQL, in the condition %s: %w", b.String(), err)
	}
	return x, nil
}

type parser struct {
	sql      string
	tokens   []token
	params   int
	numbered bool // they are $1, not ?
}

// param reads a parameter.
func (p *parser) param() (token, error) {
	t := p.take()
	numbered := t.param > 0
	switch {
	case p.params > 0 && numbered != p.numbered:
		return t, errorAt(p.sql, t.at, "parameters are all ?, or all $1")
	case numbered:
		p.params = max(p.params, t.param)
	default:
		p.params++
		t.param = p.params
	}
	p.numbered = numbered
	return t, nil
}

func (t token) isParam() bool { return t.is("?") || t.param > 0 }

func (p *parser) peek() token { return p.tokens[0] }

// take returns the next token and goes past it.
func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

// skip goes past a keyword or a mark, if it comes next.
func (p *parser) skip(word string) bool {
	if !p.peek().is(word) {
		return false
	}
	p.take()
	return true
}

func (p *parser) expected(what string) error {
	t := p.peek()
	if w := refused(t); w != "" {
		return errs.Errorf(errs.ErrUnsupported, "SQL: %s is not answered here: %s", w, instead)
	}
	return errorAt(p.sql, t.at, "%s is expected, not %s", what, t)
}

// beyond are the words that begin what is not answered.
var beyond = []string{
	"distinct", "join", "inner", "left", "right", "full", "cross", "natural", "group", "having", "order", "union", "intersect", "except",
	"window", "with", "insert", "update", "delete", "create", "drop", "alter", "merge", "values", "explain", "describe", "show", "set",
	"case", "cast", "over", "fetch", "qualify", "tablesample", "pivot", "use", "begin", "commit", "rollback", "call", "copy",
}

// refused returns what a token begins that is SQL and not answered; "" = nothing.
func refused(t token) string {
	if t.kind == tokenWord && slices.Contains(beyond, strings.ToLower(t.text)) {
		word := strings.ToUpper(t.text)
		if t.is("group") || t.is("order") {
			word += " BY"
		}
		return word
	}
	if t.kind == tokenMark && strings.Contains("+-*/%||::", t.text) {
		return "an expression with " + t.text
	}
	return ""
}

func (p *parser) query() (*Select, error) {
	s := &Select{Limit: -1}
	if !p.skip("select") {
		return nil, p.expected("SELECT")
	}
	if t := p.peek(); (t.kind == tokenNumber || t.is("current_date")) && (p.tokens[1].kind != tokenMark || p.tokens[1].is(";")) && !p.ofTable() {
		return p.ping(s)
	}
	if err := p.top(s); err != nil {
		return nil, err
	}
	if err := p.items(s); err != nil {
		return nil, err
	}
	switch end := p.peek(); {
	case p.skip("from"):
	case end.kind == tokenEnd || end.is(";") || end.is("where"):
		return nil, errs.Errorf(errs.ErrUnsupported, "SQL: SELECT without FROM is not answered here, but of one integer or CURRENT_DATE: %s", instead)
	default:
		return nil, p.expected("FROM")
	}
	if err := p.table(s); err != nil {
		return nil, err
	}
	if p.skip("where") {
		if err := p.where(s); err != nil {
			return nil, err
		}
	}
	if err := p.limits(s); err != nil {
		return nil, err
	}
	if s.never {
		s.Limit = 0
	}
	s.unqualify()
	return s, nil
}

// ofTable reports whether a FROM follows, so that CURRENT_DATE is a column, perhaps.
func (p *parser) ofTable() bool {
	return slices.ContainsFunc(p.tokens, func(t token) bool { return t.is("from") })
}

// ping reads (integer | CURRENT_DATE) [[AS] name] [WHERE number = number] [LIMIT n] [OFFSET n].
func (p *parser) ping(s *Select) (*Select, error) {
	t := p.take()
	it := Item{Name: t.text, Today: t.kind == tokenWord}
	var err error
	if it.One, err = strconv.ParseInt(t.text, 10, 64); err != nil && !it.Today {
		return nil, errorAt(p.sql, t.at, "an integer is expected, not %s", t)
	}
	if it.Name, err = p.alias(it.Name); err != nil {
		return nil, err
	}
	s.Items = []Item{it}
	if p.skip("where") {
		truth, ok := p.constant(true)
		if !ok {
			return nil, errs.Errorf(errs.ErrUnsupported, "SQL: a condition without FROM is not answered here, but 1 = 1 and 1 = 0: %s", instead)
		}
		s.never = !truth
	}
	if err := p.limits(s); err != nil {
		return nil, err
	}
	if s.Params > 0 {
		return nil, errs.Errorf(errs.ErrUnsupported, "SQL: parameters of a SELECT without FROM are not answered here: %s", instead)
	}
	if s.never || s.Offset > 0 {
		s.Limit = 0
	}
	return s, nil
}

// top reads TOP n, as SQL Server writes a limit.
func (p *parser) top(s *Select) error {
	if !p.peek().is("top") {
		return nil
	}
	parentheses := p.tokens[1].is("(") && p.tokens[2].kind == tokenNumber && p.tokens[3].is(")")
	if !parentheses && p.tokens[1].kind != tokenNumber {
		return nil
	}
	p.take()
	p.skip("(")
	t := p.take()
	p.skip(")")
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		return errorAt(p.sql, t.at, "a number of rows is expected, not %s", t)
	}
	s.Limit, s.top = n, true
	return nil
}

func (p *parser) end() error {
	p.skip(";")
	if p.peek().kind != tokenEnd {
		return p.expected("the end")
	}
	return nil
}

func (p *parser) items(s *Select) error {
	if s.of = p.qualifiedStar(); s.of != nil || p.peek().is("*") {
		p.take()
		s.All = true
		if p.peek().is(",") {
			return errs.Errorf(errs.ErrUnsupported, "SQL: * beside other columns is not answered here: %s", instead)
		}
		return nil
	}
	for {
		it, err := p.item()
		if err != nil {
			return err
		}
		s.Items = append(s.Items, it)
		if !p.skip(",") {
			break
		}
	}
	if len(s.Items) > 1 && slices.ContainsFunc(s.Items, func(it Item) bool { return it.Count }) {
		if slices.ContainsFunc(p.tokens, func(t token) bool { return t.is("group") }) {
			return errs.Errorf(errs.ErrUnsupported, "SQL: GROUP BY is not answered here: %s", instead)
		}
		return errs.Errorf(errs.ErrUnsupported, "SQL: COUNT(*) beside columns is not answered here: %s", instead)
	}
	return nil
}

// qualifiedStar reads name {"." name} "." up to the star behind it; nil = something else comes.
func (p *parser) qualifiedStar() (names []string) {
	i := 0
	for ; p.tokens[i].isName() && p.tokens[i].name != "" && p.tokens[i+1].is("."); i += 2 {
		names = append(names, p.tokens[i].name)
	}
	if i == 0 || !p.tokens[i].is("*") {
		return nil
	}
	p.tokens = p.tokens[i:]
	return names
}

func (p *parser) item() (it Item, err error) {
	t := p.peek()
	if t.kind == tokenWord && p.tokens[1].is("(") {
		p.take()
		p.take()
		of := p.take()
		_, notInteger := strconv.ParseInt(of.text, 10, 64)
		if !t.is("count") || !of.is("*") && (of.kind != tokenNumber || notInteger != nil) || !p.skip(")") {
			return it, errs.Errorf(errs.ErrUnsupported, "SQL: %s(…) is not answered here, only COUNT(*): %s", strings.ToUpper(t.text), instead)
		}
		it = Item{Count: true, Name: "count_star()"} // as DuckDB calls it
		if !of.is("*") {
			it.Name = "count(" + of.text + ")"
		}
		it.Name, err = p.alias(it.Name)
		return it, err
	}
	if t.kind == tokenText || t.kind == tokenNumber {
		return it, errs.Errorf(errs.ErrUnsupported, "SQL: the value %s in the place of a column is not answered here: %s", t, instead)
	}
	names, err := p.path("a column")
	if err != nil {
		return it, err
	}
	it = Item{names: names, Name: names[len(names)-1].name}
	it.Name, err = p.alias(it.Name)
	return it, err
}

// path reads name {"." name}.
func (p *parser) path(what string) ([]token, error) {
	var names []token
	for {
		t := p.peek()
		if !t.isName() || len(names) == 0 && refused(t) != "" || t.name == "" {
			return nil, p.expected(what)
		}
		names = append(names, p.take())
		if !p.skip(".") {
			return names, nil
		}
		if p.peek().is("*") {
			return nil, errs.Errorf(errs.ErrUnsupported, "SQL: %s.* beside other columns is not answered here; name the columns, or all by * alone", strings.Join(texts(names), "."))
		}
	}
}

// texts returns the names that tokens are.
func texts(names []token) []string {
	out := make([]string, len(names))
	for i, t := range names {
		out[i] = t.name
	}
	return out
}

// pathOf returns the path of names, as package expr resolves it. A name in quotes stays in quotes, so that its case counts.
func pathOf(names []token) string {
	if !slices.ContainsFunc(names, func(t token) bool { return t.kind == tokenQuoted }) {
		return expr.Quote(texts(names)...)
	}
	parts := make([]string, len(names))
	for i, t := range names {
		if parts[i] = expr.Quote(t.name); t.kind == tokenQuoted {
			parts[i] = inQuotes(t.name)
		}
	}
	return strings.Join(parts, ".")
}

func inQuotes(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// clauses are the words that end what comes before them.
var clauses = []string{"from", "where", "limit", "offset", "as", "on", "using"}

// alias reads [[AS] name].
func (p *parser) alias(name string) (string, error) {
	as := p.skip("as")
	t := p.peek()
	word := t.kind == tokenWord && slices.Contains(clauses, strings.ToLower(t.text))
	switch {
	case t.isName() && t.name != "" && (as || !word && refused(t) == ""):
		return p.take().name, nil
	case as:
		return "", p.expected("a name")
	}
	return name, nil
}

func (p *parser) table(s *Select) error {
	if p.peek().is("(") {
		return errs.Errorf(errs.ErrUnsupported, "SQL: a subquery is not answered here: %s", instead)
	}
	names, err := p.path("a dataset")
	if err != nil {
		return err
	}
	s.Table = texts(names)
	if p.peek().is("(") {
		return errs.Errorf(errs.ErrUnsupported, "SQL: the function %s(…) in the place of a dataset is not answered here: %s", names[len(names)-1], instead)
	}
	if len(s.Table) > 3 {
		return errs.Errorf(errs.ErrOption, "SQL: %s has more parts than catalog, schema and dataset", expr.Quote(s.Table...))
	}
	name, err := p.alias("")
	if err != nil {
		return err
	}
	if name != "" {
		s.tables = [][]string{{name}}
	} else {
		for i := range s.Table {
			s.tables = append(s.tables, s.Table[i:])
		}
	}
	if p.peek().is(",") {
		return errs.Errorf(errs.ErrUnsupported, "SQL: several datasets are not answered here: %s", instead)
	}
	if s.of != nil && s.qualifier(append(slices.Clone(s.of), "*")) != len(s.of) {
		return errs.Errorf(errs.ErrOption, "SQL: %s.* names a table other than the one in FROM, %s", expr.Quote(s.of...), expr.Quote(s.tables[0]...))
	}
	return nil
}

// qualifier returns how many names in front of a column's are those of its table.
func (s *Select) qualifier(names []string) int {
	for _, q := range s.tables {
		if len(names) > len(q) && slices.Equal(names[:len(q)], q) {
			return len(q)
		}
	}
	return 0
}

// constant goes past number = number, which clients write for all rows and for none. ok = there was one, and what comes
// behind it lets it be answered: AND behind what is true, the end of the condition otherwise; what is false only if none may be.
func (p *parser) constant(none bool) (truth, ok bool) {
	if len(p.tokens) < 4 || p.tokens[0].kind != tokenNumber || !p.tokens[1].is("=") || p.tokens[2].kind != tokenNumber {
		return false, false
	}
	a, err := strconv.ParseInt(p.tokens[0].text, 10, 64)
	b, err2 := strconv.ParseInt(p.tokens[2].text, 10, 64)
	next := p.tokens[3]
	ends := next.kind == tokenEnd || next.is(";") || next.is("limit") || next.is("offset")
	if err != nil || err2 != nil || a != b && !none || !ends && (a != b || !next.is("and")) {
		return false, false
	}
	p.tokens = p.tokens[3:]
	return a == b, true
}

// where takes the tokens of the condition, which package expr reads.
func (p *parser) where(s *Select) error {
	truth, ok := p.constant(s.All || !s.Items[0].Count) // of a count there is one row in any case
	if s.never = ok && !truth; ok && !p.skip("and") {
		return nil
	}
	depth := 0
	for {
		t := p.peek()
		switch {
		case t.kind == tokenEnd || t.is(";") || depth == 0 && (t.is("limit") || t.is("offset")):
			if len(s.where) == 0 {
				return p.expected("a condition")
			}
			return nil
		case t.is("("):
			depth++
			if next := p.tokens[1]; next.is("select") {
				return errs.Errorf(errs.ErrUnsupported, "SQL: a subquery is not answered here: %s", instead)
			}
		case t.is(")"):
			depth--
		case t.isParam():
			t, err := p.param()
			if err != nil {
				return err
			}
			s.where = append(s.where, t)
			continue
		case t.is("{"):
			if err := p.escape(s); err != nil {
				return err
			}
			continue
		case t.kind == tokenWord && p.tokens[1].is("(") && !slices.Contains(beforeParenthesis, strings.ToLower(t.text)):
			return errs.Errorf(errs.ErrUnsupported, "SQL: %s(…) in a condition is not answered here: %s", strings.ToUpper(t.text), instead)
		case t.kind == tokenWord && refused(t) != "" && !p.tokens[1].is(".") && !p.compares(s):
			return p.expected("a condition")
		}
		s.where = append(s.where, p.take())
	}
}

// beforeParenthesis are the words of conditions that a parenthesis may follow.
var beforeParenthesis = []string{"and", "or", "not", "in", "like", "ilike", "escape", "between", "contains"}

// escapes are those of ODBC and JDBC for literals, with the words of conditions for them.
var escapes = map[string]string{"d": "DATE", "t": "TIME", "ts": "TIMESTAMP"}

// escape reads {d 'text'}.
func (p *parser) escape(s *Select) error {
	at := p.take().at
	word := p.take()
	kind, text := escapes[strings.ToLower(word.text)], p.peek()
	if kind == "" {
		return errs.Errorf(errs.ErrUnsupported, "SQL: {%s …} is not answered here, only {d '…'}, {t '…'} and {ts '…'}: %s", word, instead)
	}
	if text.kind != tokenText {
		return p.expected("a text in quotes")
	}
	s.where = append(s.where, token{kind: tokenWord, text: kind, at: at}, p.take())
	if !p.skip("}") {
		return p.expected("}")
	}
	return nil
}

// compares reports whether the next word is a column, though it has the name of what is refused: it is compared.
func (p *parser) compares(s *Select) bool {
	next := p.tokens[1]
	if n := len(s.where); n > 0 {
		if last := s.where[n-1]; last.is(".") || last.kind == tokenMark && slices.Contains(comparisons, last.text) {
			return true
		}
	}
	return next.kind == tokenMark && slices.Contains(comparisons, next.text) || next.is("is") || next.is("in") || next.is("like") || next.is("ilike") || next.is("[") || next.is("between") || next.is("not")
}

var comparisons = []string{"=", "==", "!=", "<>", "<", "<=", ">", ">="}

func (p *parser) limits(s *Select) error {
	seen := map[string]bool{"limit": s.top}
	for _, word := range []string{"limit", "offset", "limit"} {
		at := p.peek().at
		if !p.skip(word) {
			continue
		}
		if seen[word] {
			return errorAt(p.sql, at, "a second %s", strings.ToUpper(word))
		}
		seen[word] = true
		t := p.peek()
		if t.isParam() {
			t, err := p.param()
			if err != nil {
				return err
			}
			if word == "limit" {
				s.LimitParam = t.param
			} else {
				s.OffsetParam = t.param
			}
			continue
		}
		n, err := strconv.ParseInt(t.text, 10, 64)
		if t.kind != tokenNumber || err != nil {
			return p.expected("a number of rows")
		}
		p.take()
		if word == "limit" {
			s.Limit = n
		} else {
			s.Offset = n
		}
	}
	s.Params = p.params
	return p.end()
}

// unqualify takes the names of the table from the columns that begin with them.
func (s *Select) unqualify() {
	for i := range s.Items {
		it := &s.Items[i]
		it.names = it.names[s.qualifier(texts(it.names)):]
		it.Path = pathOf(it.names)
	}
	var out []token
	for i := 0; i < len(s.where); {
		t := s.where[i]
		if t.isName() && (i == 0 || !s.where[i-1].is(".")) {
			i += 2 * s.qualifier(pathAt(s.where[i:]))
			t = s.where[i]
		}
		out = append(out, t)
		i++
	}
	s.where = out
}

// pathAt returns the names that stand in front of tokens with dots between them.
func pathAt(tokens []token) (names []string) {
	for len(tokens) > 0 && tokens[0].isName() {
		names = append(names, tokens[0].name)
		if len(tokens) < 2 || !tokens[1].is(".") {
			break
		}
		tokens = tokens[2:]
	}
	return names
}
