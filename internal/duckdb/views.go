//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// ViewError is why a view of Options.Defined cannot be made.
type ViewError struct {
	View string
	Err  error
}

func (e *ViewError) Error() string { return fmt.Sprintf("the view %s: %v", e.View, e.Err) }

func (e *ViewError) Unwrap() error { return e.Err }

// SQLView returns the name of the view.
func (e *ViewError) SQLView() string { return e.View }

// define makes the views of o.Defined that a statement may name, and those that these may name. Why one cannot be made is r.undefined:
// the statement may not need it.
func (r *Rows) define(statement string) error {
	q := r.q
	if q.db.defined {
		r.undefined = q.db.undefined
		return nil
	}
	pending := namedIn(statement+"\n"+q.db.around, q.db.o.Defined)
	if q.db.o.ListDefined {
		pending = q.db.o.Defined
	}
	var temporary []string
	if q.db.o.Session && len(pending) > 0 {
		all, err := q.db.temporary()
		if err != nil {
			return err
		}
		for _, t := range all {
			temporary = append(temporary, t.Name)
		}
	}
	for len(pending) > 0 {
		var left []View
		var first error // of a view
		why := map[string]error{}
		for _, v := range pending {
			if q.ctx.Err() != nil {
				return context.Cause(q.ctx)
			}
			sql, err := q.db.outside(v.SQL, temporary)
			if err == nil {
				err = q.db.run("CREATE VIEW " + quoteName(v.Name) + " AS " + sql)
			}
			q.mu.Lock()
			if err != nil && q.err != nil {
				err = q.err // which DuckDB only has the text of
			}
			q.err = nil
			q.mu.Unlock()
			if err == nil {
				r.made = append(r.made, v.Name)
				continue
			}
			left = append(left, v)
			why[v.Name] = err
			if first == nil {
				first = &ViewError{v.Name, err}
			}
		}
		if len(left) == len(pending) { // they do not wait for each other
			r.undefined = circular(left, why, first)
			break
		}
		pending = left
	}
	q.db.defined, q.db.undefined = q.db.o.Guarded && !q.db.o.Session, r.undefined
	return nil
}

// circular returns an error that says so if views cannot be made because the first reads itself, by way of others perhaps; otherwise err.
// why says of each why it cannot be.
func circular(views []View, why map[string]error, err error) error {
	var way []string
	for at := views[0].Name; !slices.Contains(way, at); {
		way = append(way, at)
		missing := slices.IndexFunc(views, func(v View) bool {
			return strings.HasSuffix(strings.ToLower(why[at].Error()), strings.ToLower(fmt.Sprintf("there is no dataset %q", v.Name)))
		})
		if missing < 0 {
			return err
		}
		at = views[missing].Name
		if i := slices.Index(way, at); i >= 0 {
			circle := append(way[i:], at)
			return &ViewError{circle[0], errs.Errorf(errs.ErrOption, "views read each other in a circle: %s", strings.Join(circle, ", "))}
		}
	}
	return err
}

// outside is the function outside, of the temporary tables of a session.
func (d *DB) outside(sql string, temporary []string) (string, error) {
	if !slices.ContainsFunc(temporary, func(name string) bool { return mentions(sql, name) }) {
		return sql, nil
	}
	parsed, err := d.text("SELECT json_serialize_sql(" + quote(sql) + ")")
	if err != nil {
		return "", err
	}
	return outside(sql, parsed, d.o.Catalog, temporary)
}

// namedIn returns the views whose names stand in a statement, and those that stand in these.
func namedIn(statement string, views []View) []View {
	var out []View
	texts := []string{statement}
	for len(texts) > 0 {
		text := texts[0]
		texts = texts[1:]
		for _, v := range views {
			if !slices.Contains(out, v) && mentions(text, v.Name) {
				out = append(out, v)
				texts = append(texts, v.SQL)
			}
		}
	}
	return out
}

// mentions reports whether a name may stand in a text, in any case.
func mentions(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	for at := 0; ; at++ {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !ofWord(before) && !ofWord(after) {
			return true
		}
	}
}

func ofWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// explained is why a statement cannot be prepared: because of a view, perhaps.
func (r *Rows) explained(err error) error {
	if err != nil && r.undefined != nil {
		return r.undefined
	}
	return err
}

// CheckViews returns an error unless each text is one SELECT, as far as that can be told without the tables that it reads.
func CheckViews(views map[string]string) error {
	if len(views) == 0 {
		return nil
	}
	db, err := Open(Options{Known: func(string) bool { return false }, Memory: 64 << 20, Threads: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	for _, name := range slices.Sorted(maps.Keys(views)) {
		err := CheckView(views[name])
		if err == nil {
			err = db.checkSelect(views[name])
		}
		if err != nil {
			return &ViewError{name, err}
		}
	}
	return nil
}

// checkSelect returns an error if DuckDB cannot parse a text, or if that is no SELECT.
func (d *DB) checkSelect(sql string) error {
	text, err := d.text("SELECT json_serialize_sql(" + quote(sql) + ")")
	if err != nil {
		return err
	}
	var parsed struct {
		Error   bool   `json:"error"`
		Type    string `json:"error_type"`
		Message string `json:"error_message"`
	}
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		return errs.Errorf(errs.ErrInternal, "sql: json_serialize_sql: %w", err)
	}
	switch {
	case !parsed.Error:
		return nil
	case strings.HasPrefix(parsed.Message, "Only SELECT statements"):
		return errs.Errorf(errs.ErrOption, "sql: it is no SELECT")
	case parsed.Type == "parser" || parsed.Type == "syntax":
		return errs.Errorf(errs.ErrOption, "sql: %s", oneLine(parsed.Message))
	}
	return nil // it may be one that is made of several
}

// CheckView returns an error unless a text is one statement, of functions that are not refused.
func CheckView(text string) error {
	switch texts := statements(text); {
	case len(texts) != 1:
		return errs.Errorf(errs.ErrOption, "sql: %d statements, where a view is one SELECT", len(texts))
	}
	return refusedFunction(text)
}
