package arrowio

import (
	"go/build/constraint"
	"os"
	"strings"
	"testing"
)

// Where rows would come out wrong, nothing compiles: on machines of 32 bits and on big-endian ones.
func TestMachines(t *testing.T) {
	b, err := os.ReadFile("machine_other.go")
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(string(b), "\n")
	if !strings.Contains(rest, "uint8 = 1 << 8") {
		t.Error("the file compiles")
	}
	x, err := constraint.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	for arch, refused := range map[string]bool{
		"386": true, "amd64": false, "arm": true, "arm64": false, "loong64": false, "mips": true, "mips64": true, "mips64le": false,
		"mipsle": true, "ppc64": true, "ppc64le": false, "riscv64": false, "s390x": true, "wasm": true,
	} {
		if got := x.Eval(func(tag string) bool { return tag == arch }); got != refused {
			t.Errorf("%s: refused %t", arch, got)
		}
	}
}
