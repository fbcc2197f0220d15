//go:build interop

package readers_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/readers"
)

// oldSeconds are seconds of days before and about 1582-10-15: the first of each calendar's years, 29 February of a century,
// years before 1, and years before 1 of which the number alone is after 1582.
func oldSeconds(r *rand.Rand) []int64 {
	out := []int64{
		0, -1, -12219292800, -12219292801, -12220156800, -12220156801, -12300000000, -14831769600, -40000000000, -40079836800, -62135596800, -62135596801,
		-62135769600, -62135769601, -62161689600, -62161776000, -62200000000, -62288006400, -100000000000, -112000000000, -126000000000, -400000000000,
	}
	for range 200 {
		out = append(out, -r.Int63n(200_000_000_000))
	}
	for day := int64(-719900); day < -718000; day += 7 {
		out = append(out, day*86400+r.Int63n(86400))
	}
	return out
}

func appendOld(t *testing.T, b array.Builder, s int64, r *rand.Rand) {
	t.Helper()
	fraction := int64(r.Intn(4)) * 125 // milliseconds
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(s)
	case *array.Int32Builder:
		b.Append(int32(max(s, -1<<31)))
	case *array.Float32Builder:
		b.Append(float32(s))
	case *array.Float64Builder:
		b.Append(float64(s) + float64(fraction)/1000)
	case *array.Decimal128Builder:
		scale := b.Type().(*arrow.Decimal128Type).Scale
		b.Append(decimal128.FromI64(s).IncreaseScaleBy(scale).Add(decimal128.FromI64(fraction).IncreaseScaleBy(scale - 3)))
	case *array.StringBuilder:
		b.Append(time.Unix(max(s, -62135596800), 0).UTC().Format("2006-01-02 15:04:05"))
	case *array.Date32Builder: // from year 1 on: see orcwire.HybridDays
		b.Append(arrow.Date32(max(s, -62135596800) / 86400))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(max(s, -62135596800)))
	default:
		t.Fatalf("%T", b)
	}
}

// Numbers of files whose calendar is the hybrid one are times of it; texts, days and times are what they show.
func TestCastOldDaysLikeJava(t *testing.T) {
	jar := os.Getenv("ARROWIO_ORC_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ORC_JUDGE_JAR is not set: run make interop")
	}
	r := rand.New(rand.NewSource(1))
	dir := t.TempDir()
	froms := []string{"int", "bigint", "float", "double", "decimal(20,3)", "decimal(38,10)", "string", "date", "timestamp", "timestamp with local time zone"}
	tos := []string{"timestamp", "timestamp with local time zone", "date", "string", "bigint"}
	var list bytes.Buffer
	type pair struct{ file, from, to, out string }
	var pairs []pair
	for i, from := range froms {
		for _, hybrid := range []bool{true, false} {
			o := readers.Options{Options: map[string]string{"timestamp-unit": "s"}}
			schema, err := readers.ParseSchema("struct<c:"+from+">", o.Options)
			if err != nil {
				t.Fatal(err)
			}
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for _, s := range oldSeconds(r) {
				appendOld(t, b.Field(0), s, r)
			}
			rec := b.NewRecord()
			b.Release()
			name := filepath.Join(dir, fmt.Sprintf("%d-%v.orc", i, hybrid))
			writeUncompressed(t, rec, name, hybrid)
			rec.Release()
			for _, to := range tos {
				out := filepath.Join(dir, strconv.Itoa(len(pairs)))
				fmt.Fprintf(&list, "%s\tstruct<c:%s>\t%s\n", name, to, out)
				pairs = append(pairs, pair{name, fmt.Sprintf("%s (hybrid: %v)", from, hybrid), to, out})
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	java := exec.CommandContext(ctx, "java", "-Xmx512m", "-jar", jar, "evolve", "-")
	java.Stdin = &list
	if out, err := java.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, p := range pairs {
		want, err := os.ReadFile(p.out)
		if err != nil {
			t.Fatal(err)
		}
		comparePair(t, p.file, p.from, p.to, string(want))
	}
}
