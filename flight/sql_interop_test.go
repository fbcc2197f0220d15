//go:build interop

package flight

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// The ADBC driver connects, sees the catalog, and selects what pyarrow has written.
func TestADBC(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must say where they are: see testdata/interop/README.md")
	}
	judged(t, python, "../testdata/interop/flight_sql_judge.py", bin)
}

// The JDBC driver does, too.
func TestJDBC(t *testing.T) {
	jar := os.Getenv("ARROWIO_FLIGHT_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_FLIGHT_JUDGE_JAR must say where it is: see testdata/interop/README.md")
	}
	path := filepath.Join(t.TempDir(), "typed.arrows")
	write(t, path, []arrow.Record{typedRecord()}, nil)
	r := start(t, Options{}, map[string]Spec{"typed": {Paths: []string{path}}})
	judged(t, "java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-jar", jar, "jdbc", r.addr.String())
}

func judged(t *testing.T, command string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, command, args...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || lines[len(lines)-1] != "ok" {
		t.Fatalf("%v\n%s", err, out)
	}
}

// typedRecord has what flight-judge wants to see.
func typedRecord() arrow.Record {
	null := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		null("b", arrow.FixedWidthTypes.Boolean), null("i", arrow.PrimitiveTypes.Int32),
		null("f", arrow.PrimitiveTypes.Float64), null("s", arrow.BinaryTypes.String), null("m", &arrow.Decimal128Type{Precision: 12, Scale: 2}),
		null("d", arrow.FixedWidthTypes.Date32), null("t", &arrow.TimestampType{Unit: arrow.Microsecond}), null("x", arrow.BinaryTypes.Binary),
	}, nil))
	defer b.Release()
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range int64(1000) {
		b.Field(0).(*array.Int64Builder).Append(i)
		if i%10 == 9 {
			for _, f := range b.Fields()[1:] {
				f.AppendNull()
			}
			continue
		}
		b.Field(1).(*array.BooleanBuilder).Append(i%2 == 0)
		b.Field(2).(*array.Int32Builder).Append(int32(-i))
		b.Field(3).(*array.Float64Builder).Append(float64(i) / 4)
		b.Field(4).(*array.StringBuilder).Append(fmt.Sprintf("é%d", i))
		b.Field(5).(*array.Decimal128Builder).Append(decimal128.FromI64(i*100 + 5))
		b.Field(6).(*array.Date32Builder).Append(arrow.Date32FromTime(begin.AddDate(0, 0, int(i))))
		b.Field(7).(*array.TimestampBuilder).Append(arrow.Timestamp(begin.Add(time.Duration(i) * time.Second).UnixMicro()))
		b.Field(8).(*array.BinaryBuilder).Append([]byte{byte(i)})
	}
	return b.NewRecord()
}
