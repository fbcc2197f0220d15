package duckdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Write is a statement that writes the rows of a SELECT into a table:
//
//	CREATE [OR REPLACE] TABLE [IF NOT EXISTS] name "(" column type, … ")" [WITH "(" option = value, … ")"]
//	CREATE [OR REPLACE] TABLE [IF NOT EXISTS] name ["(" column, … ")"] [WITH "(" option = value, … ")"] AS query [WITH [NO] DATA]
//	[WITH …] INSERT INTO name ["(" column, … ")"] [BY NAME | BY POSITION] query
type Write struct {
	Table   []string // its name, behind those that qualify it
	Creates bool     // CREATE TABLE; otherwise rows are inserted
	// Replace and IfNotExists say what becomes of a table that is there; neither: that is an error.
	Replace, IfNotExists bool
	Columns              []string          // in parentheses behind the name; nil = none
	ByName               bool              // the names of Query's columns say where they go
	Options              map[string]string // of WITH, by their names in lower case
	Query                string            // the SELECT
}

// ParseWrite reads a statement; nil = it writes no table, as far as its first words say. Statements that would change tables in
// other ways are refused with what to use instead.
func ParseWrite(sql string) (*Write, error) {
	texts := statements(sql)
	if len(texts) == 0 {
		return nil, nil
	}
	p := newWriteParser(texts[0])
	begun := p.begins()
	if !begun {
		return nil, nil
	}
	if len(texts) > 1 {
		return nil, errs.Errorf(errs.ErrOption, "sql: %d statements, where one is taken", len(texts))
	}
	if p.skip("create") {
		return p.create()
	}
	return p.insert()
}

// instead says, of statements that begin with a word, what to use in their place.
var instead = map[string]string{
	"update":   "UPDATE is refused: datasets are written as a whole; CREATE OR REPLACE TABLE … AS SELECT writes one anew",
	"delete":   "DELETE is refused: datasets are written as a whole; CREATE OR REPLACE TABLE … AS SELECT … WHERE writes the rows that stay",
	"truncate": "TRUNCATE is refused: datasets are written as a whole; CREATE OR REPLACE TABLE … AS SELECT … LIMIT 0 writes no row",
	"merge":    "MERGE is refused: datasets are written as a whole; CREATE OR REPLACE TABLE … AS SELECT writes one anew",
	"alter":    "ALTER is refused: datasets are written as a whole; CREATE OR REPLACE TABLE … AS SELECT writes one with other columns",
	"drop":     "DROP is refused: who runs the server removes datasets, in its storage",
}

// creatable are the words behind CREATE that make no table, and what to use in their place.
var creatable = map[string]string{
	"temp":      temporaryTable,
	"temporary": temporaryTable,
	"view":      "CREATE VIEW is refused: views stand in the config file of the server, in its table [views]",
}

const temporaryTable = "CREATE TEMP TABLE is refused: each statement has a database of its own, which ends with it; use WITH … AS (SELECT …) within the statement"

// writeParser goes through the words of a statement.
type writeParser struct {
	sql   string
	words []string // without blanks; a last one is empty
	at    []int    // where each begins
	i     int
}

func newWriteParser(sql string) *writeParser {
	p := &writeParser{sql: sql}
	at := 0
	for _, t := range lex(sql) {
		if t.kind != blank {
			p.words, p.at = append(p.words, t.text), append(p.at, at)
		}
		at += len(t.text)
	}
	p.words, p.at = append(p.words, ""), append(p.at, at)
	return p
}

// word is the next one, in lower case.
func (p *writeParser) word() string { return strings.ToLower(p.words[p.i]) }

// skip passes over words if they are next.
func (p *writeParser) skip(words ...string) bool {
	for k, w := range words {
		if p.i+k >= len(p.words) || !strings.EqualFold(p.words[p.i+k], w) {
			return false
		}
	}
	p.i += len(words)
	return true
}

func (p *writeParser) expected(what string) error {
	return errs.Errorf(errs.ErrOption, "sql: syntax error at %q: %s is expected", p.words[p.i], what)
}

// begins reports whether the statement writes, or would change, tables.
func (p *writeParser) begins() bool {
	switch w := p.word(); {
	case w == "create" || w == "insert" || instead[w] != "":
		return true
	case w == "with":
		return p.insertAt() > 0
	}
	return false
}

