package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user of the image, as that of distroless images.
const nobody = "65532"

// writeImage writes an OCI layout with an image for each Linux: the command, a user, a folder for temporary files.
func (r *release) writeImage() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	images := 0
	for _, t := range r.targets {
		if t.os != "linux" || t.variant != "" {
			continue
		}
		image, err := r.image(t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.platform(), err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.os, Architecture: t.arch}},
		})
		images++
	}
	if images == 0 {
		return nil
	}
	dir := filepath.Join(r.work, "oci")
	if _, err := layout.Write(dir, mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index,
		Descriptor: v1.Descriptor{Annotations: map[string]string{
			"org.opencontainers.image.ref.name": r.number(),
			"io.containerd.image.name":          "ghcr.io/arrowio/arrowio:" + r.number(),
		}},
	})); err != nil {
		return err
	}
	files, err := readTree(dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeTar(&b, files, r.time); err != nil {
		return err
	}
	return r.deliver("arrowio_"+r.number()+"_oci.tar", b.Bytes())
}

func (r *release) image(t target) (v1.Image, error) {
	program, err := os.ReadFile(r.binary(t))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := writeTar(&b, []file{
		{"etc/", fs.ModeDir | 0o755, nil},
		{"etc/passwd", 0o644, []byte("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:" + nobody + ":" + nobody + ":nonroot:/:/sbin/nologin\n")},
		{"etc/group", 0o644, []byte("root:x:0:\nnonroot:x:" + nobody + ":\n")},
		{"tmp/", fs.ModeDir | fs.ModeSticky | 0o777, nil},
		{"usr/", fs.ModeDir | 0o755, nil},
		{"usr/bin/", fs.ModeDir | 0o755, nil},
		{"usr/bin/arrowio", 0o755, program},
		{"usr/share/", fs.ModeDir | 0o755, nil},
		{"usr/share/doc/", fs.ModeDir | 0o755, nil},
		{"usr/share/doc/arrowio/", fs.ModeDir | 0o755, nil},
		{"usr/share/doc/arrowio/copyright", 0o644, r.licences},
	}, r.time); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "arrowio " + r.tag},
	})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, r.imageConfig(t, image))
}

func (r *release) imageConfig(t target, image v1.Image) *v1.ConfigFile {
	c, err := image.ConfigFile()
	if err != nil {
		c = &v1.ConfigFile{}
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = t.os, t.arch, v1.Time{Time: r.time}
	c.Config = v1.Config{
		User:         nobody + ":" + nobody,
		Entrypoint:   []string{"/usr/bin/arrowio"},
		Cmd:          []string{"--help"},
		WorkingDir:   "/",
		StopSignal:   "SIGTERM", // drains a server
		ExposedPorts: map[string]struct{}{"8815/tcp": {}, "9815/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "arrowio",
			"org.opencontainers.image.description": "ORC, Trevni and Kudu files to Apache Arrow and back",
			"org.opencontainers.image.url":         "https://github.com/arrowio/arrowio",
			"org.opencontainers.image.source":      "https://github.com/arrowio/arrowio",
			"org.opencontainers.image.version":     r.number(),
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.time.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return c
}

// readTree reads all files below a folder, sorted by name.
func readTree(dir string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		name, err = filepath.Rel(dir, name)
		files = append(files, file{filepath.ToSlash(name), 0o644, data})
		return err
	})
	sort.Slice(files, func(i, j int) bool { return strings.Compare(files[i].name, files[j].name) < 0 })
	return files, err
}

// writeAt writes a file with a time.
func writeAt(name string, data []byte, at time.Time) error {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	return os.Chtimes(name, at, at)
}
