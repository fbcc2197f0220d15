package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
	"time"
)

const downloads = "https://github.com/arrowio/arrowio/releases/download/"

var formula = template.Must(template.New("arrowio.rb").Parse(`class Arrowio < Formula
  desc "ORC, Trevni and Kudu files to Apache Arrow and back"
  homepage "https://github.com/arrowio/arrowio"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Systems}}
  on_{{.Name}} do
{{- range .Archives}}
    on_{{.Arch}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "arrowio"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/arrowio.bash" => "arrowio"
    zsh_completion.install "completions/_arrowio"
    fish_completion.install "completions/arrowio.fish"
  end

  test do
    (testpath/"a.csv").write("n\n1\n2\n")
    system bin/"arrowio", "convert", "a.csv", "a.orc"
    assert_equal "2", shell_output("#{bin}/arrowio count a.orc").strip
  end
end
`))

// writeFormula writes the Homebrew formula, which names the archives and their sums.
func (r *release) writeFormula() error {
	type archive struct{ Arch, URL, SHA256 string }
	type system struct {
		Name     string
		Archives []archive
	}
	var systems []system
	for _, s := range []struct{ name, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		one := system{Name: s.name}
		for _, t := range r.targets {
			if t.os != s.os || t.variant != "" {
				continue
			}
			name := t.name(r.number()) + ".tar.gz"
			sum, err := sumOf(filepath.Join(r.dist, name))
			if err != nil {
				return err
			}
			one.Archives = append(one.Archives, archive{map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch], downloads + r.tag + "/" + name, sum})
		}
		if len(one.Archives) > 0 {
			systems = append(systems, one)
		}
	}
	var b bytes.Buffer
	if err := formula.Execute(&b, map[string]any{"Version": r.number(), "Systems": systems}); err != nil {
		return err
	}
	return r.deliver("arrowio.rb", b.Bytes())
}

// writeSBOM lets CycloneDX's tool list what is linked into the first target's command, with licences.
func (r *release) writeSBOM() error {
	tool, err := r.toolDir()
	if err != nil {
		return err
	}
	_, err = r.command(nil, "go", "-C", tool, "tool", "cyclonedx-gomod", "bin", "-json", "-licenses", "-std", "-noserial", "-notimestamp",
		"-version", r.tag, "-output", filepath.Join(r.dist, "arrowio_"+r.number()+"_sbom.cdx.json"), r.binary(r.targets[0]))
	return err
}

// toolDir is this module's folder in the source.
func (r *release) toolDir() (string, error) {
	dir := filepath.Join(r.source, "internal", "release")
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return dir, err
}

// writeSums writes what the files were made from, and their sums.
func (r *release) writeSums() error {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	type digest struct {
		SHA256 string `json:"sha256"`
	}
	type subject struct {
		Name   string `json:"name"`
		Digest digest `json:"digest"`
	}
	var subjects []subject
	var sums strings.Builder
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(r.dist, e.Name()))
		if err != nil {
			return err
		}
		subjects = append(subjects, subject{e.Name(), digest{sum}})
		fmt.Fprintf(&sums, "%s  %s\n", sum, e.Name())
	}
	version, err := r.command(nil, "go", "env", "GOVERSION")
	if err != nil {
		return err
	}
	targets := make([]string, len(r.targets))
	for i, t := range r.targets {
		targets[i] = strings.TrimSpace(t.platform() + " " + t.variant)
	}
	statement := map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":          "https://github.com/arrowio/arrowio/internal/release",
				"externalParameters": map[string]any{"version": r.tag, "targets": targets},
				"internalParameters": map[string]any{"go": strings.TrimSpace(string(version)), "host": runtime.GOOS + "/" + runtime.GOARCH},
				"resolvedDependencies": []any{map[string]any{
					"uri":    "git+https://github.com/arrowio/arrowio@refs/tags/" + r.tag,
					"digest": map[string]string{"gitCommit": r.commit},
				}},
			},
			"runDetails": map[string]any{
				"builder":  map[string]string{"id": "https://github.com/arrowio/arrowio/internal/release"},
				"metadata": map[string]string{"startedOn": r.time.Format(time.RFC3339)},
			},
		},
	}
	data, err := json.MarshalIndent(statement, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if err := r.deliver("provenance.json", data); err != nil {
		return err
	}
	fmt.Fprintf(&sums, "%x  provenance.json\n", sha256.Sum256(data))
	return r.deliver("SHA256SUMS", []byte(sums.String()))
}

func sumOf(name string) (string, error) {
	data, err := os.ReadFile(name)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
