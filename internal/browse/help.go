package browse

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Help is the list of keys.
const Help = `Everywhere
  1 2 3 4, Tab       Overview, Columns, Layout, Rows
  ↑ ↓ j k            up and down
  PgUp PgDn, b Space a page up and down
  Home End, g G      first and last line
  ← → h l            columns to the left and right
  Enter              more about what is under the cursor
  [ ] o              file before, next file, list of files
  y                  show the command line for what is seen, and copy it
  ? q                this help, leave
  Esc                stop what is going on, or go back, or leave
  Ctrl-C             leave

Columns and Layout
  s S                sort by the next column, turn the order around
  Enter              statistics and blocks of a column; rows of a stripe
  x                  bytes of a stripe

Rows
  :                  go to a row; rows are counted from 0, as by --rows
  /  n  N            search text in the columns that are shown, next, previous; without capitals, case does not matter
  f                  filter, in the language of --where; empty = all rows
  s                  sort by the column under the cursor, descending, not: only the rows that were read, at most 1,000
  c  -               choose columns, hide the column under the cursor
  0  $               first column, last column
  z                  columns that stay on the left: one, two, none
  Enter              the whole record; Enter again: the whole value

Bytes
  > <                next bytes, bytes before
`

func (m *Model) help() tea.Cmd {
	m.push(&overlay{title: "keys", text: strings.Split(strings.TrimRight(Help, "\n"), "\n")})
	return nil
}