// insertAt is the place of INSERT INTO behind WITH …; 0 = there is none.
func (p *writeParser) insertAt() int {
	depth := 0
	for i := 0; i+1 < len(p.words); i++ {
		switch w := strings.ToLower(p.words[i]); {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case depth == 0 && w == "insert" && strings.EqualFold(p.words[i+1], "into"):
			return i
		}
	}
	return 0
}

// create reads what stands behind CREATE.
func (p *writeParser) create() (*Write, error) {
	w := &Write{Creates: true, Replace: p.skip("or", "replace")}
	if text := creatable[p.word()]; text != "" {
		return nil, errs.Errorf(errs.ErrOption, "sql: %s", text)
	}
	if !p.skip("table") {
		return nil, errs.Errorf(errs.ErrOption, "sql: CREATE %s is refused: CREATE TABLE … AS SELECT makes a dataset", strings.ToUpper(p.word()))
	}
	w.IfNotExists = p.skip("if", "not", "exists")
	if w.Replace && w.IfNotExists {
		return nil, errs.Errorf(errs.ErrOption, "sql: OR REPLACE and IF NOT EXISTS exclude each other")
	}
	if err := p.table(w); err != nil {
		return nil, err
	}
	at := p.i
	if p.word() == "(" && !p.columns(w) {
		p.i = at
		return w, p.typed(w)
	}
	if p.skip("with") {
		if err := p.options(w); err != nil {
			return nil, err
		}
	}
	if !p.skip("as") {
		return nil, p.expected("AS, with a SELECT behind it,")
	}
	return w, p.query(w, "")
}

// constraining are words behind a column's type that a dataset keeps nothing of.
var constraining = []string{"not", "null", "default", "primary", "unique", "check", "references", "foreign", "constraint", "key", "generated", "collate", "using", "as"}

// typed reads (name type, …), as the SELECT of no row that has these columns.
func (p *writeParser) typed(w *Write) error {
	w.Columns = nil
	p.skip("(")
	var items []string
	for {
		name, ok := p.name()
		if !ok {
			return p.expected("the name of a column")
		}
		from, depth := p.i, 0
		for ; p.words[p.i] != "" && (depth > 0 || p.words[p.i] != "," && p.words[p.i] != ")"); p.i++ {
			switch p.words[p.i] {
			case "(":
				depth++
			case ")":
				depth--
			}
			if depth == 0 && slices.Contains(constraining, p.word()) {
				return errs.Errorf(errs.ErrOption, "sql: CREATE TABLE: %s behind the type of %q is refused: columns of datasets have no constraints and no defaults", strings.ToUpper(p.word()), name)
			}
		}
		if p.i == from {
			return p.expected("the type of a column")
		}
		items = append(items, "CAST(NULL AS "+p.sql[p.at[from]:p.at[p.i]]+"\n) AS "+quoteName(name))
		if p.skip(")") {
			break
		}
		if !p.skip(",") {
			return p.expected(", or )")
		}
	}
	if p.skip("with") {
		if err := p.options(w); err != nil {
			return err
		}
	}
	w.Query = "SELECT " + strings.Join(items, ", ") + " LIMIT 0"
	return p.atEnd()
}

// insert reads [WITH …] INSERT INTO ….
func (p *writeParser) insert() (*Write, error) {
	if text := instead[p.word()]; text != "" {
		return nil, errs.Errorf(errs.ErrOption, "sql: %s", text)
	}
	with := ""
	if p.word() == "with" {
		p.i = p.insertAt()
		with = p.sql[:p.at[p.i]]
	}
	w := &Write{}
	p.skip("insert")
	if p.skip("or") {
		return nil, errs.Errorf(errs.ErrOption, "sql: INSERT OR %s is refused: datasets have no keys; use INSERT INTO", strings.ToUpper(p.word()))
	}
	if !p.skip("into") {
		return nil, p.expected("INTO")
	}
	if err := p.table(w); err != nil {
		return nil, err
	}
	if p.word() == "(" {
		switch p.words[min(p.i+1, len(p.words)-1)] {
		case "(": // of a SELECT in parentheses
		default:
			if !p.queryInParentheses() && !p.columns(w) {
				return nil, p.expected("a list of columns")
			}
		}
	}
	if p.skip("default", "values") {
		return nil, errs.Errorf(errs.ErrOption, "sql: DEFAULT VALUES is refused: columns of datasets have no defaults; use VALUES (NULL, …)")
	}
	if !p.skip("by", "position") {
		w.ByName = p.skip("by", "name")
	}
	if w.ByName && w.Columns != nil {
		return nil, errs.Errorf(errs.ErrOption, "sql: INSERT INTO with columns and BY NAME: one of both says where values go")
	}
	return w, p.query(w, with)
}

