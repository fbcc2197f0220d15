package kudu

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// Of each kind of small file the record is damaged that describes the others: a salvage reads all rows, and warns; without it,
// the error, if there is one, names the file and the option.
func TestDescriptions(t *testing.T) {
	s := newRealServer(t, "log")
	const table = "kudu-table=partitioned"
	f := s.table("partitioned")
	whole, _, err := s.scanAll(table)
	if err != nil {
		t.Fatal(err)
	}
	id := f.tablets[0].id
	path, _, err := f.blocks.At(f.tablets[0].super.RowSets[0].Columns[0].Block)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		fails      bool // without salvage
	}{
		{"superblock", s.superPath(id), true},
		{"consensus metadata", s.path("wal", consensusName, id), false},
		{"instance", s.path("wal", instanceName), true},
		{"instance of data", s.path("data", instanceName), true},
		{"block manager instance", s.path("data", "data", dirInstanceName), true},
		{"block records", strings.TrimSuffix(path, dataSuffix) + metadataSuffix, true},
	} {
		s.saved([]string{c.path}, func() {
			s.edit(c.path, func(b []byte) []byte { b[100] ^= 4; return b })
			got, _, err := s.scanAll(table)
			if c.fails && (!errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), "--kudu-salvage")) {
				t.Errorf("%s: %v", c.name, err)
			}
			if !c.fails && (err != nil || !slices.Equal(got, whole)) {
				t.Errorf("%s: %d rows, %v", c.name, len(got), err)
			}
			got, w, err := s.scanAll(table, "kudu-salvage=true")
			if err != nil || !slices.Equal(got, whole) || c.fails && !anyHas(w, c.path, "describes") || anyHas(w, "lost: ") {
				t.Errorf("%s: %d rows of %d, %v, %q", c.name, len(got), len(whole), err, w)
			}
			if faults := s.verify(table); c.fails && !anyHas(faults, filepath.Base(c.path)) {
				t.Errorf("%s: verify: %q", c.name, faults)
			}
			v, err := OpenOverview(t.Context(), s.root, arrowio.Limits{}, Options{})
			if err != nil {
				t.Errorf("%s: list: %v", c.name, err)
				return
			}
			if len(v.damaged) > 0 || c.name != "block records" && !anyHas(told(v), c.path) {
				t.Errorf("%s: list: %d damaged, %q", c.name, len(v.damaged), told(v))
			}
			_ = v.Close()
			text, doc := serverFileOf(t, fixtures.Read(t, c.path)).dumps(t)
			typ, _ := doc["kind"].(string)
			if typ == "" || !strings.Contains(text, "record 1: "+typ) || !strings.Contains(text, "the checksum of record 0") || len(doc["messages"].([]any)) == 0 {
				t.Errorf("%s: dump: %v\n%s", c.name, doc["faults"], text)
			}
		})
	}
}

// An instance file that cannot be read at all: the error names the option, a list of tables goes on with a warning.
func TestInstancesDamaged(t *testing.T) {
	s := newRealServer(t, "log")
	count := func() int {
		v, err := OpenOverview(t.Context(), s.root, arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		return len(v.tables)
	}
	tables := count()
	for _, path := range []string{s.path("wal", instanceName), s.path("data", instanceName), s.path("data", "data", dirInstanceName)} {
		s.saved([]string{path}, func() {
			s.edit(path, func(b []byte) []byte { return b[:len(b)-20] })
			if _, _, err := s.scanAll("kudu-table=changed"); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--kudu-salvage") {
				t.Errorf("%s: %v", path, err)
			}
			if got, w, err := s.scanAll("kudu-table=changed", "kudu-salvage=true"); err != nil || len(got) == 0 || !anyHas(w, path) {
				t.Errorf("%s: %d rows, %v, %q", path, len(got), err, w)
			}
			v, err := OpenOverview(t.Context(), s.root, arrowio.Limits{}, Options{})
			if err != nil || len(v.tables) != tables || !anyHas(told(v), path) {
				t.Errorf("%s: list: %v", path, err)
				return
			}
			_ = v.Close()
		})
	}
}

// A flip in the name of the messages' type does not hide what they are.
func TestDescribedTypeDamaged(t *testing.T) {
	s := readOnlyServer(t, "log")
	ids, err := os.ReadDir(s.path("wal", "tablet-meta"))
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.Clone(fixtures.Read(t, s.superPath(ids[0].Name())))
	const typ = "kudu.tablet.TabletSuperBlockPB"
	at := bytes.LastIndex(b, []byte(typ))
	b[at+3] ^= 1
	if _, err := kw.ParseSuperBlock(b, errs.Limits{}); !errors.Is(err, kw.ErrDescription) {
		t.Error(err)
	}
	if text, _ := serverFileOf(t, b).dumps(t); !strings.Contains(text, "record 1: superblock of a tablet") || !strings.Contains(text, "table_id: ") {
		t.Errorf("%s", text)
	}
}
