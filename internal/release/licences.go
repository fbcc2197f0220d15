package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is one that the command is linked from, as `go list` tells it.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// collectLicences puts the licences of all modules in the command, and of Go, into one text. A module without one is an
// error: it may not be given away.
func (r *release) collectLicences() error {
	modules, err := r.modules()
	if err != nil {
		return err
	}
	root, err := r.command(nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	modules = append(modules, module{Path: "Go, its standard library and runtime", Dir: strings.TrimSpace(string(root))})
	var b bytes.Buffer
	fmt.Fprintf(&b, "arrowio %s is under the Apache License 2.0, which comes first. The licences of what is linked into it follow.\n", r.tag)
	for _, m := range modules {
		texts, err := licenceTexts(m.Dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", strings.Repeat("=", 80), strings.TrimSpace(m.Path+" "+m.Version))
		for _, t := range texts {
			fmt.Fprintf(&b, "%s\n%s\n\n%s\n", strings.Repeat("-", 80), t.name, bytes.TrimSpace(t.data))
		}
	}
	r.licences = b.Bytes()
	return nil
}

// modules are those of all platforms and of DuckDB, this one first.
func (r *release) modules() ([]module, error) {
	seen := map[string]module{}
	for _, t := range r.targets {
		out, err := r.command([]string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=1"}, "go", "list", "-deps", "-tags", t.variant, "-json=Module", "./cmd/arrowio")
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(out))
		for {
			var p struct{ Module *module }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if m := p.Module; m != nil {
				if m.Replace != nil {
					m.Dir = m.Replace.Dir
				}
				seen[m.Path] = *m
			}
		}
	}
	var all []module
	for _, m := range seen {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int {
		if a.Main != b.Main {
			return map[bool]int{true: -1, false: 1}[a.Main]
		}
		return strings.Compare(a.Path, b.Path)
	})
	return all, nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|authors\.bsd)([-_.].*)?$`)

// licenceTexts are the licences in a folder and, of a module that is part of a larger repository, those beside it.
func licenceTexts(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []file
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, file{name: e.Name(), data: data})
	}
	if len(texts) == 0 {
		return nil, errors.New("no licence is among its files")
	}
	return texts, nil
}