// queryInParentheses reports whether the parenthesis that is next begins a SELECT.
func (p *writeParser) queryInParentheses() bool {
	return slices.Contains([]string{"select", "from", "with", "values"}, strings.ToLower(p.words[p.i+1])) && strings.ToLower(p.words[p.i+2]) != "," && p.words[p.i+2] != ")"
}

// table reads a name and what qualifies it.
func (p *writeParser) table(w *Write) error {
	for {
		name, ok := p.name()
		if !ok {
			return p.expected("the name of a table")
		}
		w.Table = append(w.Table, name)
		if !p.skip(".") {
			return nil
		}
	}
}

// name reads a word, or a text in double quotes.
func (p *writeParser) name() (string, bool) {
	w := p.words[p.i]
	switch {
	case len(w) > 2 && w[0] == '"' && w[len(w)-1] == '"':
		w = strings.ReplaceAll(w[1:len(w)-1], `""`, `"`)
	case w == "" || !isWord(w[0]) || '0' <= w[0] && w[0] <= '9':
		return "", false
	}
	p.i++
	return w, true
}

// columns reads a list of names; false = it is none.
func (p *writeParser) columns(w *Write) bool {
	p.skip("(")
	for {
		name, ok := p.name()
		if !ok {
			return false
		}
		w.Columns = append(w.Columns, name)
		if p.skip(")") {
			return true
		}
		if !p.skip(",") {
			return false
		}
	}
}

// options reads (name = value, …).
func (p *writeParser) options(w *Write) error {
	w.Options = map[string]string{}
	if !p.skip("(") {
		return p.expected("( with options")
	}
	for {
		name, ok := p.name()
		if !ok || !p.skip("=") {
			return p.expected("name = value")
		}
		value := p.words[p.i]
		if len(value) > 1 && value[0] == '\'' {
			value = strings.ReplaceAll(value[1:len(value)-1], "''", "'")
		} else if value == "" || !isWord(value[0]) {
			return p.expected("a value")
		}
		p.i++
		w.Options[strings.ToLower(name)] = value
		switch {
		case p.skip(")"):
			return nil
		case !p.skip(","):
			return p.expected(", or )")
		}
	}
}

// query takes what is left as the SELECT, behind a WITH that stood in front of the statement.
func (p *writeParser) query(w *Write, with string) error {
	from, to := p.i, len(p.words)-1
	depth := 0
	for i := from; i < to; i++ {
		switch p.words[i] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth != 0 {
			continue
		}
		switch {
		case strings.EqualFold(p.words[i], "returning") && !w.Creates:
			return errs.Errorf(errs.ErrOption, "sql: RETURNING is refused: what is inserted can be selected afterwards")
		case strings.EqualFold(p.words[i], "on") && strings.EqualFold(p.words[i+1], "conflict") && !w.Creates:
			return errs.Errorf(errs.ErrOption, "sql: ON CONFLICT is refused: datasets have no keys")
		}
	}
	none := false
	if w.Creates && to-from > 2 && strings.EqualFold(p.words[to-1], "data") {
		switch {
		case strings.EqualFold(p.words[to-2], "with"):
			to -= 2
		case to-from > 3 && strings.EqualFold(p.words[to-2], "no") && strings.EqualFold(p.words[to-3], "with"):
			to, none = to-3, true
		}
	}
	if from == to {
		return p.expected("a SELECT, or VALUES,")
	}
	w.Query = with + p.sql[p.at[from]:p.at[to]]
	if none {
		w.Query = within(w.Query, "q") + " LIMIT 0"
	}
	return nil
}

// within selects from a query. A comment at its end ends with the line.
func within(query, alias string) string { return "SELECT * FROM (" + query + "\n) AS " + alias }

// Creating returns the SELECT of the rows of a new table; query is Query, or what stands for it, and result is its result.
func (w *Write) Creating(query string, result *arrow.Schema) (string, error) {
	names := w.Columns
	if names == nil {
		for _, f := range result.Fields() {
			names = append(names, f.Name)
		}
	}
	if len(names) != result.NumFields() {
		return "", errs.Errorf(errs.ErrOption, "sql: %d names of columns, and the SELECT has %d columns", len(names), result.NumFields())
	}
	if name := twice(names); name != "" {
		return "", errs.Errorf(errs.ErrOption, "sql: two columns are called %q: give one another name with AS", name)
	}
	if w.Columns == nil {
		return query, nil
	}
	return within(query, "q ("+quoteNames(names)+")"), nil
}

