package icebergcatalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Table is a table of a REST catalog that is to be created or changed.
type Table struct {
	s    *server
	name []string
	lend Lend
}

// Errors of Commit, which errors.Is finds.
var (
	// ErrConflict: the table is not in the state that the change begins with.
	ErrConflict = errors.New("somebody else has changed the table")
	// ErrUnknown: nobody knows whether the change was made.
	ErrUnknown = errors.New("the catalog did not say whether it has changed the table")
)

// Change returns a table of the catalog, which must be a REST catalog. name, most and lend are those of Table.
func (p Properties) Change(ctx context.Context, name string, most int64, lend Lend) (*Table, error) {
	parts, err := split(name)
	if err != nil {
		return nil, err
	}
	if kind := p.kind(); kind != "rest" {
		return nil, errs.Errorf(errs.ErrUnsupported, "tables of catalogs of type %.40q are not written, only those of rest, sql and hive catalogs and of directories", kind)
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	s, err := p.connect(ctx, most)
	if err != nil {
		return nil, err
	}
	return &Table{s, parts, lend}, nil
}

// lent hands on how the files of the table are asked for.
func (t *Table) lent(a *answered) error {
	loans, err := a.loans(t.s.storage)
	if err != nil {
		return err
	}
	return lendAll(t.lend, loans, func(ctx context.Context) ([]Loan, error) {
		var now answered
		if err := t.ask(ctx, http.MethodGet, t.s.table(t.name), nil, &now); err != nil {
			return nil, err
		}
		return now.loans(t.s.storage)
	})
}

// Load returns the metadata of the table, and where they are. fs.ErrNotExist = there is no such table.
func (t *Table) Load(ctx context.Context) (metadata []byte, location string, err error) {
	var out answered
	err = t.ask(ctx, http.MethodGet, t.s.table(t.name), nil, &out)
	if err == nil {
		err = t.lent(&out)
	}
	var status *StatusError
	if errors.As(err, &status) && status.Code == http.StatusNotFound {
		return nil, "", fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return out.Metadata, out.Location, err
}

// Stage returns the metadata of a table that does not exist before it is committed. what is the JSON of CreateTableRequest, without a
// name.
func (t *Table) Stage(ctx context.Context, what map[string]any) (metadata []byte, err error) {
	what["name"], what["stage-create"] = t.name[len(t.name)-1], true
	var out answered
	if err = t.ask(ctx, http.MethodPost, t.s.tables(t.name), what, &out); err == nil {
		err = t.lent(&out)
	}
	return out.Metadata, err
}

// Commit changes the table, or creates it. requirements and updates are those of the protocol. Cancelling ctx does not end a request that was
// sent, since nobody would then know what came of it.
func (t *Table) Commit(ctx context.Context, requirements, updates []any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	last := len(t.name) - 1
	body := map[string]any{
		"identifier":   map[string]any{"namespace": t.name[:last], "name": t.name[last]},
		"requirements": requirements, "updates": updates,
	}
	var out struct{} // the new metadata, which may be large
	err := t.ask(context.WithoutCancel(ctx), http.MethodPost, t.s.table(t.name), body, &out)
	if err == nil {
		return nil
	}
	var status *StatusError
	var known *errs.Error
	switch {
	case errors.As(err, &status) && status.Code == http.StatusConflict:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case errors.As(err, &status) && status.Code < http.StatusInternalServerError:
		return err
	case errors.As(err, &status) && status.Code == http.StatusNotImplemented:
		return err
	case status == nil && errors.As(err, &known) && known.Kind == errs.ErrOption: // it was not sent
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}

// ask makes a request, and another one if the token is no longer valid and there is a credential for a new one.
func (t *Table) ask(ctx context.Context, method, at string, what, to any) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	var body []byte
	if what != nil {
		var err error
		if body, err = json.Marshal(what); err != nil {
			return err
		}
	}
	err := t.s.ask(ctx, method, at, body, to)
	var status *StatusError
	if !errors.As(err, &status) || status.Code != http.StatusUnauthorized || t.s.props["credential"] == "" {
		return err
	}
	if err := t.s.authorise(ctx); err != nil {
		return err
	}
	return t.s.ask(ctx, method, at, body, to)
}
