package kudu

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// noted reports whether one of the notes has all the words.
func noted(notes []string, words ...string) bool {
	return slices.ContainsFunc(notes, func(n string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(n, w) })
	})
}

func TestDirsBesideEachOther(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	s.data("data", "log", 0)
	for _, path := range []string{s.root, s.path("wal"), s.path("wal") + "/"} {
		d, err := OpenDirs(DirOptions{Wal: path})
		if err != nil {
			t.Fatal(err)
		}
		if d.UUID != "server" || filepath.Clean(d.Wal) != s.path("wal") || filepath.Clean(d.Metadata) != s.path("wal") || len(d.Data) != 1 ||
			d.Data[0].Path != s.path("data", "data") || d.Data[0].Type != kuduwire.DirLog || d.Data[0].UUID != "d0" || len(d.Missing) > 0 || len(d.Notes()) > 0 {
			t.Errorf("%s: %+v", path, d)
		}
	}
}

// Kudu's default: everything in one directory.
func TestDirsInOne(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("k")
	s.data("k", "file", 0)
	for _, o := range []DirOptions{{Wal: s.path("k")}, {Wal: s.path("k"), Data: []string{s.path("k")}}, {Wal: s.path("k"), Data: []string{s.path("k", "data")}}} {
		d, err := OpenDirs(o)
		if err != nil || len(d.Data) != 1 || d.Data[0].Type != kuduwire.DirFile || d.Metadata != s.path("k") || len(d.Notes()) > 0 {
			t.Errorf("%+v: %+v, %v", o, d, err)
		}
	}
	// Only the blocks.
	d, err := OpenDirs(DirOptions{Data: []string{s.path("k")}})
	if err != nil || d.Wal != "" || d.LogDir(madeTablet) != "" || d.Metadata != s.path("k") {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := OpenDirs(DirOptions{}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("nothing: %v", err)
	}
}

func TestDirsNone(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	s.write(nil, "file")
	for name, c := range map[string]struct {
		o    DirOptions
		kind error
	}{
		"not there":    {DirOptions{Wal: s.path("nowhere")}, fs.ErrNotExist},
		"a file":       {DirOptions{Wal: s.path("file")}, nil},
		"not a server": {DirOptions{Wal: s.path("wal", "wals")}, errs.ErrOption},
		"no data":      {DirOptions{Wal: s.path("wal")}, errs.ErrOption},
		"wrong data":   {DirOptions{Wal: s.path("wal"), Data: []string{s.path("nowhere")}}, fs.ErrNotExist},
		"data a file":  {DirOptions{Wal: s.path("wal"), Data: []string{s.path("file")}}, nil},
		"empty mount":  {DirOptions{Wal: s.path("wal"), Data: []string{s.path("wal", "wals")}}, fs.ErrNotExist},
	} {
		if _, err := OpenDirs(c.o); err == nil || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		if c.o.Data == nil {
			continue
		}
		c.o.Salvage = true
		if d, err := OpenDirs(c.o); err != nil || len(d.Data) != 0 || !noted(d.Notes(), "left out", c.o.Data[0]) {
			t.Errorf("%s, salvage: %+v, %v", name, d, err)
		}
	}
}

func TestDirsOfSeveralDisks(t *testing.T) {
	s := newServer(t, "server", "d0", "d1", "d2")
	s.wal("wal")
	s.superBlock("wal", madeTablet, 1)
	for i, dir := range []string{"a", "b", "c"} {
		s.data(dir, "log", i)
	}
	d, err := OpenDirs(DirOptions{Wal: s.path("wal"), Data: []string{s.path("c"), s.path("a"), s.path("b")}})
	if err != nil || len(d.Missing) > 0 || len(d.Notes()) > 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	d, err = OpenDirs(DirOptions{Wal: s.path("wal"), Data: []string{s.path("c"), s.path("a")}})
	if err != nil || !slices.Equal(d.Missing, []string{"d1"}) || !noted(d.Notes(), "1 of 3", "d1") {
		t.Fatalf("%+v, %v", d, err)
	}
	sb, err := d.SuperBlock(madeTablet)
	if err != nil || !slices.Equal(d.Absent(sb.DataDirs), []string{"d1"}) {
		t.Errorf("%v, %v", d.Absent(sb.DataDirs), err)
	}
	// A disk is dead: what says that it was the server's is gone.
	if err := os.RemoveAll(s.path("b", "data")); err != nil {
		t.Fatal(err)
	}
	o := DirOptions{Wal: s.path("wal"), Data: []string{s.path("a"), s.path("b"), s.path("c")}}
	if _, err = OpenDirs(o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	o.Salvage = true
	if d, err = OpenDirs(o); err != nil || len(d.Data) != 2 || !slices.Equal(d.Missing, []string{"d1"}) || !noted(d.Notes(), "left out", s.path("b")) {
		t.Errorf("%+v, %v", d, err)
	}
	// Its instance file is damaged, and its blocks may be good.
	s.write([]byte("\xff\xff"), "b", "data", "block_manager_instance")
	o.Salvage = false
	if _, err = OpenDirs(o); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), s.path("b", "data", "block_manager_instance")) {
		t.Errorf("%v", err)
	}
	o.Salvage = true
	if d, err = OpenDirs(o); err != nil || len(d.Data) != 3 || !noted(d.Notes(), "cannot be read", s.path("b")) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDirsOfOthers(t *testing.T) {
	s := newServer(t, "server", "d0", "d1")
	s.wal("wal")
	s.data("data", "log", 0)
	s.data("second", "log", 1)
	other := &madeServer{t: t, root: s.root, uuid: "another", dirs: []string{"x0"}}
	other.data("foreign", "log", 0)
	refuse := func(name string, kind errs.Kind, o DirOptions, words ...string) {
		t.Helper()
		for _, o.Salvage = range []bool{false, true} {
			_, err := OpenDirs(o)
			if !errors.Is(err, kind) || !noted([]string{err.Error()}, words...) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	two := func(dir string) DirOptions {
		return DirOptions{Wal: s.path("wal"), Data: []string{s.path("data"), s.path(dir)}}
	}
	refuse("foreign", errs.ErrOption, two("foreign"), s.path("foreign"), "another", "server")

	// The same without proof of the server: the sets do not fit.
	if err := os.Remove(s.path("foreign", "instance")); err != nil {
		t.Fatal(err)
	}
	refuse("foreign set", errs.ErrOption, two("foreign"), "x0", "d0")

	// A copy, and the same by another name.
	s.data("copy", "log", 0)
	refuse("copy", errs.ErrOption, two("copy"), "copies", s.path("copy"), s.path("data"))
	if err := os.Symlink(s.path("data"), s.path("link")); err != nil {
		t.Fatal(err)
	}
	if d, err := OpenDirs(two("link")); err != nil || len(d.Data) != 1 || !noted(d.Notes(), "twice") {
		t.Errorf("%+v, %v", d, err)
	}

	// One that knows of the others, which do not know it.
	added := &madeServer{t: t, root: s.root, uuid: "server", dirs: []string{"d0", "d1", "d2"}}
	added.data("added", "log", 2)
	if d, err := OpenDirs(two("added")); err != nil || len(d.Data) != 2 || !noted(d.Notes(), "d0", "does not know", "d2") {
		t.Errorf("%+v, %v", d, err)
	}

	later := &madeServer{t: t, root: s.root, uuid: "server", dirs: []string{"d0", "d1"}}
	later.data("rocks", "logr", 1)
	into := two("rocks")
	into.ForImport = true
	refuse("other block manager", errs.ErrUnsupported, into, `"logr"`, "with a client of Kudu")

	s.write(protoContainer("kudu.InstanceMetadataPB", protoMsg{}.str(1, "server").str(3, "abcdef")), "second", "instance")
	refuse("encrypted", errs.ErrUnsupported, two("second"), "encrypted", "--kudu-encryption-key")

	// A sibling that is another's is not taken for the server's.
	k := newServer(t, "server", "d0")
	k.wal("wal")
	k.data("wal", "log", 0)
	o := &madeServer{t: t, root: k.root, uuid: "another", dirs: []string{"x0"}}
	o.data("data", "log", 0)
	if d, err := OpenDirs(DirOptions{Wal: k.path("wal")}); err != nil || len(d.Data) != 1 || !noted(d.Notes(), "another server", k.path("data")) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDirsWithoutProof(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	s.data("data", "log", 0)
	s.container("data", "c", []uint64{1})
	for _, path := range []string{s.path("wal", "instance"), s.path("data", "instance"), s.path("data", "data", "block_manager_instance")} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDirs(DirOptions{Wal: s.path("wal")})
	if err != nil || d.UUID != "" || len(d.Data) != 1 || d.Data[0].Type != kuduwire.DirLog || len(d.Notes()) != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	// An instance file that is damaged is another matter.
	s.write([]byte("kuducntr"), "wal", "instance")
	if _, err = OpenDirs(DirOptions{Wal: s.path("wal")}); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	if d, err = OpenDirs(DirOptions{Wal: s.path("wal"), Salvage: true}); err != nil || !noted(d.Notes(), "left out", "instance") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestMetadataDir(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	s.data("data", "log", 0)
	s.wal("meta")
	s.superBlock("meta", madeTablet, 1)
	d, err := OpenDirs(DirOptions{Wal: s.path("wal"), Metadata: s.path("meta")})
	if err != nil || d.Metadata != s.path("meta") || d.Wal != s.path("wal") {
		t.Fatalf("%+v, %v", d, err)
	}
	if ids, err := d.Tablets(); err != nil || !slices.Equal(ids, []string{madeTablet}) {
		t.Errorf("%v, %v", ids, err)
	}
	if d.LogDir(madeTablet) != s.path("wal", "wals", madeTablet) || d.LogDir("..") != "" {
		t.Error(d.LogDir(madeTablet))
	}
	// The metadata directory in place of the log's: blocks and superblocks, but no log.
	if err := os.Remove(s.path("meta", "wals")); err != nil {
		t.Fatal(err)
	}
	if d, err = OpenDirs(DirOptions{Wal: s.path("meta"), Data: []string{s.path("data")}}); err != nil || d.Wal != "" || !noted(d.Notes(), "no wals") {
		t.Errorf("%+v, %v", d, err)
	}
	for name, path := range map[string]string{"no metadata": s.path("data"), "nowhere": s.path("nowhere")} {
		if _, err := OpenDirs(DirOptions{Wal: s.path("wal"), Metadata: path}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := &madeServer{t: t, root: s.root, uuid: "another"}
	other.wal("others")
	if _, err := OpenDirs(DirOptions{Wal: s.path("wal"), Metadata: s.path("others")}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("another server's: %v", err)
	}

	// Up to Kudu 1.6 superblocks are in the first data directory.
	s.superBlock("data", madeTablet, 1)
	if d, err = OpenDirs(DirOptions{Wal: s.path("wal")}); err != nil || d.Metadata != s.path("data") {
		t.Errorf("%+v, %v", d, err)
	}
	s.superBlock("wal", madeTablet, 1)
	if _, err = OpenDirs(DirOptions{Wal: s.path("wal")}); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), s.path("data")) {
		t.Errorf("two: %v", err)
	}
	for _, dir := range []string{"wal", "data"} {
		if err := os.RemoveAll(s.path(dir, "tablet-meta")); err != nil {
			t.Fatal(err)
		}
	}
	if d, err = OpenDirs(DirOptions{Wal: s.path("wal")}); err != nil || d.Metadata != "" || !noted(d.Notes(), "no tablet-meta") {
		t.Errorf("%+v, %v", d, err)
	}
	if ids, err := d.Tablets(); err != nil || len(ids) > 0 {
		t.Errorf("%v, %v", ids, err)
	}
	if _, err := d.SuperBlock(madeTablet); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestTabletFiles(t *testing.T) {
	s := newServer(t, "server", "d0")
	s.wal("wal")
	s.data("data", "log", 0)
	s.superBlock("wal", madeTablet, 1)
	const second = "ffffffffffffffffffffffffffffffff"
	s.write(protoContainer("kudu.consensus.ConsensusMetadataPB", protoMsg{}.str(1, string(protoMsg{}.str(3, string(protoMsg{}.str(1, "server").num(2, 1)))))),
		"wal", "consensus-meta", madeTablet)
	for _, name := range []string{madeTablet + ".kudutmp.aXc", ".kudutmp", "lost+found", strings.ToUpper(second)} {
		s.write(nil, "wal", "tablet-meta", name)
	}
	b, err := os.ReadFile(s.path("wal", "tablet-meta", madeTablet))
	if err != nil {
		t.Fatal(err)
	}
	s.write(b, "wal", "tablet-meta", second)
	d, err := OpenDirs(DirOptions{Wal: s.path("wal")})
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := d.Tablets(); err != nil || !slices.Equal(ids, []string{madeTablet, second}) {
		t.Errorf("%v, %v", ids, err)
	}
	if sb, err := d.SuperBlock(madeTablet); err != nil || sb.TableName != "table" {
		t.Errorf("%+v, %v", sb, err)
	}
	if c, err := d.consensus(madeTablet); err != nil || !c.SoleVoter(d.UUID) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := d.SuperBlock(second); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), madeTablet) {
		t.Errorf("under another's name: %v", err)
	}
	if _, err := d.consensus(second); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"", "..", "../instance", madeTablet[1:], strings.ToUpper(second)} {
		if _, err := d.SuperBlock(name); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %v", name, err)
		}
	}
	s.write(b[:len(b)-5], "wal", "tablet-meta", second)
	var e *errs.Error
	if _, err := d.SuperBlock(second); !errors.As(err, &e) || !strings.Contains(err.Error(), s.path("wal", "tablet-meta", second)) {
		t.Errorf("cut: %v", err)
	}
	d.lim.MetadataBytes = 10
	if _, err := d.SuperBlock(madeTablet); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("limit: %v", err)
	}
}
