package cfile
import "testing"
func TestZZ(t *testing.T){
 for _, x := range smallFiles(t) {
  x.plainSums=true
  t.Log(x, exercise(t, x.build(t), Options{}), len(x.build(t)))
  x.compression=3
  t.Log(x, exercise(t, x.build(t), Options{}), len(x.build(t)))
 }
}
