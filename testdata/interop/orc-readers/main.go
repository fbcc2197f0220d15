// Orc-readers compares what readers make of ORC files that other projects wrote, and prints two tables in Markdown: how many files of each
// directory of DIR each reader reads, and the files that not all of them read alike.
//
//	go run ./testdata/interop/orc-readers DIR
//
// It takes all *.orc below DIR, of equal ones the first; fetch.sh brings some. Java's rows are those that the others are compared with;
// where Java refuses a file, C++'s are, and then ours. The readers are orc-core (ARROWIO_ORC_JUDGE_JAR), C++ through pyarrow (ARROWIO_PYTHON), orc-rust (ARROWIO_ORC_PEER, which may be absent), and
// this project's.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers/orc"
)

// answer is what a reader makes of a file.
type answer struct {
	rows    []string
	refused string // why; "" = it has rows
	absent  bool   // the reader is not here
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: orc-readers DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	files, err := find(dir)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "orc-readers-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	readers := []struct {
		name string
		read func([]string, string) ([]answer, error)
	}{
		{"Java", java},
		{"C++", arrowPeer("cpp", os.Getenv("ARROWIO_PYTHON"), "testdata/interop/orc_to_arrow.py")},
		{"Rust", arrowPeer("rust", os.Getenv("ARROWIO_ORC_PEER"), "arrow")},
		{"arrowio", ours},
	}
	answers := make([][]answer, len(readers))
	for i, r := range readers {
		if answers[i], err = r.read(files, scratch); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	out := bufio.NewWriter(os.Stdout)
	heads := ""
	for _, r := range readers {
		heads += " " + r.name + " |"
	}
	line := strings.Repeat("---|", len(readers))
	differ := []string{}
	projects := []string{}
	counts := map[string][]int{} // by directory: files, and those that each reader reads as the measure
	for k, path := range files {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		measure := answers[0][k]
		for _, i := range []int{1, 3} {
			if measure.refused != "" {
				measure = answers[i][k]
			}
		}
		project, _, _ := strings.Cut(name, "/")
		if counts[project] == nil {
			projects, counts[project] = append(projects, project), make([]int, 1+len(readers))
		}
		counts[project][0]++
		row, same := fmt.Sprintf("| %s | %d |", name, len(measure.rows)), true
		for i := range readers {
			v := verdict(answers[i][k], measure, name, readers[i].name)
			row += " " + v + " |"
			if v == equal {
				counts[project][1+i]++
			}
			same = same && (v == equal || answers[i][k].absent)
		}
		if !same {
			differ = append(differ, row)
		}
	}
	fmt.Fprintf(out, "| files of | files |%s\n|---|---|%s\n", heads, line)
	for _, p := range projects {
		fmt.Fprintf(out, "| %s |", p)
		for _, n := range counts[p] {
			fmt.Fprintf(out, " %d |", n)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\n| file | rows |%s\n|---|---|%s\n", heads, line)
	for _, row := range differ {
		fmt.Fprintln(out, row)
	}
	return out.Flush()
}

// find returns the files below dir, of equal ones the first.
func find(dir string) (files []string, err error) {
	seen := map[[sha256.Size]byte]bool{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".orc" {
			return err
		}
		b, err := os.ReadFile(path)
		if sum := sha256.Sum256(b); !seen[sum] {
			seen[sum], files = true, append(files, path)
		}
		return err
	})
	return files, err
}

// equal is the verdict on the same rows.
const equal = "equal"

// verdict says how an answer differs from the one that it is measured by. The first row that differs goes to standard error.
func verdict(a, by answer, file, reader string) string {
	switch {
	case a.absent:
		return "not here"
	case a.refused != "":
		return "refuses: " + strings.NewReplacer("|", `\|`, "\n", " ").Replace(a.refused)
	case by.refused != "":
		return fmt.Sprintf("reads %d rows", len(a.rows))
	case len(a.rows) != len(by.rows):
		return fmt.Sprintf("%d rows", len(a.rows))
	}
	differ, first := 0, -1
	for i := range a.rows {
		if plain(a.rows[i]) != plain(by.rows[i]) {
			if differ++; first < 0 {
				first = i
			}
		}
	}
	if differ == 0 {
		return equal
	}
	fmt.Fprintf(os.Stderr, "%s, row %d, by %s:\n%.400s\n%.400s\n", file, first, reader, plain(a.rows[first]), plain(by.rows[first]))
	return fmt.Sprintf("%d rows differ, the first is %d", differ, first)
}

// plain leaves out what Arrow does not tell: which union is null, and which holds a null.
func plain(row string) string { return orctext.Expect(row) }

// java has the judge say what it reads.
func java(files []string, scratch string) ([]answer, error) {
	jar := os.Getenv("ARROWIO_ORC_JUDGE_JAR")
	answers := make([]answer, len(files))
	copies := make([]string, len(files))
	for i, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		copies[i] = filepath.Join(scratch, fmt.Sprintf("%d.orc", i)) // the judge writes beside a file
		if err := os.WriteFile(copies[i], b, 0o600); err != nil {
			return nil, err
		}
	}
	out, _ := exec.Command("java", append([]string{"-Xmx1g", "-jar", jar, "try"}, copies...)...).Output() // what it says counts; it fails where Java refuses a file
	var reads []string
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(files) {
		return nil, fmt.Errorf("%d answers to %d questions", len(lines), len(files))
	}
	for i, line := range lines {
		if _, said, _ := strings.Cut(line, "\t"); said != "ok" {
			answers[i].refused = strings.ReplaceAll(said, copies[i], "FILE")
		} else {
			reads = append(reads, copies[i])
		}
	}
	if err := exec.Command("java", append([]string{"-Xmx1g", "-jar", jar, "expect"}, reads...)...).Run(); err != nil {
		return nil, err
	}
	for i := range files {
		if answers[i].refused != "" {
			continue
		}
		b, err := os.ReadFile(strings.TrimSuffix(copies[i], ".orc") + ".jsonl.gz")
		if err != nil {
			return nil, err
		}
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(z)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			answers[i].rows = append(answers[i].rows, strings.TrimSuffix(line, "\n"))
		}
	}
	return answers, nil
}

