package kudu

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// layouts are servers that keep the same table in other ways: see testdata/kudu/layouts.py.
const layouts = "../../testdata/kudu/kudu-1.18.1/"

// layout is a copy of such a server.
func layout(t testing.TB, name string) *realServer {
	t.Helper()
	return &realServer{t, fixtures.Unpack(t, layouts+name+".tar.gz")}
}

// checkLayout compares the table with what Kudu's client saw, and verifies it.
func (s *realServer) checkLayout(options ...string) {
	s.t.Helper()
	var want []string
	for line := range strings.Lines(string(fixtures.Read(s.t, layouts+"rows.jsonl"))) {
		want = append(want, strings.TrimSpace(line))
	}
	got, warnings, err := s.scanAll(options...)
	if err != nil || len(warnings) > 0 {
		s.t.Fatalf("%v, warnings %q", err, warnings)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("got %d rows, want %d\n got %s\nwant %s", len(got), len(want), got, want)
	}
	if faults := s.verify(options...); len(faults) > 0 {
		s.t.Errorf("%q", faults)
	}
	v := s.overview()
	if len(v.tables) != 1 || v.tables[0].Name != "t" || len(v.Warnings()) > 0 {
		s.t.Errorf("%+v, %v", v.tables, v.Warnings())
	}
}

// Servers that keep the same table in other ways give the same rows.
func TestLayouts(t *testing.T) {
	for _, name := range []string{"encrypted-log", "encrypted-tenant-file", "logr", "encrypted-logr"} {
		t.Run(name, func(t *testing.T) { layout(t, name).checkLayout() })
	}
}

// instanceKey returns the key of a server, unwrapped, and takes it out of the instance files, as if a key service had wrapped it.
func (s *realServer) instanceKey() string {
	s.t.Helper()
	var key string
	for _, dir := range []string{"wal", "data"} {
		s.edit(s.path(dir, instanceName), func(b []byte) []byte {
			i, err := kuduwire.ParseInstance(b, arrowio.Limits{})
			if err != nil || len(i.Keys) != 1 {
				s.t.Fatalf("%+v, %v", i, err)
			}
			raw, err := hex.DecodeString(i.Keys[0])
			if err != nil {
				s.t.Fatal(err)
			}
			for i := range raw {
				raw[i] ^= 42
			}
			key = hex.EncodeToString(raw)
			wrapped := strings.Repeat("5a", 16)
			return protoContainer("kudu.InstanceMetadataPB", protoMsg{}.str(1, i.UUID).str(2, i.Stamp).str(3, wrapped).str(4, wrapped).str(5, "kudu_cluster_key@0"))
		})
	}
	return key
}

// A key that a key service has wrapped is named by an option; without it, and with another, nothing is read.
func TestKeyOption(t *testing.T) {
	s := layout(t, "encrypted-log")
	key := s.instanceKey()
	other := strings.Repeat("7f", 16)
	file := filepath.Join(t.TempDir(), "key")
	write := func(text string) string {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "kudu-encryption-key=" + file
	}
	refused := func(kind error, words string, options ...string) {
		t.Helper()
		for _, o := range [][]string{options, append(options, "kudu-salvage=true")} {
			_, _, err := s.scanAll(o...)
			if !errors.Is(err, kind) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), other) || strings.Contains(err.Error(), key) {
				t.Errorf("%q: %v", o, err)
			}
		}
	}
	refused(errs.ErrUnsupported, "their key (kudu_cluster_key@0) is not here")
	refused(errs.ErrOption, "no key of --kudu-encryption-key fits it", write(other))
	refused(errs.ErrOption, "line 2 is not a key", write(key+"\n"+other+"x"))
	refused(errs.ErrOption, "line 1: a key of 32 bits", write("00112233"))
	refused(errs.ErrOption, "there is no key", write("\n"))
	refused(errs.ErrOption, "no variable ARROWIO_TEST_NONE", "kudu-encryption-key=env:ARROWIO_TEST_NONE")
	refused(errs.ErrOption, "no such file", "kudu-encryption-key="+file+".none")
	if _, err := OpenDirs(DirOptions{Wal: s.path("wal"), ForImport: true}); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "load the rows with a client") {
		t.Errorf("import: %v", err)
	}

	got, warnings, err := s.scanAll(write(other + "\n" + strings.ToUpper(key) + "\n"))
	if err != nil || len(got) != 87 || len(warnings) > 0 {
		t.Errorf("%d rows, %q, %v", len(got), warnings, err)
	}
	t.Setenv("ARROWIO_TEST_KEY", key)
	if got, _, err := s.scanAll("kudu-encryption-key=env:ARROWIO_TEST_KEY"); err != nil || len(got) != 87 {
		t.Errorf("%d rows, %v", len(got), err)
	}
	// Without instance files nothing says that the key is not the right one, but that it fits.
	for _, dir := range []string{"wal", "data"} {
		if err := os.Remove(s.path(dir, instanceName)); err != nil {
			t.Fatal(err)
		}
	}
	if got, _, err := s.scanAll("kudu-encryption-key=env:ARROWIO_TEST_KEY"); err != nil || len(got) != 87 {
		t.Errorf("%d rows, %v", len(got), err)
	}
	refused(errs.ErrUnsupported, "name a file of it with --kudu-encryption-key")
}

