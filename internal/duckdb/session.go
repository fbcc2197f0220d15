//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Bounds on what a session keeps beside its tables.
const (
	maxKept      = 256     // prepared statements and views
	maxKeptBytes = 1 << 20 // of their texts
)

// Session is a database in memory for the statements of one client, one after the other. Temporary tables and views, settings of
// Settable, prepared statements and transactions stay from one to the next. Its methods must not be called at the same time, nor
// while Rows of it are open.
type Session struct {
	db       *DB
	prepared map[string]string // by their names in lower case
	views    map[string]string

	mu       sync.Mutex
	listed   []Temporary
	unlisted bool // listed is not what there is
	remade   bool // by statements of the transaction that has begun
}

// NewSession opens the database of a session, for statements of strangers.
func NewSession(o Options) (*Session, error) {
	o.Guarded, o.Session = true, true
	db, err := Open(o)
	if err != nil {
		return nil, err
	}
	return &Session{db: db, prepared: map[string]string{}, views: map[string]string{}}, nil
}

// Close ends the session.
func (s *Session) Close() { s.db.Close() }

// Show sets Options.Views, Options.Defined and Options.ListDefined for the next statement.
func (s *Session) Show(views []string, defined []View, list bool) {
	s.db.o.Views, s.db.o.Defined, s.db.o.ListDefined = views, defined, list
}

// Begun reports whether a transaction has begun and not ended.
func (s *Session) Begun() bool { return s.db.begun }

// Resolved returns the statement behind EXECUTE, or else sql.
func (s *Session) Resolved(sql string) (string, error) {
	st, err := parseSession(sql)
	if err != nil || st == nil || st.kind != sessionExecute {
		return sql, err
	}
	text, ok := s.prepared[st.name]
	if !ok {
		return "", errs.Errorf(errs.ErrOption, "sql: EXECUTE %s: this session has no prepared statement of that name", st.name)
	}
	return filled(st.name, text, st.args)
}

// Changes reports whether a statement, as Resolved returns it, changes the session: then Change does it, and there are no rows.
func (s *Session) Changes(ctx context.Context, sql string) (bool, error) {
	st, err := s.changing(ctx, sql)
	return st != nil, err
}

func (s *Session) changing(ctx context.Context, sql string) (*sessionStatement, error) {
	st, err := parseSession(sql)
	if err != nil || st == nil || !st.byTarget() {
		return st, err
	}
	tables, err := s.temporary(ctx)
	if err != nil || !st.temporary(tables) {
		return nil, err
	}
	return st, nil
}

// Describe is DB.Describe, also of statements that change the session, which have no columns.
func (s *Session) Describe(ctx context.Context, sql string) (*Description, error) {
	st, err := s.changing(ctx, sql)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return s.db.Describe(ctx, sql)
	}
	if st.prepares() == 0 {
		return &Description{Result: noColumns, Parameters: noColumns}, nil
	}
	d, err := s.db.describeAs(ctx, sql, st.prepares())
	if err != nil {
		return nil, err
	}
	d.Result = noColumns
	return d, nil
}

// Query is DB.Query.
func (s *Session) Query(ctx context.Context, sql string) (*Rows, error) { return s.db.Query(ctx, sql) }

// temporary reports whether the target is one of the tables.
func (st *sessionStatement) temporary(tables []Temporary) bool {
	last := len(st.target) - 1
	above := strings.ToLower(strings.Join(st.target[:last], "."))
	return (above == "" || above == "main" || above == "temp" || above == "temp.main") &&
		slices.ContainsFunc(tables, func(t Temporary) bool { return strings.EqualFold(t.Name, st.target[last]) })
}

// prepares is the type that DuckDB gives the statement; 0 = DuckDB does not see it as it is.
func (st *sessionStatement) prepares() statementType {
	switch st.kind {
	case sessionCreateTable, sessionCreateView:
		return statementCreate
	case sessionInsert:
		return statementInsert
	case sessionUpdate:
		return statementUpdate
	case sessionDelete:
		return statementDelete
	case sessionDrop:
		return statementDrop
	case sessionAlter:
		return statementAlter
	}
	return 0
}

