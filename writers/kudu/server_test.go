package kudu

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const realServers = "../../testdata/kudu/kudu-1.17.1/"

// managers are the block managers that the servers of testdata have, one each.
var managers = []string{"file", "log"}

// server is a copy of a real server's directories.
type server struct {
	t    testing.TB
	root string
}

func newServer(t testing.TB, manager string) *server {
	t.Helper()
	return &server{t, fixtures.Unpack(t, realServers+manager+".tar.gz")}
}

func (s *server) path(parts ...string) string {
	return filepath.Join(append([]string{s.root}, parts...)...)
}

func (s *server) dirs() *reader.Dirs {
	s.t.Helper()
	d, err := reader.OpenDirs(reader.DirOptions{Wal: s.path("wal"), Data: []string{s.path("data")}})
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// tablets returns the superblocks of a table's tablets, by their ids.
func (s *server) tablets(table string) (out []*kuduwire.SuperBlock) {
	s.t.Helper()
	d := s.dirs()
	ids, err := d.Tablets()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, id := range ids {
		b, err := d.SuperBlock(id)
		if err != nil {
			s.t.Fatal(err)
		}
		if b.TableName == table {
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		s.t.Fatalf("no table %s", table)
	}
	return out
}

func (s *server) tablet(table string) *kuduwire.SuperBlock { return s.tablets(table)[0] }

// options are those of an import into a tablet.
func (s *server) options(set *madeSet, tablet string) ImportOptions {
	return ImportOptions{ops: operations{quick: true}, Set: set.dir, Wal: s.path("wal"), Data: []string{s.path("data")}, Tablet: tablet}
}

// table returns the schema of a table.
func (s *server) table(name string) *kuduwire.Schema { return s.tablet(name).Schema }

func (s *server) imports(set *madeSet, tablet string) *ImportReport {
	s.t.Helper()
	r, err := Import(context.Background(), s.options(set, tablet))
	if err != nil {
		s.t.Fatal(err)
	}
	if !r.Done {
		s.t.Fatal("not done")
	}
	return r
}

// rows returns the rows of a table, a line each, sorted.
func (s *server) rows(table string) []string {
	s.t.Helper()
	rows, err := readRows(s.root, table)
	if err != nil {
		s.t.Fatal(err)
	}
	return rows
}

func readRows(root, table string) ([]string, error) {
	ctx := context.Background()
	f, err := reader.Open(ctx, filepath.Join(root, "wal"), arrowio.Limits{}, reader.Options{Data: []string{filepath.Join(root, "data")}, Table: table, StringsBinary: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rr, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{})
	if err != nil {
		return nil, err
	}
	defer rr.Release()
	var out []string
	for rr.Next() {
		out = append(out, lines(rr.Record())...)
	}
	slices.Sort(out)
	return out, rr.Err()
}

func lines(rec arrow.Record) []string {
	out := make([]string, rec.NumRows())
	for i := range out {
		cells := make([]string, rec.NumCols())
		for j := range cells {
			cells[j] = rec.ColumnName(j) + "=" + valueText(rec.Column(j), i)
		}
		out[i] = strings.Join(cells, " ")
	}
	return out
}

func valueText(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "null"
	}
	return a.ValueStr(i)
}

// verify returns the faults of a table.
func (s *server) verify(table string) []string {
	s.t.Helper()
	ctx := context.Background()
	f, err := reader.Format().OpenPath(ctx, s.path("wal"), arrowio.OpenOptions{
		Options: map[string]string{"kudu-table": table, "kudu-data-dir": s.path("data")}, For: arrowio.ForVerify,
	})
	if err != nil {
		return []string{err.Error()}
	}
	defer f.Close()
	faults := []string{}
	if err := f.(arrowio.Verifier).Verify(ctx, func(err error) { faults = append(faults, err.Error()) }); err != nil {
		s.t.Error(err)
	}
	return faults
}

// contents returns all files below a directory.
func contents(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() {
			out[name] = "a directory"
			return nil
		}
		b, err := os.ReadFile(path)
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// startable says why a server would not start with what lies in the data directory, or a tablet not open: rules of the log
// block manager, which a server checks before it serves anything, and blocks that superblocks name.
func (s *server) startable() error {
	dir := s.path("data", "data")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	owners := map[uint64]string{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), metadataSuffix)
		if !ok {
			if name, ok = strings.CutSuffix(e.Name(), dataSuffix); !ok {
				continue
			}
		}
		meta, metaErr := os.ReadFile(filepath.Join(dir, name+metadataSuffix))
		data, dataErr := os.Stat(filepath.Join(dir, name+dataSuffix))
		size := int64(0)
		if dataErr == nil {
			size = data.Size()
		}
		if len(meta) < 16 && size == 0 {
			continue // removed by the server
		}
		if metaErr != nil {
			return fmt.Errorf("%s: data, and no records", name)
		}
		records, damage, err := kuduwire.ParseBlockRecords(meta, nil)
		if err != nil || damage.Skipped > 0 {
			return fmt.Errorf("%s: %w, %+v", name, err, damage)
		}
		live := kuduwire.LiveBlocks(records, &damage)
		if dataErr != nil && len(live) > 0 {
			return fmt.Errorf("%s: records of blocks, and no data", name)
		}
		for _, r := range live {
			if other := owners[r.ID]; other != "" && other != name {
				return fmt.Errorf("block %d in %s and %s", r.ID, name, other)
			}
			owners[r.ID] = name
			if r.Off < 0 || r.Off+r.Length > size {
				return fmt.Errorf("%s: block %d ends behind the data", name, r.ID)
			}
		}
	}
	d, err := reader.OpenDirs(reader.DirOptions{Wal: s.path("wal"), Data: []string{s.path("data")}})
	if err != nil {
		return err
	}
	blocks, err := reader.OpenBlocks(context.Background(), d)
	if err != nil {
		return err
	}
	defer blocks.Close()
	ids, err := d.Tablets()
	if err != nil {
		return err
	}
	for _, id := range ids {
		b, err := d.SuperBlock(id)
		if err != nil {
			return err
		}
		for _, u := range b.Blocks() {
			if err := blocks.Check(u.Block); err != nil {
				return fmt.Errorf("tablet %s: block %d: %w", id, u.Block, err)
			}
		}
	}
	return nil
}

// someCell makes a cell of a column from a number.
func someCell(c *kuduwire.Column, n int) []byte {
	if c.Nullable && n%5 == 3 {
		return nil
	}
	if c.Type.Binary() {
		return []byte(strings.Repeat(string(rune('a'+n%26)), n%7) + c.Name[:1])
	}
	if c.Type == cfilewire.Bool {
		return []byte{byte(n & 1)}
	}
	return le(c.Type, int64(n%100))
}

// newImporter opens what an import opens first.
func newImporter(t testing.TB, s *server) *importer {
	t.Helper()
	im := &importer{ctx: context.Background()}
	im.Limits = im.Limits.WithDefaults()
	im.dirs = s.dirs()
	var err error
	if im.blocks, err = reader.OpenBlocks(im.ctx, im.dirs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = im.blocks.Close() })
	return im
}
