package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "release:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("release", flag.ContinueOnError)
	tag := fs.String("version", "", "the `VERSION`, as v0.9.0")
	source := fs.String("source", "../..", "`DIR` of the source: a clean git checkout")
	out := fs.String("out", "../../dist", "`DIR` of the files that are made; it must not exist")
	targets := fs.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "`PLATFORMS` of the command")
	duckdb := fs.String("duckdb", "linux/amd64,linux/arm64", "`PLATFORMS` of the command with DuckDB, for which a C++ compiler is needed; \"\" = none")
	licences := fs.String("licences", "", "write the licences of what is linked, and nothing else, to this `FILE`")
	changed := fs.Bool("allow-changes", false, "build from a checkout with changes, to try it")
	if err := fs.Parse(args); err != nil {
		return err
	}
	r := &release{ctx: ctx, tag: *tag}
	var err error
	if r.source, err = filepath.Abs(*source); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	plain, err := parseTargets(*targets, "")
	if err != nil {
		return err
	}
	withDuckDB, err := parseTargets(*duckdb, "duckdb")
	if err != nil {
		return err
	}
	r.targets = append(plain, withDuckDB...)
	if !semantic.MatchString(r.tag) {
		return fmt.Errorf("-version %q: a version is written as v0.9.0", r.tag)
	}
	if *licences != "" {
		if err := r.collectLicences(); err != nil {
			return err
		}
		return os.WriteFile(*licences, r.licences, 0o644)
	}
	if err := r.readCommit(*changed); err != nil {
		return err
	}
	if err := r.checkVersion(); err != nil {
		return err
	}
	return r.make()
}

var semantic = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// make makes everything in a folder beside the one that is asked for, which appears when it is complete.
func (r *release) make() (err error) {
	if _, err := os.Stat(r.out); err == nil {
		return fmt.Errorf("%s exists already", r.out)
	}
	if err := os.MkdirAll(filepath.Dir(r.out), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(r.out), ".release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r.work, r.dist = work, filepath.Join(work, "dist")
	if err := os.Mkdir(r.dist, 0o755); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"licences", r.collectLicences},
		{"manual pages and completions", r.writePages},
		{"commands", r.build},
		{"archives", r.archive},
		{"packages", r.pack},
		{"image", r.writeImage},
		{"Homebrew formula", r.writeFormula},
		{"bill of materials", r.writeSBOM},
		{"provenance and checksums", r.writeSums},
	} {
		fmt.Println(s.name)
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := os.Chmod(r.dist, 0o755); err != nil {
		return err
	}
	return os.Rename(r.dist, r.out)
}

// number is the version without its v, as packages write it.
func (r *release) number() string { return strings.TrimPrefix(r.tag, "v") }