// Change does a statement that changes the session, and returns how many rows of a table it has changed.
func (s *Session) Change(ctx context.Context, sql string) (int64, error) {
	st, err := s.changing(ctx, sql)
	if err != nil {
		return 0, err
	}
	if st == nil {
		return 0, errs.Errorf(errs.ErrOption, "sql: the statement changes no temporary table and no setting of the session")
	}
	rows, err := s.change(ctx, sql, st)
	s.relist(ctx, st, err)
	return rows, err
}

func (s *Session) change(ctx context.Context, sql string, st *sessionStatement) (int64, error) {
	switch st.kind {
	case sessionSet:
		return 0, s.Set(st.name, st.text)
	case sessionReset:
		return 0, s.db.reset(st.name)
	case sessionPrepare:
		return 0, s.prepare(ctx, st)
	case sessionDeallocate:
		if _, ok := s.prepared[st.name]; !ok {
			return 0, errs.Errorf(errs.ErrOption, "sql: DEALLOCATE %s: this session has no prepared statement of that name", st.name)
		}
		delete(s.prepared, st.name)
		return 0, nil
	case sessionBegin, sessionCommit, sessionRollback:
		return 0, s.transact(st.kind)
	case sessionCreateView:
		if err := s.room(st.target[len(st.target)-1], st.text); err != nil {
			return 0, err
		}
	}
	if returns(sql) {
		return 0, errs.Errorf(errs.ErrOption, "sql: RETURNING is refused: what is changed can be selected")
	}
	rows, err := s.db.change(ctx, sql, st.text, st.prepares())
	if err == nil && st.kind == sessionCreateView {
		s.views[strings.ToLower(st.target[len(st.target)-1])] = st.text
		s.around()
	}
	return rows, err
}

// around tells the database what views of the session may name.
func (s *Session) around() {
	var b strings.Builder
	for _, text := range s.views {
		b.WriteString(text + "\n")
	}
	s.db.around = b.String()
}

// returns reports whether a statement may have a RETURNING clause.
func returns(sql string) bool {
	depth := 0
	for _, w := range words(sql) {
		switch {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case depth == 0 && strings.EqualFold(w, "returning"):
			return true
		}
	}
	return false
}

// room returns an error if one more text cannot be kept.
func (s *Session) room(name, text string) error {
	bytes := len(name) + len(text)
	for _, m := range []map[string]string{s.prepared, s.views} {
		for n, t := range m {
			bytes += len(n) + len(t)
		}
	}
	if len(s.prepared)+len(s.views) >= maxKept || bytes > maxKeptBytes {
		return errs.Errorf(errs.ErrLimit, "sql: a session keeps at most %d prepared statements and views, with %d bytes of text", maxKept, maxKeptBytes)
	}
	return nil
}

// prepare keeps a statement, once it is known to be one that this session would do.
func (s *Session) prepare(ctx context.Context, st *sessionStatement) error {
	inner, err := parseSession(st.text)
	if err != nil {
		return err
	}
	if inner != nil && inner.prepares() == 0 {
		return errs.Errorf(errs.ErrOption, "sql: PREPARE takes a statement that reads rows, or changes a temporary table")
	}
	if _, err := s.Describe(ctx, st.text); err != nil {
		return err
	}
	if err := s.room(st.name, st.text); err != nil {
		return err
	}
	s.prepared[st.name] = st.text
	return nil
}

