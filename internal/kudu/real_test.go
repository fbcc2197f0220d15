package kudu

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const realServers = "../../testdata/kudu/kudu-1.17.1/"

// managers are the block managers that the servers of testdata use, one each.
var managers = []string{"file", "log"}

// realTable is what the manifest says of a table, which a client of Kudu and its own tools have told.
type realTable struct {
	Server    string
	Table     string
	Rows      int64
	Snapshots []struct {
		Timestamp uint64
		Rows      int64
	}
	Tablets []struct {
		State   string
		RowSets [][4]int64 // live rows, columns, UNDO files, REDO files
	}
}

func realTables(t testing.TB, manager string) []realTable {
	t.Helper()
	var m struct{ Tables []realTable }
	fixtures.ReadJSON(t, realServers+"manifest.json", &m)
	return slices.DeleteFunc(m.Tables, func(x realTable) bool { return x.Server != manager+".tar.gz" })
}

// realKeys returns the keys, where they are one column, of the rows that a client saw.
func realKeys(t testing.TB, rows, name string) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	for line := range strings.Lines(string(fixtures.Read(t, filepath.Join(rows, name+".jsonl")))) {
		key, _, _ := strings.Cut(line, ",")
		keys[key] = true
	}
	return keys
}

// realServer is a copy of a real server's directories.
type realServer struct {
	t    testing.TB
	root string
}

// shared is what tests that change nothing have unpacked, by the name in testdata. It goes away after the last test.
var shared struct {
	sync.Mutex
	dirs map[string]string
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range shared.dirs {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// unpackShared unpacks a file of testdata once for all tests, which must not change what they get.
func unpackShared(t testing.TB, name string) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if dir, ok := shared.dirs[name]; ok {
		return dir
	}
	dir, err := os.MkdirTemp("", "kudu")
	if err != nil {
		t.Fatal(err)
	}
	if shared.dirs == nil {
		shared.dirs = map[string]string{}
	}
	shared.dirs[name] = dir
	fixtures.UnpackInto(t, dir, realServers+name)
	return dir
}

// readOnlyServer is a real server for tests that change nothing.
func readOnlyServer(t testing.TB, manager string) *realServer {
	t.Helper()
	return &realServer{t, unpackShared(t, manager+".tar.gz")}
}

// realRows returns the folder of the rows that a client saw.
func realRows(t testing.TB) string {
	t.Helper()
	return unpackShared(t, "rows.tar.gz")
}

func (s *realServer) path(parts ...string) string {
	return filepath.Join(append([]string{s.root}, parts...)...)
}

// openAs opens the server with options as on the command line, one after the other: "kudu-table=x".
func (s *realServer) openAs(purpose arrowio.Purpose, options ...string) (arrowio.File, error) {
	o := arrowio.OpenOptions{Options: map[string]string{}, For: purpose}
	for _, x := range options {
		k, v, _ := strings.Cut(x, "=")
		o.Options[k] = v
	}
	return Format().OpenPath(context.Background(), s.root, o)
}

func (s *realServer) must(purpose arrowio.Purpose, options ...string) arrowio.File {
	s.t.Helper()
	f, err := s.openAs(purpose, options...)
	if err != nil {
		s.t.Fatalf("%s: %v", options, err)
	}
	s.t.Cleanup(func() { _ = f.Close() })
	return f
}

func (s *realServer) table(name string) *File {
	s.t.Helper()
	return s.must(arrowio.ForRows, "kudu-table="+name).(*File)
}

// verify returns the faults of a table.
func (s *realServer) verify(options ...string) []string {
	s.t.Helper()
	f, err := s.openAs(arrowio.ForVerify, options...)
	if err != nil {
		return []string{err.Error()}
	}
	defer f.Close()
	faults := []string{}
	err = f.(arrowio.Verifier).Verify(s.t.Context(), func(err error) { faults = append(faults, err.Error()) })
	if err != nil {
		s.t.Errorf("%s: %v", options, err)
	}
	return faults
}

// edit changes a file.
func (s *realServer) edit(path string, change func(b []byte) []byte) {
	s.t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(b), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// saved lets a test change the files of the server, and brings them back.
func (s *realServer) saved(paths []string, test func()) {
	s.t.Helper()
	old := make([][]byte, len(paths))
	for i, p := range paths {
		old[i] = fixtures.Read(s.t, p)
	}
	test()
	for i, p := range paths {
		if err := os.WriteFile(p, old[i], 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// editSuper changes the superblock of a tablet: message by message, as Kudu has them.
func (s *realServer) editSuper(tablet string, change func(m protoMsg) protoMsg) {
	s.t.Helper()
	s.edit(s.superPath(tablet), func(b []byte) []byte {
		c, err := kuduwire.OpenContainer(b)
		if err != nil {
			s.t.Fatal(err)
		}
		m, ok := c.Next()
		if !ok {
			s.t.Fatal(c.Err)
		}
		return protoContainer(c.Type, change(bytes.Clone(m)))
	})
}

// removeTablet removes all that tells of a tablet, as Kudu does.
func (s *realServer) removeTablet(id string) {
	s.t.Helper()
	for _, path := range []string{s.path("wal", "wals", id), s.path("wal", "consensus-meta", id), s.superPath(id)} {
		if err := os.RemoveAll(path); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *realServer) superPath(tablet string) string { return s.path("wal", "tablet-meta", tablet) }

// eachField calls change with the fields of a message that have a number and are messages or bytes, and puts what it
// returns in their places.
func eachField(t testing.TB, m protoMsg, number protowire.Number, change func(i int, v []byte) []byte) protoMsg {
	t.Helper()
	var out protoMsg
	i := 0
	for len(m) > 0 {
		num, typ, n := protowire.ConsumeField(m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		if num != number || typ != protowire.BytesType {
			out, m = append(out, m[:n]...), m[n:]
			continue
		}
		_, _, k := protowire.ConsumeTag(m)
		v, _ := protowire.ConsumeBytes(m[k:n])
		out = out.str(num, string(change(i, bytes.Clone(v))))
		i++
		m = m[n:]
	}
	return out
}
