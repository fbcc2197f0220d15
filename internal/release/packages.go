package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the two formats register themselves
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// pack writes a deb and an rpm for each Linux.
func (r *release) pack() error {
	for _, t := range r.targets {
		if t.os != "linux" || t.variant != "" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			if err := r.packAs(format, t); err != nil {
				return fmt.Errorf("%s of %s: %w", format, t.platform(), err)
			}
		}
	}
	return nil
}

func (r *release) packAs(format string, t target) error {
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	contents, err := r.packageContents(format, t)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name:        "arrowio",
		Arch:        t.arch,
		Platform:    "linux",
		Version:     r.number(),
		Release:     "1",
		Section:     "utils",
		Priority:    "optional",
		Maintainer:  "The arrowio authors <arrowio@users.noreply.github.com>",
		Vendor:      "arrowio",
		Homepage:    "https://github.com/arrowio/arrowio",
		License:     "Apache-2.0",
		Description: "ORC, Trevni and Kudu files to Apache Arrow and back\nReads old and stranded columnar files straight into Apache Arrow, converts them\nto Parquet, Arrow, CSV and JSON lines, writes them, and serves them over Flight.",
		MTime:       r.time,
		Overridables: nfpm.Overridables{
			Contents: contents,
			RPM:      nfpm.RPM{BuildHost: "localhost", Group: "Applications/Databases", Summary: "ORC, Trevni and Kudu files to Apache Arrow and back"},
			Deb:      nfpm.Deb{Compression: "xz"},
		},
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := packager.Package(info, &b); err != nil {
		return err
	}
	return r.deliver(packager.ConventionalFileName(info), b.Bytes())
}

// packageContents are the files of a package, each where its distribution wants it.
func (r *release) packageContents(format string, t target) (files.Contents, error) {
	unit, err := r.sourceFile("docs/deploy/arrowio.service")
	if err != nil {
		return nil, err
	}
	unit.data = []byte(strings.ReplaceAll(string(unit.data), "/usr/local/bin/", "/usr/bin/"))
	readme, err := r.sourceFile("README.md")
	if err != nil {
		return nil, err
	}
	changes, err := r.sourceFile("CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	completion := map[string]string{
		"arrowio.bash": "/usr/share/bash-completion/completions/arrowio",
		"_arrowio":     map[string]string{"deb": "/usr/share/zsh/vendor-completions/_arrowio", "rpm": "/usr/share/zsh/site-functions/_arrowio"}[format],
		"arrowio.fish": "/usr/share/fish/vendor_completions.d/arrowio.fish",
	}
	all := []file{
		{"/usr/lib/systemd/system/arrowio.service", 0o644, unit.data},
		{"/usr/share/doc/arrowio/copyright", 0o644, r.licences},
		{"/usr/share/doc/arrowio/README.md", 0o644, readme.data},
		{"/usr/share/doc/arrowio/CHANGELOG.md", 0o644, changes.data},
	}
	for _, c := range r.completions {
		if to := completion[c.name]; to != "" {
			all = append(all, file{to, 0o644, c.data})
		}
	}
	for _, m := range r.man {
		page, err := compressed(m.data)
		if err != nil {
			return nil, err
		}
		all = append(all, file{"/usr/share/man/man1/" + m.name + ".gz", 0o644, page})
	}
	at := func(mode file) *files.ContentFileInfo {
		return &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode.mode, MTime: r.time}
	}
	contents := files.Contents{{Source: r.binary(t), Destination: "/usr/bin/arrowio", FileInfo: at(file{mode: 0o755})}}
	for i, f := range all {
		source := filepath.Join(r.work, fmt.Sprintf("%s_%s_%d", format, t.arch, i))
		if err := writeAt(source, f.data, r.time); err != nil {
			return nil, err
		}
		contents = append(contents, &files.Content{Source: source, Destination: f.name, FileInfo: at(f)})
	}
	return contents, nil
}

// compressed is a manual page as packages carry it.
func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	z.ModTime = time.Time{}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