// transact begins or ends a transaction.
func (s *Session) transact(kind sessionKind) error {
	switch {
	case kind == sessionBegin && s.db.begun:
		return errs.Errorf(errs.ErrOption, "sql: a transaction has begun already")
	case kind == sessionBegin:
		if err := s.db.run("BEGIN TRANSACTION"); err != nil {
			return err
		}
		s.db.begun = true
		return nil
	case !s.db.begun:
		return errs.Errorf(errs.ErrOption, "sql: no transaction has begun")
	}
	s.db.begun = false
	if kind == sessionRollback {
		return s.db.run("ROLLBACK")
	}
	err := s.db.run("SELECT 1") // it fails where an error has ended the transaction, of which DuckDB's COMMIT says nothing
	if err == nil {
		err = s.db.run("COMMIT")
	}
	if err != nil {
		_ = s.db.run("ROLLBACK") // it may have ended
	}
	return err
}

// Set changes a setting of Settable.
func (s *Session) Set(name, value string) error {
	if err := CheckSettable(name); err != nil {
		return err
	}
	return s.db.run("SET " + quoteName(strings.ToLower(name)) + " = " + quote(value))
}

func (d *DB) reset(name string) error {
	if name == "timezone" {
		return d.run(setUp[0])
	}
	return d.run("RESET " + quoteName(name))
}

// Settings returns those of Settable.
func (s *Session) Settings() (map[string]string, error) {
	out := map[string]string{}
	for _, name := range Settable {
		value, err := s.db.text("SELECT current_setting(" + quote(name) + ")::VARCHAR")
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

// changed is how many rows a statement has changed.
func (r *Rows) changed() int64 {
	if r.as != statementCreate {
		return int64(C.duckdb_rows_changed(&r.result.result))
	}
	text := C.duckdb_value_varchar(&r.result.result, 0, 0) // NULL = it has no SELECT
	defer C.duckdb_free(unsafe.Pointer(text))
	if text == nil {
		return 0
	}
	n, _ := strconv.ParseInt(C.GoString(text), 10, 64)
	return n
}

// change runs one statement of a type to its end. The filters of query, which is a part of it, reach its tables.
func (d *DB) change(ctx context.Context, sql, query string, as statementType) (rows int64, err error) {
	r, err := d.begin(ctx)
	if err != nil {
		return 0, err
	}
	r.as = as
	defer func() { err = errors.Join(err, r.Close()) }()
	list, _, err := d.extract(sql)
	if err != nil {
		return 0, err
	}
	defer C.duckdb_destroy_extracted(&list)
	r.listViews()
	if err := r.define(sql); err != nil {
		return 0, err
	}
	own := !d.begun
	if own {
		if err := d.run("BEGIN TRANSACTION"); err != nil {
			return 0, err
		}
	}
	if query != "" {
		if err := r.q.push(query); err != nil {
			return 0, err
		}
	}
	if err := r.prepare(list, 0); err != nil {
		return 0, r.explained(err)
	}
	if err := r.execute(false); err != nil {
		return 0, err
	}
	rows = r.changed()
	r.end()
	if own {
		err = d.run("COMMIT")
	}
	return rows, err
}

// filled is the text of a prepared statement with arguments in the places of its parameters.
func filled(name, text string, args []argument) (string, error) {
	byName := map[string]string{}
	for i, a := range args {
		if a.name == "" {
			a.name = strconv.Itoa(i + 1)
		}
		byName[a.name] = a.text
	}
	used := map[string]bool{}
	next := 0
	var b strings.Builder
	for _, t := range lex(text) {
		if t.kind != parameter {
			b.WriteString(t.text)
			continue
		}
		of := strings.ToLower(t.text[1:])
		if t.text == "?" {
			next++
			of = strconv.Itoa(next)
		}
		value, ok := byName[of]
		if !ok {
			return "", errs.Errorf(errs.ErrOption, "sql: EXECUTE %s: parameter %s has no value", name, of)
		}
		used[of] = true
		b.WriteString(" (" + value + "\n) ") // a comment ends with its line
	}
	if len(used) != len(args) {
		return "", errs.Errorf(errs.ErrOption, "sql: EXECUTE %s: %d values for %d parameters", name, len(args), len(used))
	}
	return b.String(), nil
}
