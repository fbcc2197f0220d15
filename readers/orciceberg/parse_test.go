package orciceberg_test

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio/expr"
)

func parse(t testing.TB, text string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
