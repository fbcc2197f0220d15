package main

import (
	"fmt"
	"io"
)

// whereHelp explains the language of --where.
const whereHelp = `--where EXPR keeps the rows for which EXPR is true. Given several times, all of them must be.

Conditions:
  price >= 10, id != 5             = != < <= > >= with a value, or with another column
  paid < price AND NOT closed      AND, OR, NOT, parentheses; a boolean column alone
  city IN ('Bern', 'Basel')        also NOT IN
  day BETWEEN '2024-01-01' AND '2024-01-31'
  name LIKE 'a%', name ILIKE 'A_'  % is any text, _ one character; ILIKE ignores case; ESCAPE '!' makes !% plain
  user.email IS NULL               also IS NOT NULL
  ratio IS NAN                     also IS NOT NAN
  contains(tags, 'new')            a list has an element that equals the value
  tags[0] = 'new'                  an element of a list, counted from 0
  attributes['size'] > 3           the value of a key of a map

Values:
  5, -2.50, 1e3, 'text', TRUE, FALSE, X'00ff'
  DATE '2020-01-31', TIMESTAMP '2020-01-31 10:00:00Z', TIME '10:00', DURATION '1h30m', DOUBLE 'NaN'

Names are words, or any text in double quotes. A name that no column has as it is written is looked for without regard to case.
A number with a point means the nearest value of the column's type. Comparisons with null are null, and null is not true.

docs/filters.md has all of it.
`

func (a *app) helpWhere(w io.Writer) error {
	_, err := fmt.Fprintln(w, rewrap(whereHelp[:len(whereHelp)-1], a.lineWidth()))
	return err
}
