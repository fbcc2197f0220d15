//go:build interop

package orc

import (
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// randomFiles has Java write files of random schemas, data and settings, with their expected rows, and returns their folder.
func randomFiles(t *testing.T, seed, count int) string {
	t.Helper()
	return javaFiles(t, "random", seed, count)
}

// javaFiles is randomFiles for a command of the judge.
func javaFiles(t *testing.T, command string, seed, count int) string {
	t.Helper()
	jar := os.Getenv("ARROWIO_ORC_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ORC_JUDGE_JAR is not set: run make interop")
	}
	dir := t.TempDir()
	out, err := exec.Command("java", "-Xmx1g", "-jar", jar, command, strconv.Itoa(seed), strconv.Itoa(count), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// Files that Java writes of random schemas, data and settings give the rows that Java reads.
func TestRandomFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(randomFiles(t, 1, 100), "*.orc"))
	if err != nil || len(paths) != 100 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".orc")
		more := map[string]string{"orc-null-keys": "list"}
		if strings.HasSuffix(name, "-us") {
			more["timestamp-unit"] = "us"
		}
		want := lines(t, strings.TrimSuffix(p, ".orc")+".jsonl.gz")
		for _, batch := range batches {
			t.Run(name, func(t *testing.T) { checkText(t, fixtures.Read(t, p), optionsOf(t, more), want, batch) })
		}
	}
}

// A filter gives the rows of the whole file for which it is true, whatever Java wrote.
func TestRandomFilters(t *testing.T) {
	files := prunedFiles(t, randomFiles(t, 2, 60))
	testPruneKeepsRows(t, files, pruneCases{count: 40 * len(files), scan: 1, share: 0.05})
}

// The same where bloom filters are asked: columns that have one are compared with values they have, and others like them.
func TestRandomBloomFilters(t *testing.T) {
	var files []*prunedFile
	bloomed := map[*prunedFile][]leafColumn{}
	for _, p := range append(prunedFiles(t, "../../testdata/orc"), prunedFiles(t, randomFiles(t, 3, 150))...) {
		if c := bloomColumns(t, p); len(c) > 0 {
			files = append(files, p)
			bloomed[p] = c
		}
	}
	testPruneKeepsRows(t, files, pruneCases{count: 40 * len(files), scan: 1, share: 0.05, expr: func(g predicates) expr.Expr {
		c := bloomed[g.p][g.Intn(len(bloomed[g.p]))]
		if g.Intn(3) > 0 {
			return expr.Compare{Col: c.path, Op: expr.Eq, Value: g.value(c)}
		}
		return expr.In{Col: c.path, Values: []scalar.Scalar{g.value(c), g.value(c)}}
	}})
	told := 0
	for i, p := range files {
		told += bloomPrunes(t, p, bloomed[p], int64(i))
	}
	if told == 0 {
		t.Error("no bloom filter pruned anything")
	}
	t.Logf("bloom filters pruned something in %d of %d plans", told, 20*len(files))
}

// bloomColumns lists the columns that have bloom filters which are trusted.
func bloomColumns(t *testing.T, p *prunedFile) (out []leafColumn) {
	t.Helper()
	s, err := p.f.stripe(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	for _, c := range p.leaves {
		if subject := p.f.subject(c.path); c.flat && subject != nil && subject.bloomed(s) {
			out = append(out, c)
		}
	}
	return out
}

// bloomPrunes returns in how many of twenty plans bloom filters leave something out.
func bloomPrunes(t *testing.T, p *prunedFile, columns []leafColumn, seed int64) (told int) {
	t.Helper()
	g := predicates{rand.New(rand.NewSource(seed)), p}
	for range 20 {
		c := columns[g.Intn(len(columns))]
		v := g.value(c)
		if v.IsValid() {
			v = g.near(v)
		}
		bound, err := expr.Bind(expr.Compare{Col: c.path, Op: expr.Eq, Value: v}, p.f.schema)
		if err != nil {
			t.Fatal(err)
		}
		info, err := p.f.Info(t.Context(), arrowio.InfoOptions{Filter: bound})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(info.Plan, func(u arrowio.PlanInfo) bool { return slices.Contains(u.By, "bloom filters") }) {
			told++
		}
	}
	return told
}
