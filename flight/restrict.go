package flight

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/auth"
)

// Restriction narrows what some clients may read of some datasets; see auth.Restriction. In its filter the text '{client}' stands
// for the name of the client, and in a list behind IN '{roles}' for its roles: "owner = '{client}' OR team IN ('{roles}')".
type Restriction = auth.Restriction

// Texts in the filter of a Restriction.
const (
	clientText = "{client}"
	rolesText  = "{roles}"
)

// parseRestrictions parses the filters; nil = there is none.
func parseRestrictions(list []Restriction) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(list))
	for i, r := range list {
		if r.Where == "" {
			continue
		}
		e, err := expr.Parse(r.Where)
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "a restriction of %v: where: %w", r.Datasets, err)
		}
		if _, ok := filled(e, Client{}); !ok {
			return nil, errs.Errorf(errs.ErrOption, "a restriction of %v: where: '%s' is compared by = and !=, and within IN, and '%s' stands within IN", r.Datasets, clientText, rolesText)
		}
		out[i] = e
	}
	return out, nil
}

// filled returns e with what the client is in place of the texts that stand for it. Where the client has no name, or no role, a
// comparison is null, and so is what is made of it by NOT. ok = false: a text stands where it cannot be replaced.
func filled(e expr.Expr, c Client) (out expr.Expr, ok bool) {
	switch x := e.(type) {
	case expr.Compare:
		switch {
		case isText(x.Value, rolesText), isText(x.Value, clientText) && x.Op != expr.Eq && x.Op != expr.Ne:
			return e, false
		case isText(x.Value, clientText):
			x.Value = nameOf(c)
		}
		return x, true
	case expr.In:
		var values []scalar.Scalar
		for _, v := range x.Values {
			switch {
			case isText(v, clientText):
				values = append(values, nameOf(c))
			case isText(v, rolesText) && len(c.Roles) == 0:
				values = append(values, nameOf(Client{}))
			case isText(v, rolesText):
				for _, r := range c.Roles {
					values = append(values, scalar.NewStringScalar(r))
				}
			default:
				values = append(values, v)
			}
		}
		x.Values = values
		return x, true
	case expr.Contains:
		return e, !isText(x.Value, clientText) && !isText(x.Value, rolesText)
	case expr.Like:
		return e, x.Pattern != clientText && x.Pattern != rolesText
	case expr.Not:
		x.X, ok = filled(x.X, c)
		return x, ok
	case expr.And:
		list, ok := filledAll(x, c)
		return expr.And(list), ok
	case expr.Or:
		list, ok := filledAll(x, c)
		return expr.Or(list), ok
	}
	return e, true
}

func filledAll(list []expr.Expr, c Client) (out []expr.Expr, ok bool) {
	for _, e := range list {
		f, ok := filled(e, c)
		if !ok {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}

func isText(v scalar.Scalar, text string) bool {
	s, ok := v.(*scalar.String)
	return ok && s.Valid && s.String() == text
}

// nameOf returns the client's name as a value, null where it has none.
func nameOf(c Client) scalar.Scalar {
	if c.Name == "" {
		return scalar.MakeNullScalar(arrow.BinaryTypes.String)
	}
	return scalar.NewStringScalar(c.Name)
}

// Shares implements Restrictor.
func (a *Access) Shares(_ context.Context, c *Call, dataset string) ([]Share, error) {
	var out []Share
	for _, i := range a.a.Restrictions(identity(c), dataset) {
		s := Share{Columns: a.restrictions[i].Columns}
		if e := a.where[i]; e != nil {
			s.Where, _ = filled(e, c.Client) // it could be, when the restriction was made
		}
		out = append(out, s)
	}
	return out, nil
}

// CheckRestrictions returns an error if a restriction does not fit a dataset of a catalog: it names columns that the dataset does not
// have.
func (a *Access) CheckRestrictions(ctx context.Context, c *Catalog) error {
	for _, name := range c.Names() {
		for i, r := range a.restrictions {
			if !r.Names(name) {
				continue
			}
			e, err := c.Lookup(ctx, name, nil)
			if err != nil && c.broken(name) {
				continue // what it has is looked at when it is read
			}
			if err != nil {
				return err
			}
			s := Share{Columns: r.Columns}
			if a.where[i] != nil {
				s.Where, _ = filled(a.where[i], Client{Name: "x", Roles: []string{"x"}})
			}
			for _, column := range r.Columns {
				if ids, err := expr.Resolve(e.Schema, column); err != nil || slices.Contains(ids, -1) || expr.Numbered(column) {
					return errs.Errorf(errs.ErrOption, "a restriction of %s: there is no column %s, or it cannot be named so", name, column)
				}
			}
			if _, err := e.shared([]Share{s}); err != nil {
				return errs.Errorf(errs.ErrOption, "a restriction of %s: %w", name, err)
			}
		}
	}
	return nil
}
