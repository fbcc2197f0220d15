//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// queryFiles writes orders as ORC, of many stripes, and customers as Trevni; amounts are those of the orders.
func queryFiles(t *testing.T, rows int) (dir string, amounts []int64) {
	t.Helper()
	dir = t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	var orders, customers strings.Builder
	for i := range rows {
		amounts = append(amounts, r.Int64N(1<<40))
		fmt.Fprintf(&orders, "{\"id\":%d,\"customer\":%d,\"amount\":%d,\"day\":\"2024-05-%02d\"}\n", i, i%7, amounts[i], 1+i*30/rows)
	}
	for i := range 5 {
		fmt.Fprintf(&customers, "{\"customer\":%d,\"name\":\"n%d\"}\n", i, i)
	}
	for name, text := range map[string]string{"orders.jsonl": orders.String(), "customers.jsonl": customers.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, "convert", "--row-group-bytes", "64KiB", filepath.Join(dir, "orders.jsonl"), filepath.Join(dir, "orders.orc"))
	ok(t, "convert", filepath.Join(dir, "customers.jsonl"), filepath.Join(dir, "customers.trv"))
	return dir, amounts
}

func TestQuery(t *testing.T) {
	dir, amounts := queryFiles(t, 40000)
	t.Chdir(dir)
	sums := map[int]int64{}
	var all, pairs int64
	for i, a := range amounts {
		sums[i%7] += a
		all += a
		if i%7 == 3 && a > 1<<39 {
			pairs++
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{
			[]string{"select name, sum(amount) from 'orders.orc' join 'customers.trv' using (customer) where customer < 2 group by name order by name"},
			fmt.Sprintf("name,sum(amount)\nn0,%d\nn1,%d\n", sums[0], sums[1]),
		},
		{
			[]string{"select count(*) c from 'orders.orc' a join 'orders.orc' b on a.id = b.id where a.customer = 3 and b.amount > 549755813888"},
			fmt.Sprintf("c\n%d\n", pairs),
		},
		{[]string{"select count(*), sum(amount) from '*.orc'"}, fmt.Sprintf("count_star(),sum(amount)\n40000,%d\n", all)},
		{[]string{"select count(*) c from 'orders.jsonl'"}, "c\n40000\n"},
		{[]string{"select sum(amount) s from arrowio('orders.orc', format := 'orc') where id = $id", "--param", "id=39999"}, fmt.Sprintf("s\n%d\n", amounts[39999])},
		{[]string{"from 'customers.trv' order by customer desc", "--limit", "1"}, "customer,name\n4,n4\n"},
		{[]string{"create temp table t as from 'customers.trv'; select count(*) c from t"}, "c\n5\n"},
		{[]string{"-"}, "c\n1\n"},
	} {
		o := doWith(t, context.Background(), strings.NewReader("select 1 as c"), append([]string{"query", "--format", "csv"}, c.args...)...)
		if o.code != 0 || o.out != c.want || o.err != "" {
			t.Errorf("%q: exit %d: %s%s; want %s", c.args, o.code, o.out, o.err, c.want)
		}
	}
}

func TestQueryReadsFewBytes(t *testing.T) {
	dir, amounts := queryFiles(t, 200000)
	t.Chdir(dir)
	o := do(t, "query", "--format", "csv", "--scans", "select amount from 'orders.orc' where id between 20000 and 20001")
	if want := fmt.Sprintf("amount\n%d\n%d\n", amounts[20000], amounts[20001]); o.code != 0 || o.out != want {
		t.Fatalf("exit %d: %s%s; want %s", o.code, o.out, o.err, want)
	}
	m := regexp.MustCompile(`read of orders.orc: (\d+) of (\d+) bytes`).FindStringSubmatch(o.err)
	if m == nil || !strings.Contains(o.err, "where id >= 20000 AND id <= 20001") {
		t.Fatalf("told %q", o.err)
	}
	read, _ := strconv.Atoi(m[1])
	size, _ := strconv.Atoi(m[2])
	if size < 200000 || read > size/4 {
		t.Errorf("%d of %d bytes were read", read, size)
	}
}

func TestQueryOutput(t *testing.T) {
	dir, amounts := queryFiles(t, 40000)
	t.Chdir(dir)
	ok(t, "query", "-o", "few.orc", "select id, amount from 'orders.orc' where id < 2 order by id")
	if got, want := ok(t, "cat", "--format", "csv", "few.orc"), fmt.Sprintf("id,amount\n0,%d\n1,%d\n", amounts[0], amounts[1]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	fails(t, do(t, "query", "-o", "few.orc", "select 1"), exitUsage, "few.orc", "--force")
	fails(t, do(t, "query", "-o", "failed.orc", "select error('no') from 'orders.orc'"), exitData, "no")
	if _, err := os.Stat("failed.orc"); err == nil {
		t.Error("a failed query left its output")
	}
}

func TestQueryMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.orc", []byte("ORC, but no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "query", "selec 1"), exitUsage, "selec")
	fails(t, do(t, "query", "from nowhere"), exitUsage, "nowhere")
	fails(t, do(t, "query", "from 'missing.orc'"), exitSystem, "missing.orc: no such file")
	fails(t, do(t, "query", "from 'bad.orc'"), exitData, "bad.orc")
	fails(t, do(t, "query", "--param", "x=1", "select 1"), exitUsage, "$x")
	fails(t, do(t, "query", "--orc-timezone", "UTC", "select 1"), exitUsage, "orc-timezone")
	fails(t, do(t, "query"), exitUsage, "SQL")
}

func TestQueryInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(200*time.Millisecond, func() { cancel(errInterrupted) })
	o := doWith(t, ctx, nil, "query", "select count(*) from range(1000000000000) r where r.range % 7 = 3")
	fails(t, o, exitInterrupted, "interrupted")
}
