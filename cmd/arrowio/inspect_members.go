package main

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// printMembers prints what a directory holds and how to open each of it.
func printMembers(w sheet, members []arrowio.MemberInfo) error {
	rows := make([][]string, len(members))
	for i, m := range members {
		var open []string
		for _, c := range m.Open {
			open = append(open, "--"+c.Option+" "+quoted(c.Value))
		}
		rows[i] = []string{
			m.Kind, m.Name, m.ID, m.State, positive(m.Parts), known(m.Rows), known(m.Bytes), m.Detail,
			strings.Join(open, " "),
		}
	}
	return printTable(w, []string{"kind", "name", "id", "state", "parts", "rows", "bytes", "detail", "open it with"}, numberColumns, rows)
}

// quoted makes a value one word of a shell's command line.
func quoted(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:/,+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
