package arch

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestArchitecture(t *testing.T) {
	c := checker{fsys: os.DirFS("../..")}
	if err := c.run(); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.faults {
		t.Error(f)
	}
	for _, n := range c.notes {
		t.Log(n)
	}
}

// Each rule is tripped once, by a module that breaks it.
func TestFaultsAreFound(t *testing.T) {
	const m = `"example.com/m/`
	doc := func(pkg string) string { return "// Package " + pkg + " is.\npackage " + pkg + "\n" }
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // part of what is found, "" = nothing
	}{
		{"own wire package", map[string]string{"readers/orc/doc.go": doc("orc") + "import _ " + m + `internal/orcwire"`}, ""},
		{"generated part of it", map[string]string{"readers/orc/doc.go": doc("orc") + "import _ " + m + `internal/orcwire/orcpb"`}, ""},
		{"other wire package", map[string]string{"readers/orc/doc.go": doc("orc") + "import _ " + m + `internal/trevniwire"`}, `readers/orc/doc.go:3:8: readers/orc may not import internal/trevniwire: rule "readers/*"`},
		{"other reader", map[string]string{"readers/orc/doc.go": doc("orc") + "import _ " + m + `readers/cfile"`}, "may not import readers/cfile"},
		{"Kudu reads CFiles", map[string]string{"internal/kudu/doc.go": doc("kudu") + "import _ " + m + `internal/cfile"`}, ""},
		{"writer uses reader", map[string]string{"writers/orc/doc.go": doc("orc") + "import _ " + m + `readers/orc"`}, "may not import readers/orc"},
		{"list uses its own", map[string]string{"readers/doc.go": doc("readers") + "import _ " + m + `readers/orc"`}, ""},
		{"list uses the others", map[string]string{"readers/doc.go": doc("readers") + "import _ " + m + `writers/orc"`}, "may not import writers/orc"},
		{"contracts use a reader", map[string]string{"arrowio/doc.go": doc("arrowio") + "import _ " + m + `readers"`}, "may not import readers"},
		{"contracts use the allocator", map[string]string{"arrowio/doc.go": doc("arrowio") + "import _ " + m + `internal/arrowbuf"`}, ""},
		{"allocator uses contracts", map[string]string{"internal/arrowbuf/doc.go": doc("arrowbuf") + "import _ " + m + `arrowio"`}, "may not import arrowio"},
		{"wire uses wire", map[string]string{"internal/orcwire/doc.go": doc("orcwire") + "import _ " + m + `internal/cfilewire"`}, "may not import internal/cfilewire"},
		{"Kudu's uses CFile's", map[string]string{"internal/kuduwire/doc.go": doc("kuduwire") + "import _ " + m + `internal/cfilewire"`}, ""},
		{"wire does I/O", map[string]string{"internal/orcwire/doc.go": doc("orcwire") + `import _ "os"`}, "may not import os"},
		{"wire reads a stream", map[string]string{"internal/orcwire/doc.go": doc("orcwire") + `import _ "io"`}, "may not import io"},
		{"wire knows Arrow", map[string]string{"internal/orcwire/doc.go": doc("orcwire") + `import _ "github.com/apache/arrow/go/v15/arrow"`}, "only arrow*.go"},
		{"wire maps to Arrow", map[string]string{"internal/orcwire/doc.go": doc("orcwire"), "internal/orcwire/arrow.go": "package orcwire\n" + `import _ "github.com/apache/arrow/go/v15/arrow"`}, ""},
		{"wire is concurrent", map[string]string{"internal/orcwire/doc.go": doc("orcwire") + "func f() { go f() }"}, "starts a goroutine"},
		{"reader is concurrent", map[string]string{"readers/orc/doc.go": doc("orc") + `import "sync"` + "\nfunc f() { var g sync.WaitGroup; g.Go(f) }"}, "readers/orc starts a goroutine"},
		{"reader has workers", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/workers\"\nfunc f() error { return workers.Go(f)() }"}, ""},
		{"server is concurrent", map[string]string{"flight/doc.go": doc("flight") + "func f() { go f() }"}, ""},
		{"reader compares texts", map[string]string{"readers/orc/doc.go": doc("orc") + "func f(a, b error) bool { return a.Error() == b.Error() }"}, "readers/orc looks at the text of an error"},
		{"reader looks for words", map[string]string{"readers/orc/doc.go": doc("orc") + "import `strings`\nfunc f(a error) bool { return strings.Contains(a.Error(), `x`) }"}, "looks at the text"},
		{"reader keeps a text", map[string]string{"readers/orc/doc.go": doc("orc") + "func f(a error) bool { text := a.Error(); return text == `x` }"}, "looks at the text"},
		{"reader chooses by text", map[string]string{"readers/orc/doc.go": doc("orc") + "func f(a error) { switch a.Error() { case `x`: } }"}, "looks at the text"},
		{"reader prints a text", map[string]string{"readers/orc/doc.go": doc("orc") + "import `strings`\nfunc f(a error) string { return strings.TrimPrefix(a.Error(), `x`) }"}, ""},
		{"test compares texts", map[string]string{"readers/orc/x_test.go": "package orc\nfunc f(a error) bool { return a.Error() == `x` }"}, ""},
		{"reader recovers", map[string]string{"readers/orc/doc.go": doc("orc") + "func f() { defer func() { _ = recover() }() }"}, "readers/orc calls recover"},
		{"pool recovers", map[string]string{"internal/workers/doc.go": doc("workers") + "func f() { defer func() { _ = recover() }() }"}, ""},
		{"test recovers", map[string]string{"readers/orc/doc.go": doc("orc"), "readers/orc/x_test.go": "package orc\nfunc f() { go f(); _ = recover() }"}, ""},
		{"wire's test does I/O", map[string]string{"internal/orcwire/doc.go": doc("orcwire"), "internal/orcwire/x_test.go": "package orcwire\n" + `import _ "os"`}, ""},
		{"kernels know Arrow", map[string]string{"internal/bitpack/doc.go": doc("bitpack") + `import _ "github.com/apache/arrow/go/v15/arrow"`}, "may not import github.com/apache"},
		{"program uses internals", map[string]string{"cmd/tool/main.go": "// Tool is.\npackage main\nimport _ " + m + `internal/orcwire"`}, "may not import internal/orcwire"},
		{"cgo", map[string]string{"convert/doc.go": doc("convert") + `import "C"`}, "cgo is for"},
		{"package without a rule", map[string]string{"readers/orc/deep/doc.go": doc("deep")}, "no rule says"},
		{"no doc.go", map[string]string{"convert/convert.go": "package convert"}, "no doc.go"},
		{"comment elsewhere", map[string]string{"convert/doc.go": doc("convert"), "convert/convert.go": doc("convert")}, "belongs in doc.go"},
		{"comment of another", map[string]string{"convert/doc.go": "// Package other is.\npackage convert"}, "convert"},
		{"command without comment", map[string]string{"cmd/tool/main.go": "package main"}, "no doc.go"},
		{"top level", map[string]string{"utils/x.txt": ""}, "utils: the top level"},
		{"ignored at the top level", map[string]string{".gitignore": "/bin/\n*.prof\n", "bin/x": "", "cpu.prof": ""}, ""},
		{"long file", map[string]string{"convert/doc.go": doc("convert"), "convert/x.go": "package convert\n" + strings.Repeat("\n", hardLines)}, "lines, at most"},
		{"long generated file", map[string]string{"convert/doc.go": doc("convert"), "convert/x.go": "// Code generated by x. DO NOT EDIT.\n\npackage convert\n" + strings.Repeat("\n", hardLines)}, ""},
		{"long test", map[string]string{"convert/doc.go": doc("convert"), "convert/x_test.go": "package convert\n" + strings.Repeat("\n", hardLines)}, ""},
		{"generator", map[string]string{"convert/doc.go": doc("convert"), "convert/gen.go": "//go:build ignore\n\npackage main\n" + `import _ "os"`}, ""},
		{"internal parameter", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/orcwire\"\nfunc F(a []*orcwire.Type) {}"}, "F shows orcwire.Type of internal/orcwire"},
		{"internal result of a method", map[string]string{"readers/orc/doc.go": doc("orc") + "import x " + m + "internal/orcwire\"\ntype T int\nfunc (t *T) F() (a x.Type, err error) { return }"}, "T.F shows x.Type"},
		{"internal field", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/orcwire\"\ntype T struct { a orcwire.Type; B map[string]func(orcwire.Type) }"}, "T.B shows"},
		{"internal type embedded", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/orcwire\"\ntype T struct { *orcwire.Type }"}, "T.Type shows"},
		{"internal type by another name", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/orcwire\"\ntype T = orcwire.Type"}, "T shows"},
		{"internal variable", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/orcwire\"\nvar V *orcwire.Type"}, "V shows"},
		{"internal type that is not shown", map[string]string{"readers/orc/doc.go": doc("orc") + "import " + m + "internal/orcwire\"\ntype T struct { a orcwire.Type }\nfunc f(orcwire.Type) {}\ntype u struct { A orcwire.Type }\nfunc (u) F(orcwire.Type) {}\nfunc G() { var _ orcwire.Type }"}, ""},
		{"internal type between internal packages", map[string]string{"internal/orccast/doc.go": doc("orccast") + "import " + m + "internal/orcwire\"\nfunc F(orcwire.Type) {}"}, ""},
		{"init", map[string]string{"convert/doc.go": doc("convert") + "func init() {}"}, "init function"},
		{"method of that name", map[string]string{"convert/doc.go": doc("convert") + "type t int\nfunc (t) init() {}"}, ""},
		{"skip", map[string]string{"convert/x_test.go": "package convert\n" + `import "testing"` + "\nfunc TestX(t *testing.T) { t.Skip() }"}, "t.Skip: no test is skipped"},
		{"skip in a helper", map[string]string{"convert/x_test.go": "package convert\n" + `import "testing"` + "\nfunc help(tb testing.TB) { tb.Skipf(``) }"}, "tb.Skipf: no test"},
		{"rows skipped", map[string]string{"convert/x_test.go": "package convert\n" + `import "testing"` + "\nfunc TestX(t *testing.T) { r.Skip(3) }"}, ""},
	} {
		fsys := fstest.MapFS{"go.mod": {Data: []byte("module example.com/m\n")}}
		for name, text := range c.files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		k := checker{fsys: fsys}
		if err := k.run(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := strings.Join(k.faults, "\n")
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, pkg, star string
		ok                 bool
	}{
		{"arrowio", "arrowio", "", true},
		{"arrowio", "arrowio/expr", "", false},
		{"arrowio/**", "arrowio", "", true},
		{"arrowio/**", "arrowio/a/b", "", true},
		{"arrowio/**", "arrowiox", "", false},
		{"readers/*", "readers/orc", "orc", true},
		{"readers/*", "readers", "", false},
		{"readers/*", "readers/orc/deep", "", false},
		{"internal/*wire", "internal/orcwire", "orc", true},
		{"internal/*wire", "internal/orcwire/orcpb", "", false},
		{"internal/*wire/**", "internal/orcwire/orcpb", "orc", true},
		{"net/**", "net/http", "", true},
	} {
		star, ok := match(c.pattern, c.pkg)
		if star != c.star || ok != c.ok {
			t.Errorf("%s, %s: %q, %t", c.pattern, c.pkg, star, ok)
		}
	}
}
