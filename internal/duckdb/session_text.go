package duckdb

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// sessionStatement is a statement that changes a session, or what the session keeps, by its first words.
type sessionStatement struct {
	kind   sessionKind
	target []string // the table or view that is changed, behind what qualifies it
	name   string   // of a setting, or of a prepared statement, in lower case
	text   string   // the value of a setting; the statement behind PREPARE name AS; the SELECT whose rows go into target
	args   []argument
}

// argument is one of EXECUTE.
type argument struct{ name, text string } // "" = it has no name

type sessionKind uint8

const (
	sessionCreateTable sessionKind = iota + 1
	sessionCreateView
	sessionInsert // from here on to sessionAlter: of a session only if the target is
	sessionUpdate
	sessionDelete
	sessionDrop
	sessionAlter
	sessionSet
	sessionReset
	sessionPrepare
	sessionExecute
	sessionDeallocate
	sessionBegin
	sessionCommit
	sessionRollback
)

// byTarget reports whether the statement is of a session only if there is a temporary table of that name. temp.name is none else.
func (st *sessionStatement) byTarget() bool {
	return sessionInsert <= st.kind && st.kind <= sessionAlter && !(len(st.target) > 1 && strings.EqualFold(st.target[0], "temp"))
}

// OfSession reports whether a statement is one that only a session can do.
func OfSession(sql string) bool {
	st, err := parseSession(sql)
	return err != nil || st != nil && !st.byTarget()
}

// parseSession reads a statement as far as it matters here; nil = it is none of these.
func parseSession(sql string) (*sessionStatement, error) {
	texts := statements(sql)
	if len(texts) == 0 {
		return nil, nil
	}
	p := newWriteParser(texts[0])
	st, err := p.session()
	if st != nil && err == nil && len(texts) > 1 {
		return nil, errs.Errorf(errs.ErrOption, "sql: %d statements, where one is taken", len(texts))
	}
	return st, err
}

func (p *writeParser) session() (*sessionStatement, error) {
	switch p.word() {
	case "create":
		return p.createTemporary()
	case "set", "reset":
		return p.setting()
	case "prepare", "execute", "deallocate":
		return p.named()
	case "begin", "start", "commit", "end", "rollback", "abort":
		return p.transaction()
	}
	return p.targeted()
}

// createTemporary reads CREATE TEMP TABLE and CREATE TEMP VIEW.
func (p *writeParser) createTemporary() (*sessionStatement, error) {
	p.skip("create")
	p.skip("or", "replace")
	if !p.skip("temp") && !p.skip("temporary") {
		return nil, nil
	}
	st := &sessionStatement{}
	switch {
	case p.skip("table"):
		st.kind = sessionCreateTable
	case p.skip("view"):
		st.kind = sessionCreateView
	default:
		return nil, errs.Errorf(errs.ErrOption, "sql: CREATE TEMP %s is refused: a session has temporary tables and views", strings.ToUpper(p.word()))
	}
	p.skip("if", "not", "exists")
	if err := p.qualified(st); err != nil {
		return nil, err
	}
	if p.word() == "(" { // columns, or their names
		p.parenthesis()
	}
	if p.skip("as") {
		st.text = p.sql[p.at[p.i]:]
	}
	return st, nil
}

// parenthesis passes over all that is in the parenthesis that is next.
func (p *writeParser) parenthesis() {
	depth := 0
	for ; p.words[p.i] != ""; p.i++ {
		switch p.words[p.i] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			p.i++
			return
		}
	}
}

// targeted reads a statement that changes a table that there is.
func (p *writeParser) targeted() (*sessionStatement, error) {
	with := ""
	if p.word() == "with" {
		at := p.behindWith()
		if at == 0 {
			return nil, nil
		}
		p.i = at
		with = p.sql[:p.at[at]]
	}
	st := &sessionStatement{}
	switch {
	case p.skip("insert"):
		st.kind = sessionInsert
		_ = p.skip("or", "replace") || p.skip("or", "ignore")
		if !p.skip("into") {
			return nil, nil // ParseWrite says what is wrong
		}
	case p.skip("update"):
		st.kind = sessionUpdate
	case p.skip("delete", "from"), p.skip("truncate", "table"), p.skip("truncate"):
		st.kind = sessionDelete
	case p.skip("drop", "table"), p.skip("drop", "view"):
		st.kind = sessionDrop
		p.skip("if", "exists")
	case p.skip("alter", "table"), p.skip("alter", "view"):
		st.kind = sessionAlter
		p.skip("if", "exists")
	default:
		return nil, nil
	}
	if err := p.qualified(st); err != nil {
		return nil, nil //nolint:nilerr // whoever answers it says what is wrong
	}
	if st.kind == sessionInsert && slices.Contains([]string{"select", "from", "with"}, p.word()) {
		st.text = with + p.sql[p.at[p.i]:]
	}
	return st, nil
}

// behindWith is the place of the statement behind WITH name AS (…), …, if that is INSERT, UPDATE or DELETE; 0 = it is not.
func (p *writeParser) behindWith() int {
	depth := 0
	for i := 0; i+1 < len(p.words); i++ {
		switch p.words[i] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 && p.words[i] == ")" && slices.Contains([]string{"insert", "update", "delete"}, strings.ToLower(p.words[i+1])) {
			return i + 1
		}
	}
	return 0
}

