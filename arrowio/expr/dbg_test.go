package expr_test
import ("testing";"strings";"runtime";"fmt";"time";"github.com/apache/arrow/go/v15/arrow";"github.com/arrowio/arrowio/arrowio/expr")
func TestDbg(t *testing.T){
	for _, one := range []string{"1,", "'',", "1.5,", "'2020-01-01',"} {
	text := "a IN (" + strings.TrimSuffix(strings.Repeat(one, (1<<20-10)/len(one)),",") + ")"
	typ := arrow.DataType(arrow.PrimitiveTypes.Int64)
	if one[0]=='\'' { typ = arrow.BinaryTypes.String }
	if len(one) > 5 { typ = arrow.FixedWidthTypes.Date32 }
	s := arrow.NewSchema([]arrow.Field{field("a", typ)}, nil)
	var m0,m1,m2,m3 runtime.MemStats
	runtime.GC(); runtime.ReadMemStats(&m0); t0:=time.Now()
	e, err := expr.Parse(text); if err != nil {t.Fatal(err)}
	t1:=time.Now(); runtime.ReadMemStats(&m1); runtime.GC(); runtime.ReadMemStats(&m2)
	b, err := expr.Bind(e, s); if err != nil {t.Fatal(err)}
	t2 := time.Now(); runtime.ReadMemStats(&m3)
	fmt.Println(one, t1.Sub(t0), (m1.TotalAlloc-m0.TotalAlloc)>>20, (m2.HeapAlloc-m0.HeapAlloc)>>20, t2.Sub(t1), (m3.TotalAlloc-m2.TotalAlloc)>>20)
	_ = b
	}
}
