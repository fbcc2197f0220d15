package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notRun says what of the commands in the blocks of docs needs more than files, and who runs such commands otherwise.
var notRun = []struct{ has, why string }{
	{"://", "a store, a catalog or a metastore: tests of these packages have servers of their own"},
	{"arrowio serve", "a server that runs until it is told to end: serve_test.go"},
	{"arrowio browse", "a terminal: browse_test.go"},
	{"arrowio query", "DuckDB, which is built in by a tag: query_test.go"},
	{"--password", "reads a password from a terminal: token_test.go"},
	{"kudu", "directories of Kudu's servers, or its own tool: kudu tests with those of testdata"},
}

// eventsSchema has the columns that the commands of the pages name.
const eventsSchema = "struct<id:bigint,name:string,time:timestamp,day:date,price:decimal(10,2),country:string,payload:string,user_id:bigint," +
	"loaded_at:timestamp,user:struct<name:string>>"

// TestDocsRun runs the commands in the blocks of the pages as they stand there, each in a folder that has the files which the pages
// take for granted.
func TestDocsRun(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands [][2]string // page, line
	for _, name := range pages {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range fenced.FindAllStringSubmatch(string(b), -1) {
			for _, line := range shellLines(block[1]) {
				if len(ownCommands(line)) > 0 {
					commands = append(commands, [2]string{filepath.Base(name), strings.TrimSpace(line)})
				}
			}
		}
	}
	files := t.TempDir()
	makeDocsFiles(t, files)
	used := make([]int, len(notRun))
	ran := 0
	for _, c := range commands {
		page, line := c[0], c[1]
		if i := slices.IndexFunc(notRun, func(n struct{ has, why string }) bool { return strings.Contains(line, n.has) }); i >= 0 {
			used[i]++
			continue
		}
		ran++
		t.Run(fmt.Sprintf("%s %d", page, ran), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "work")
			if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			if table := "warehouse/db/events"; strings.Contains(line, table) && !strings.Contains(line, "--to iceberg") { // it holds its place
				ok(t, "convert", "--to", "iceberg", "events.parquet", table)
			}
			for _, args := range ownCommands(line) {
				runOfDocs(t, line, args)
			}
		})
	}
	for i, n := range notRun {
		if used[i] == 0 {
			t.Errorf("no command needs %q any more: %s", n.has, n.why)
		}
	}
	if ran < 25 {
		t.Errorf("only %d commands were run", ran)
	}
}

// runOfDocs runs a command. What it writes is not there before, but for tables that are added to.
func runOfDocs(t *testing.T, line string, args []string) {
	t.Helper()
	if out := args[len(args)-1]; !strings.Contains(out, "://") && (args[0] == "convert" || args[0] == "repair") && !strings.HasPrefix(out, "-") {
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	if args[0] == "token" && args[1] == "add" {
		if err := os.Remove("tokens"); err != nil {
			t.Fatal(err)
		}
	}
	want := []int{exitOK}
	switch {
	case args[0] == "diff":
		want = append(want, exitDifferent)
	case slices.Contains(args, "--salvage") || args[0] == "repair":
		want = []int{exitOK, exitLost}
	}
	if o := do(t, args...); !slices.Contains(want, o.code) {
		t.Errorf("%s\nexit %d: %s", line, o.code, o.err)
	}
}

// makeDocsFiles writes what the pages call events, in every format, with copies that are older, cut off and in a table.
func makeDocsFiles(t *testing.T, dir string) {
	t.Helper()
	t.Chdir(dir)
	var rows strings.Builder
	for i := range 40 {
		fmt.Fprintf(&rows, `{"id":%d,"name":"n%d","time":"2024-03-%02d 10:00:00","day":"2024-03-%02d","price":%d.25,"country":"%s","payload":"p",`+
			`"user_id":%d,"loaded_at":"2024-04-01 00:00:00","user":{"name":"u%d"}}`+"\n", i, i, 1+i%3, 1+i%3, 90+i, []string{"AT", "CH"}[i%2], i%8+4707, i%5)
	}
	writeText(t, "events.jsonl", rows.String())
	writeText(t, "a.csv", "n,word\n1,one\n2,two\n")
	for _, d := range []string{"events", "old", "new", "warehouse/db"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	steps := [][]string{
		{"convert", "--schema", eventsSchema, "events.jsonl", "events.orc"},
		{"convert", "a.csv", "a.orc"},
		{"convert", "--timestamp-unit", "us", "events.orc", "events.parquet"},
		{"convert", "--exclude", "time,loaded_at", "events.orc", "events/1.orc"}, // Iceberg has no place for their nanoseconds
		{"convert", "--columns", "id,name,price", "events.orc", "sibling.orc"},
		{"convert", "--exclude", "user", "events.orc", "export.csv"},
		{"convert", "--exclude", "user", "events.orc", "export.orc"},
		{"token", "add", "--file", "tokens", "--expires", "1h", "alice"},
	}
	for _, to := range []string{"events.trv", "old/1.orc", "new/1.orc"} {
		steps = append(steps, []string{"convert", "events.orc", to})
	}
	for _, args := range steps {
		if o := do(t, args...); o.code != 0 {
			t.Fatalf("%q: exit %d: %s", args, o.code, o.err)
		}
	}
	csv, err := os.ReadFile("export.csv")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "export.txt", strings.ReplaceAll(string(csv), ",", ";"))
	writeText(t, "events.schema.json", ok(t, "schema", "--json", "export.orc"))
	orc, err := os.ReadFile("sibling.orc")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, "cut.orc", string(orc[:len(orc)-200]))
}
