// Command platforms checks the types of packages and their tests as they are on other platforms. It compiles nothing: go vet would
// compile what the packages import, for each platform.
//
//	go run ./internal/platforms [-tags LIST] [-but PACKAGE] GOOS/GOARCH... -- PACKAGE...
//
// There is no cgo: -but leaves out a package that needs it.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	tags := flag.String("tags", "", "build tags, separated by commas")
	but := flag.String("but", "", "the path of a package that is left out")
	flag.Parse()
	cut := slices.Index(flag.Args(), "--")
	if cut < 1 || cut == flag.NArg()-1 {
		fmt.Fprintln(os.Stderr, "usage: platforms [-tags LIST] [-but PACKAGE] GOOS/GOARCH... -- PACKAGE...")
		os.Exit(2)
	}
	wrong := false
	for _, platform := range flag.Args()[:cut] {
		found, err := check(".", platform, *tags, *but, flag.Args()[cut+1:])
		if err != nil {
			found = append(found, err.Error())
		}
		for _, text := range found {
			fmt.Fprintf(os.Stderr, "%s: %s\n", platform, text)
			wrong = true
		}
	}
	if wrong {
		os.Exit(1)
	}
}

// check returns what is wrong with the packages that patterns name in a module, without cgo, in the order of their paths. The tests of
// packages are checked, too. Of what they import only the declarations are. One package is left out.
func check(dir, platform, tags, but string, patterns []string) ([]string, error) {
	system, machine, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("a platform is GOOS/GOARCH, as in windows/amd64")
	}
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Dir:        dir,
		Env:        append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=" + tags},
		Tests:      true,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(p *packages.Package) bool {
		return but != "" && strings.TrimSuffix(strings.TrimSuffix(p.PkgPath, ".test"), "_test") == but
	})
	if len(found) == 0 {
		return nil, fmt.Errorf("no packages are named %s", strings.Join(patterns, " "))
	}
	seen := map[string]bool{}
	var texts []string
	for _, p := range found {
		for _, e := range p.Errors {
			if text := e.Error(); !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	slices.Sort(texts)
	return texts, nil
}