// arrowPeer returns a reader that is a program: it takes lines FILE<tab>OUT, writes OUT as Arrow IPC, and answers each.
func arrowPeer(name, program, arg string) func([]string, string) ([]answer, error) {
	return func(files []string, scratch string) ([]answer, error) {
		answers := make([]answer, len(files))
		for i, f := range files {
			if program == "" {
				answers[i].absent = true
				continue
			}
			out := filepath.Join(scratch, fmt.Sprintf("%d.%s", i, name))
			cmd := exec.Command(program, arg) // one for each: a reader may crash
			cmd.Stdin = strings.NewReader(f + "\t" + out + "\n")
			said, err := cmd.Output()
			text := strings.ReplaceAll(strings.TrimSpace(string(said)), f, "FILE")
			switch {
			case err != nil && text == "":
				answers[i].refused = "crashes: " + err.Error()
				continue
			case text != "ok":
				answers[i].refused = text
				continue
			}
			b, err := os.ReadFile(out)
			if err != nil {
				return nil, err
			}
			r, err := ipc.NewFileReader(bytes.NewReader(b))
			if err != nil {
				return nil, err
			}
			for k := range r.NumRecords() {
				rec, err := r.Record(k)
				if err != nil {
					return nil, err
				}
				answers[i].rows = append(answers[i].rows, orctext.Rows(rec)...)
			}
			if err := r.Close(); err != nil {
				return nil, err
			}
		}
		return answers, nil
	}
}

// ours reads with this project's reader, in microseconds where nanoseconds do not hold the times.
func ours(files []string, _ string) ([]answer, error) {
	answers := make([]answer, len(files))
	for i, f := range files {
		for _, unit := range []arrow.TimeUnit{arrow.Nanosecond, arrow.Microsecond} {
			answers[i] = answer{}
			err := scan(f, orc.Options{Unit: &unit}, func(rec arrow.Record) { answers[i].rows = append(answers[i].rows, orctext.Rows(rec)...) })
			if err == nil {
				break
			}
			answers[i] = answer{refused: strings.ReplaceAll(err.Error(), f, "FILE")}
		}
	}
	return answers, nil
}

func scan(path string, o orc.Options, take func(arrow.Record)) (err error) {
	ctx := context.Background()
	src, err := local.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	f, err := orc.Open(ctx, src, arrowio.Limits{}, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rr, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Parallelism: 1})
	if err != nil {
		return err
	}
	defer rr.Release()
	for rr.Next() {
		take(rr.Record())
	}
	return rr.Err()
}
