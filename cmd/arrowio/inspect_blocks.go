package main

import (
	"fmt"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
)

// printGroups prints where rows that are stored together lie.
func printGroups(w sheet, groups []arrowio.GroupInfo) error {
	if len(groups) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\n%s\n", plural(len(groups), "group")); err != nil {
		return err
	}
	rows := make([][]string, len(groups))
	for i, g := range groups {
		rows[i] = []string{
			strconv.Itoa(i), strconv.FormatInt(g.Rows.Len(), 10), known(g.Off), strconv.FormatInt(g.Bytes, 10),
			strconv.FormatInt(g.Index, 10), g.Detail,
		}
	}
	return printTable(w, []string{"group", "rows", "offset", "bytes", "index bytes", "detail"}, numberColumns, rows)
}

// printBlocks prints the blocks of each column.
func printBlocks(w sheet, columns []arrowio.ColumnInfo) error {
	names := shownPaths(columns)
	for k, c := range columns {
		if len(c.BlockList) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", printable(names[k]), plural(len(c.BlockList), "block")); err != nil {
			return err
		}
		rows := make([][]string, len(c.BlockList))
		for i, b := range c.BlockList {
			group := ""
			if b.Kind != "" {
				group = strconv.Itoa(b.Group)
			}
			rows[i] = []string{
				strconv.Itoa(i), group, b.Kind, b.ID, b.Encoding, strconv.FormatInt(b.Rows, 10), strconv.FormatInt(b.Off, 10),
				strconv.FormatInt(b.Bytes, 10), positive(b.RawBytes), shorten(b.First, 40), b.Verdict, b.Where,
			}
		}
		header := []string{"block", "group", "kind", "id", "encoding", "rows", "offset", "bytes", "raw", "first", "verdict", "file"}
		if err := printTable(w, header, numberColumns, rows); err != nil {
			return err
		}
	}
	return nil
}
