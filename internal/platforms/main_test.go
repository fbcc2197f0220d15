package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.org/m\n\ngo 1.26\n",
		"a.go":            "package m\n\nimport \"example.org/m/b\"\n\nvar A int = b.B\n",
		"a_windows.go":    "package m\n\nvar W string = 1\n",
		"a_darwin.go":     "//go:build mine\n\npackage m\n\nvar D string = 2\n",
		"a_test.go":       "package m\n\nvar T = only()\n",
		"only_linux.go":   "package m\n\nfunc only() int { return 0 }\n",
		"only_windows.go": "package m\n\nfunc only() int { return 0 }\n",
		"b/b.go":          "package b\n\nconst B = 1\n",
		"left/l.go":       "package left\n\nvar L int = \"\"\n",
		"b/c.go":          "package b\n\nimport \"C\"\n\nvar X C.nosuch // left out without cgo\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string][]string{
		"linux/arm64":   nil,
		"windows/amd64": {"a_windows.go:3:16: "},
		"darwin/arm64":  {"a_darwin.go:5:16: ", "a_test.go:3:9: undefined: only"},
	} {
		got, err := check(dir, platform, "mine", "example.org/m/left", []string{"./..."})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %q", platform, got, want)
			continue
		}
		for i, text := range want {
			if !strings.Contains(got[i], text) {
				t.Errorf("%s: %q, want %q", platform, got[i], text)
			}
		}
	}
	if _, err := check(dir, "windows", "", "", []string{"./..."}); err == nil {
		t.Error("windows: no error")
	}
	if got, err := check(dir, "windows/amd64", "", "", []string{"./nosuch"}); err == nil && len(got) == 0 {
		t.Error("a folder that does not exist: no error")
	}
}
