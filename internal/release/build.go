package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// release is one run of the program.
type release struct {
	ctx         context.Context
	tag         string // v0.9.0
	commit      string
	time        time.Time // of the commit, which all files get
	source, out string    // absolute
	work, dist  string    // folders for what is made on the way, and for what is delivered
	targets     []target
	licences    []byte
	man         []file // manual pages, not compressed
	completions []file // named arrowio.bash, _arrowio, arrowio.fish, arrowio.ps1
}

// target is a platform that the command is built for.
type target struct {
	os, arch string
	variant  string // "duckdb", or "" = pure Go
}

func (t target) platform() string { return t.os + "/" + t.arch }

// name is that of the archive without its ending.
func (t target) name(number string) string {
	program := "arrowio"
	if t.variant != "" {
		program += "-" + t.variant
	}
	return fmt.Sprintf("%s_%s_%s_%s", program, number, map[string]string{"darwin": "macos"}[t.os]+map[bool]string{true: t.os}[t.os != "darwin"], t.arch)
}

func parseTargets(list, variant string) ([]target, error) {
	var ts []target
	for _, p := range strings.Split(list, ",") {
		if p == "" {
			continue
		}
		system, arch, ok := strings.Cut(p, "/")
		if !ok || system == "" || arch == "" {
			return nil, fmt.Errorf("%q is not a platform such as linux/amd64", p)
		}
		ts = append(ts, target{system, arch, variant})
	}
	return ts, nil
}

// binary is where the command of a target is built.
func (r *release) binary(t target) string {
	name := "arrowio"
	if t.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.work, t.variant+"_"+t.os+"_"+t.arch, name)
}

// readCommit finds the commit that is released, and that nothing was changed since.
func (r *release) readCommit(changed bool) error {
	status, err := r.command(nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if len(status) > 0 && !changed {
		return fmt.Errorf("%s has changes that are not committed:\n%s", r.source, status)
	}
	out, err := r.command(nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	r.commit, r.time = hash, time.Unix(n, 0).UTC()
	return nil
}

func (r *release) build() error {
	for _, t := range r.targets {
		fmt.Println(" ", t.platform(), t.variant)
		if err := r.goBuild(t, r.binary(t), t.variant); err != nil {
			return err
		}
	}
	return nil
}

// goBuild builds the command. It knows its version, and no path of this machine.
func (r *release) goBuild(t target, to, tags string) error {
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT="}
	flags := "-s -w -buildid= -X main.released=" + r.tag
	if t.variant == "duckdb" {
		cc, cxx := compilers(t)
		// Paths in C's messages and the linker's own id are of the machine, too.
		env = append(env, "CGO_ENABLED=1", "CC="+cc, "CXX="+cxx, "CGO_CFLAGS=-O2 -g0 -ffile-prefix-map="+r.source+"=/src", "CGO_LDFLAGS=-Wl,--build-id=none")
	}
	_, err := r.command(env, "go", "build", "-trimpath", "-buildvcs=true", "-tags", tags, "-ldflags", flags, "-o", to, "./cmd/arrowio")
	return err
}

// compilers are those of Debian for a Linux that is not this machine's, and this machine's own otherwise.
func compilers(t target) (cc, cxx string) {
	if t.os == "linux" && (runtime.GOOS != "linux" || runtime.GOARCH != t.arch) {
		prefix := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[t.arch] + "-linux-gnu-"
		return prefix + "gcc", prefix + "g++"
	}
	return "gcc", "g++"
}

// writePages lets the command itself, as it runs on this machine, write its manual pages and completions.
func (r *release) writePages() error {
	here := target{os: runtime.GOOS, arch: runtime.GOARCH}
	program, dir := filepath.Join(r.work, "pages", "arrowio"), filepath.Join(r.work, "man")
	if err := r.goBuild(here, program, "man"); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	date := "SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.time.Unix(), 10)
	if _, err := r.command([]string{date}, program, "man", dir); err != nil {
		return err
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			return err
		}
		r.man = append(r.man, file{p.Name(), 0o644, data})
	}
	if len(r.man) == 0 {
		return fmt.Errorf("no manual page was written")
	}
	for _, c := range []struct{ shell, name string }{
		{"bash", "arrowio.bash"}, {"zsh", "_arrowio"}, {"fish", "arrowio.fish"}, {"powershell", "arrowio.ps1"},
	} {
		script, err := r.command(nil, program, "completion", c.shell)
		if err != nil {
			return err
		}
		r.completions = append(r.completions, file{c.name, 0o644, script})
	}
	return nil
}

// command runs a program in the source and returns what it prints.
func (r *release) command(env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(r.ctx, name, args...)
	c.Dir = r.source
	c.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, errs.Bytes())
	}
	return out, nil
}