// qualified reads the target.
func (p *writeParser) qualified(st *sessionStatement) error {
	w := &Write{}
	if err := p.table(w); err != nil {
		return err
	}
	st.target = w.Table
	return nil
}

// Settable are the settings that a client may change in its session: they change what values look like, and the order of
// rows, but not what may be read or used.
var Settable = []string{"calendar", "default_null_order", "default_order", "ieee_floating_point_ops", "integer_division", "scalar_subquery_error_on_multiple_rows", "timezone"}

// setting reads SET [SESSION | LOCAL] name [= | TO] value, and RESET name.
func (p *writeParser) setting() (*sessionStatement, error) {
	st := &sessionStatement{kind: sessionSet}
	if p.skip("reset") {
		st.kind = sessionReset
	} else {
		p.skip("set")
	}
	_ = p.skip("session") || p.skip("local")
	if p.skip("time", "zone") { // as standard SQL says it
		st.name = "timezone"
	} else {
		name, ok := p.name()
		if !ok {
			return nil, p.expected("the name of a setting")
		}
		st.name = strings.ToLower(name)
	}
	if err := CheckSettable(st.name); err != nil {
		return nil, err
	}
	if st.kind == sessionSet {
		_ = p.skip("=") || p.skip("to")
		value, ok := p.value()
		if !ok {
			return nil, p.expected("a value: text in quotes, a word or a number")
		}
		st.text = value
	}
	return st, p.atEnd()
}

// CheckSettable returns an error unless a client may change a setting.
func CheckSettable(name string) error {
	if !slices.Contains(Settable, strings.ToLower(name)) {
		return errs.Errorf(errs.ErrOption, "sql: the setting %q cannot be changed: a session may set %s", name, strings.Join(Settable, ", "))
	}
	return nil
}

// value reads a word, a number or a text in quotes.
func (p *writeParser) value() (string, bool) {
	w := p.words[p.i]
	switch {
	case len(w) > 1 && w[0] == '\'' && w[len(w)-1] == '\'':
		w = strings.ReplaceAll(w[1:len(w)-1], "''", "'")
	case len(w) > 2 && w[0] == '"' && w[len(w)-1] == '"':
		w = strings.ReplaceAll(w[1:len(w)-1], `""`, `"`)
	case w == "" || !isWord(w[0]):
		return "", false
	}
	p.i++
	return w, true
}

func (p *writeParser) atEnd() error {
	if p.words[p.i] != "" {
		return p.expected("the end of the statement")
	}
	return nil
}

// named reads PREPARE name AS statement, EXECUTE name[(value, …)] and DEALLOCATE [PREPARE] name.
func (p *writeParser) named() (*sessionStatement, error) {
	st := &sessionStatement{}
	switch {
	case p.skip("prepare"):
		st.kind = sessionPrepare
	case p.skip("execute"):
		st.kind = sessionExecute
	default:
		st.kind = sessionDeallocate
		p.skip("deallocate")
		p.skip("prepare")
	}
	name, ok := p.name()
	if !ok {
		return nil, p.expected("the name of a statement")
	}
	st.name = strings.ToLower(name)
	switch st.kind {
	case sessionPrepare:
		if !p.skip("as") {
			return nil, p.expected("AS, with a statement behind it,")
		}
		if p.words[p.i] == "" {
			return nil, p.expected("a statement")
		}
		st.text = p.sql[p.at[p.i]:]
		return st, nil
	case sessionExecute:
		if err := p.arguments(st); err != nil {
			return nil, err
		}
	}
	return st, p.atEnd()
}

// arguments reads those of EXECUTE: (value, …) or (name := value, …).
func (p *writeParser) arguments(st *sessionStatement) error {
	if !p.skip("(") {
		return nil
	}
	if p.skip(")") {
		return nil
	}
	depth, from := 0, p.i
	for ; p.words[p.i] != ""; p.i++ {
		w := p.words[p.i]
		switch w {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth >= 0 && (depth > 0 || w != ",") {
			continue
		}
		if p.i == from {
			return p.expected("a value")
		}
		st.args = append(st.args, p.argument(from, p.i))
		from = p.i + 1
		if depth < 0 {
			p.i++
			return nil
		}
	}
	return p.expected(")")
}

func (p *writeParser) argument(from, to int) argument {
	a := argument{}
	// := is two tokens here.
	if to-from > 3 && isWord(p.words[from][0]) && p.words[from+1] == ":" && p.words[from+2] == "=" {
		a.name = strings.ToLower(p.words[from])
		from += 3
	}
	a.text = p.sql[p.at[from]:p.at[to]]
	return a
}

// transaction reads BEGIN, COMMIT and ROLLBACK.
func (p *writeParser) transaction() (*sessionStatement, error) {
	st := &sessionStatement{}
	switch {
	case p.skip("begin"), p.skip("start"):
		st.kind = sessionBegin
	case p.skip("commit"), p.skip("end"):
		st.kind = sessionCommit
	case p.skip("rollback"), p.skip("abort"):
		st.kind = sessionRollback
	}
	_ = p.skip("transaction") || p.skip("work")
	return st, p.atEnd()
}