// Damage of encrypted files is damage: it is found, and a salvage goes on.
func TestEncryptedDamage(t *testing.T) {
	s := layout(t, "encrypted-log")
	paths, err := filepath.Glob(s.path("wal", walsName, "*", segmentPrefix+"*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	last := paths[len(paths)-1]
	for name, change := range map[string]func(b []byte) []byte{
		"begins with others": func(b []byte) []byte { b[64] ^= 1; return b },
		"another key":        func(b []byte) []byte { b[8] ^= 1; return b },
		"another algorithm":  func(b []byte) []byte { b[7] = 9; return b },
		"half a header":      func(b []byte) []byte { return b[:40] },
	} {
		s.saved([]string{last}, func() {
			s.edit(last, change)
			if got, _, err := s.scanAll(); err == nil {
				t.Errorf("%s: %d rows", name, len(got))
			}
			if got, w, err := s.scanAll("kudu-salvage=true"); err != nil || len(got) == 0 || len(got) >= 87 || !anyHas(w, filepath.Base(last)) {
				t.Errorf("%s: %d rows, %q, %v", name, len(got), w, err)
			}
		})
	}
	// A server that was killed within an entry leaves its beginning; what is behind it was never written.
	b, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	end := len(bytes.TrimRight(b, "\x00"))
	if end == len(b) {
		t.Fatal("no space was set aside in the log")
	}
	s.saved([]string{last}, func() {
		s.edit(last, func(b []byte) []byte { clear(b[end-7:]); return b })
		_, w, err := s.scanAll()
		if err != nil || len(w) != 1 || !strings.Contains(w[0], "not a whole entry") {
			t.Errorf("torn: %q, %v", w, err)
		}
	})
}

// Files by themselves are decrypted with the instance file of the folders that they lie in, or a key.
func TestEncryptedFileAlone(t *testing.T) {
	s := layout(t, "encrypted-log")
	super, err := filepath.Glob(s.path("wal", tabletMetaName, "*"))
	if err != nil || len(super) != 1 {
		t.Fatal(super, err)
	}
	segments, _ := filepath.Glob(s.path("wal", walsName, "*", segmentPrefix+"*"))
	containers, _ := filepath.Glob(s.path("data", dataName, "*"+dataSuffix))
	dump := func(path, key string) (string, error) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := openServerFile(context.Background(), bytes.NewReader(b), arrowio.OpenOptions{Name: path, OpenSource: func(_ context.Context, name string) (arrowio.OpenSource, error) { return local.OpenFile(name) }, Options: map[string]string{"kudu-encryption-key": key}})
		if err != nil {
			return "", err
		}
		var text strings.Builder
		if err := f.(arrowio.Dumper).Dump(context.Background(), &text); err != nil {
			t.Fatal(err)
		}
		if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { t.Errorf("%s: %v", path, err) }); err != nil {
			t.Error(err)
		}
		return text.String(), nil
	}
	for path, want := range map[string]string{super[0]: `table_name: "t"`, segments[0]: filepath.Base(super[0]), containers[0]: "block 0"} {
		if text, err := dump(path, ""); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", path, err, text)
		}
	}
	alone := filepath.Join(t.TempDir(), "superblock")
	if err := os.Rename(super[0], alone); err != nil {
		t.Fatal(err)
	}
	if _, err := dump(alone, ""); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "no folder above it") {
		t.Errorf("%v", err)
	}
	key := s.instanceKey()
	t.Setenv("ARROWIO_TEST_KEY", key)
	if text, err := dump(alone, "env:ARROWIO_TEST_KEY"); err != nil || !strings.Contains(text, `table_name: "t"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := dump(segments[0], ""); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "kudu_cluster_key@0") {
		t.Errorf("%v", err)
	}
}