// twice returns a name that another differs from in case alone, or not at all; "" = none.
func twice(names []string) string {
	for i, n := range names {
		if slices.ContainsFunc(names[:i], func(m string) bool { return strings.EqualFold(m, n) }) {
			return n
		}
	}
	return ""
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return strings.Join(quoted, ", ")
}

// Inserting returns a SELECT of the rows that are inserted into a table: columns of the table, as far as the statement has
// values for them, of types that become those of the table. A value that would be another then is an error. query and result are those
// of Creating.
func (w *Write) Inserting(query string, result *arrow.Schema, table []arrow.Field) (string, error) {
	targets, err := w.targets(result, table)
	if err != nil {
		return "", err
	}
	from := make([]string, len(targets)) // names of Query's columns may be any, and the same
	items := make([]string, len(targets))
	bound := slices.ContainsFunc(lex(query), func(t token) bool { return t.kind == parameter || t.text == quoteName(ValuesTable) })
	for i, f := range targets {
		kind, err := typeText(f.Type)
		if err != nil {
			return "", errs.Errorf(errs.ErrUnsupported, "sql: column %q: %w", f.Name, err)
		}
		from[i] = fmt.Sprintf("c%d", i)
		items[i] = exactly(from[i], result.Field(i).Type, f, kind, bound) + " AS " + quoteName(f.Name)
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (" + query + "\n) AS q (" + quoteNames(from) + ")", nil
}

// targets returns the field of a table that each column of the query goes to.
func (w *Write) targets(result *arrow.Schema, table []arrow.Field) ([]arrow.Field, error) {
	names := w.Columns
	if w.ByName {
		for _, f := range result.Fields() {
			names = append(names, f.Name)
		}
	}
	targets := table
	if names != nil {
		targets = nil
		for _, n := range names {
			i := fieldCalled(table, n)
			if i < 0 {
				return nil, errs.Errorf(errs.ErrOption, "sql: the dataset has no column %q to insert into", n)
			}
			targets = append(targets, table[i])
		}
		if name := twice(names); name != "" {
			return nil, errs.Errorf(errs.ErrOption, "sql: two values for the column %q", name)
		}
	}
	if len(targets) != result.NumFields() {
		return nil, errs.Errorf(errs.ErrOption, "sql: %d columns are inserted into, and the SELECT has %d", len(targets), result.NumFields())
	}
	return targets, nil
}

// fieldCalled returns the place of a name: as it is written, or in another case where one alone fits; -1 = there is none.
func fieldCalled(fields []arrow.Field, name string) int {
	found := -1
	for i, f := range fields {
		switch {
		case f.Name == name:
			return i
		case strings.EqualFold(f.Name, name) && found < 0:
			found = i
		case strings.EqualFold(f.Name, name):
			found = -2
		}
	}
	return max(found, -1)
}

// ValuesTable is the name of the table of the values of parameters, in what OfAll returns. No dataset is called so.
const ValuesTable = "(values)"

// ValuesColumn is the name of a column of it.
func ValuesColumn(i int) string { return fmt.Sprintf("p%d", i) }

// OfAll returns a SELECT of the rows that Query, VALUES of one row with so many parameters, returns for each row of ValuesTable;
// "" = Query is another, or its parameters have names.
func (w *Write) OfAll(parameters int) string {
	p := newWriteParser(w.Query)
	if !p.skip("values", "(") {
		return ""
	}
	from, depth := p.i, 1
	for ; p.words[p.i] != ""; p.i++ {
		switch p.word() {
		case "select", "from", "values", "table", "default":
			return "" // of a query inside of it, perhaps
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if p.words[p.i] != ")" || p.words[p.i+1] != "" {
		return ""
	}
	items := p.sql[p.at[from]:p.at[p.i]]
	var b strings.Builder
	next := 0
	for _, t := range lex(items) {
		if t.kind != parameter {
			b.WriteString(t.text)
			continue
		}
		i := next
		if t.text == "?" {
			next++
		} else if n, err := strconv.Atoi(t.text[1:]); err == nil {
			i = n - 1
		} else {
			return ""
		}
		if i < 0 || i >= parameters {
			return ""
		}
		b.WriteString(" " + quoteName(ValuesColumn(i)) + " ")
	}
	return "SELECT " + b.String() + "\nFROM " + quoteName(ValuesTable)
}
