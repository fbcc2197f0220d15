package orcwire_test
import ("testing";"math";"math/rand";"bytes";"fmt"
"github.com/arrowio/arrowio/internal/orcwire")
func TestZZ(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for n:=1;n<2000;n++ {
	v := make([]int32, n)
	for i := range v { v[i] = int32([]int64{math.MinInt64, math.MaxInt64, -1 << 31, 1<<31 - 1, 0, -1}[r.Intn(6)]) }
	var o orcwire.Out; var sc orcwire.OutScratch; var w orcwire.IntsOut[int32]
	o.Open(outPackings[0],&sc); w.Open(&o,true,true); w.Put(v); w.Flush(); o.Flush()
	s := outStored(t,&o,outPackings[0])
	got, err := readAll[int32](t,s,true,true,n)
	if err!=nil { t.Fatal(err) }
	for i := range v { if v[i]!=got[i] { 
	fmt.Printf("n %d i %d\n% x\n%v\n%v\n", n,i,bytes.Join(o.Parts(),nil)[:min(80,len(o.Parts()[0]))], v[:min(n,20)], got[:min(20,n)]); t.FailNow() } }
	}
}
