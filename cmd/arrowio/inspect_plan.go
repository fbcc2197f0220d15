package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// printUnits prints what a filter leaves of each unit of a file: of all of them, or only of those that would be read.
func printUnits(w sheet, plan []arrowio.PlanInfo, all bool) error {
	var rows [][]string
	left := 0
	for _, p := range plan {
		if p.Left > 0 {
			left++
		} else if !all {
			continue
		}
		groups := ""
		if p.GroupsOf > 0 {
			groups = fmt.Sprintf("%d of %d", p.Groups, p.GroupsOf)
		}
		rows = append(rows, []string{
			p.Unit, strconv.FormatInt(p.Rows.Start, 10), strconv.FormatInt(p.Rows.Len(), 10), strconv.FormatInt(p.Left, 10),
			strconv.FormatInt(p.BytesOf, 10), strconv.FormatInt(p.Bytes, 10), groups, strings.Join(p.By, ", "),
		})
	}
	if _, err := fmt.Fprintf(w, "\nthe filter reads %d of %s\n", left, plural(len(plan), "unit")); err != nil || len(rows) == 0 {
		return err
	}
	header := []string{"unit", "from row", "rows", "rows read", "bytes", "about bytes read", "row groups", "pruned by"}
	return printTable(w, header, unitNumbers, rows)
}

var unitNumbers = map[string]bool{"from row": true, "rows": true, "rows read": true, "bytes": true, "about bytes read": true}
