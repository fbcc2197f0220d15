package duckdb

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"", nil},
		{" ; -- no ; more\n ; /* ; /* ; */ ; */", nil},
		{"select 1", []string{"select 1"}},
		{"select ';' ; select \";\"\"\"", []string{"select ';' ", ` select ";"""`}},
		{`select e'\';'; select ''';'`, []string{`select e'\';'`, " select ''';'"}},
		{"select $$;$$; select $a$;$$;$a$", []string{"select $$;$$", " select $a$;$$;$a$"}},
		{"select 'open; ended", []string{"select 'open; ended"}},
		{"select a$b; select 1 --;", []string{"select a$b", " select 1 --;"}},
	} {
		if got := statements(c.sql); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.sql, got, c.want)
		}
	}
}

func TestParameters(t *testing.T) {
	values := map[string]string{"a": "it's", "b": "-5", "c": "01", "d": "true", "e": "'7'", "1": "2.5"}
	const sql = `select $a, 3-$b, $c, $d, $e, $1, '$a', "$a", $$ $a $$, x$a, $other -- $a`
	const want = `select 'it''s', 3-(-5), '01',  true , '7', (2.5), '$a', "$a", $$ $a $$, x$a, $other -- $a`
	if got, err := Parameters(sql, values); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := Parameters("select '$a'", map[string]string{"a": ""}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("a value without a parameter: %v", err)
	}
}

// What is cut apart is all there is.
func FuzzLex(f *testing.F) {
	for _, s := range []string{"select $a", "'", "\"", "$", "$$", "$a$", "/*", "/*/", "--", "e'\\", "1$1", "/* /* */"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		var b strings.Builder
		for _, tok := range lex(sql) {
			if tok.text == "" {
				t.Fatal("an empty token")
			}
			b.WriteString(tok.text)
		}
		if b.String() != sql {
			t.Errorf("%q became %q", sql, b.String())
		}
	})
}
