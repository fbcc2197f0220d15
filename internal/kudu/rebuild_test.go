package kudu

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kudu/rebuild"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// bareServer copies a real server without its superblocks and logs.
func bareServer(t testing.TB, from string) *realServer {
	t.Helper()
	bare := &realServer{t, t.TempDir()}
	if err := os.CopyFS(bare.root, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{tabletMetaName, walsName} {
		if err := os.RemoveAll(bare.path("wal", name)); err != nil {
			t.Fatal(err)
		}
	}
	return bare
}

// rebuiltRows is what came back of a server's rows.
type rebuiltRows struct {
	flushed int // rows that the intact server has, without its logs
	back    int // those that are there, with all values of the columns that their rowset stores
	wrong   int // rows that are there and should not: with old values, or deleted
	doubts  int // warnings
}

func (r rebuiltRows) String() string {
	return fmt.Sprintf("%d of %d rows, %d others, %d warnings", r.back, r.flushed, r.wrong, r.doubts)
}

// knownBlock says of a block what the intact server has it for.
type knownBlock struct {
	table  string
	column string // name; "" = dropped since
}

// measured is a real server, and what is known of its rows and blocks.
type measured struct {
	intact, bare *realServer
	truth        map[string][]map[string]string // flushed rows by table, cells by column
	blocks       map[uint64]knownBlock          // of columns
}

func newMeasured(t testing.TB, intact *realServer) *measured {
	t.Helper()
	m := &measured{intact: intact, bare: bareServer(t, intact.root), truth: map[string][]map[string]string{}, blocks: map[uint64]knownBlock{}}
	s, err := openServer(t.Context(), intact.root, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := s.dirs.Tablets()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		sb, err := s.dirs.SuperBlock(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range sb.Blocks() {
			x := knownBlock{table: sb.TableName}
			if i := sb.Schema.Index(u.Column); i >= 0 {
				x.column = sb.Schema.Columns[i].Name
			}
			if u.Role == kuduwire.BlockOfColumn {
				m.blocks[u.Block] = x
			}
		}
		if sb.State == kuduwire.TabletReady {
			m.truth[sb.TableName] = nil
		}
	}
	for table := range m.truth {
		m.truth[table] = cellsByName(t, intact.must(arrowio.ForRows, "kudu-table="+table, "kudu-wal=skip").(*File))
	}
	return m
}

// rebuilt compares what comes back of the server without superblocks with the rows that the intact one has.
func (m *measured) rebuilt(t testing.TB, level string, schemas ...string) (out rebuiltRows) {
	t.Helper()
	left := map[string][]map[string]string{}
	for table, rows := range m.truth {
		left[table] = slices.Clone(rows)
		out.flushed += len(rows)
	}
	s, err := openServer(t.Context(), m.bare.root, arrowio.Limits{}, Options{Rebuild: level, Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	f := &File{server: s, dirs: s.dirs, blocks: s.blocks, limits: s.limits, opt: s.opt, sizes: usualSizes}
	tablets, err := s.rebuildTablets(t.Context(), &f.findings)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tablets {
		f.tablets, f.parts, f.splits = nil, nil, nil
		if err := f.withData([]*tablet{x}); err != nil {
			t.Fatal(err)
		}
		if err := f.openTablets(t.Context()); err != nil {
			t.Fatal(err)
		}
		names := rebuiltNames(t, f, x, m.blocks)
		for _, row := range cellsByName(t, f) {
			renamed := map[string]string{}
			for k, v := range row {
				if n := names[k]; n != "" {
					renamed[n] = v
				}
			}
			if takeRow(left, renamed) {
				out.back++
			} else {
				out.wrong++
			}
		}
	}
	out.doubts = len(f.Warnings())
	return out
}

// rebuiltNames says what the columns of a rebuilt table are called in the intact server; those that are not stored in all its
// rowsets are left out.
func rebuiltNames(t testing.TB, f *File, x *tablet, blocks map[uint64]knownBlock) map[string]string {
	t.Helper()
	out := map[string]string{}
	for i := range x.super.Schema.Columns {
		c := &x.super.Schema.Columns[i]
		for k := range x.super.RowSets {
			for _, b := range x.super.RowSets[k].Columns {
				is, ok := blocks[b.Block]
				switch {
				case b.ID != c.ID || !ok:
				case out[c.Name] != "" && out[c.Name] != is.column:
					t.Errorf("%s: column %s is both %s and %s", x.id, c.Name, out[c.Name], is.column)
				default:
					out[c.Name] = is.column
				}
			}
		}
		if x.rebuilt.table.Hint != nil {
			out[c.Name] = c.Name
		}
	}
	return out
}

// takeRow takes a row out of the table that has it. Decimals of columns without a known scale are integers.
func takeRow(truth map[string][]map[string]string, row map[string]string) bool {
	for table, rows := range truth {
		for i, r := range rows {
			same := true
			for k, v := range row {
				w, ok := r[k]
				if same = ok && (v == w || v == strings.ReplaceAll(w, ".", "")); !same {
					break
				}
			}
			if same {
				truth[table] = slices.Delete(rows, i, i+1)
				return true
			}
		}
	}
	return false
}

// cellsByName returns the rows of a table, cells by column, as text.
func cellsByName(t testing.TB, f *File) (out []map[string]string) {
	t.Helper()
	for _, line := range scanText(t, f, arrowio.ScanOptions{}) {
		row := map[string]string{}
		for i, cell := range cellsOfLine(t, line) {
			row[f.Schema().Field(i).Name] = strings.TrimPrefix(strings.Trim(cell, `"`), "0.")
		}
		out = append(out, row)
	}
	return out
}

// What comes back of a server of each block manager without superblocks and logs, as docs/rescue.md has it.
func TestRebuildMeasured(t *testing.T) {
	doc := string(fixtures.Read(t, "../../docs/rescue.md"))
	var servers []*measured
	for _, manager := range managers {
		servers = append(servers, newMeasured(t, readOnlyServer(t, manager)))
	}
	for _, level := range []string{"sure", "likely", "doubtful"} {
		var both []rebuiltRows
		for i, manager := range managers {
			plain := servers[i].rebuilt(t, level)
			named := servers[i].rebuilt(t, level, servers[i].intact.path("wal", tabletMetaName))
			both = append(both, plain, named)
			if plain.doubts == 0 || named.doubts == 0 {
				t.Errorf("%s, %s: no doubts", manager, level)
			}
		}
		if both[0].back != both[2].back || both[0].wrong != both[2].wrong || both[1].back != both[3].back || both[1].wrong != both[3].wrong {
			t.Errorf("%s: the block managers differ: %v", level, both)
		}
		line := fmt.Sprintf("| `%s` | %d | %d | %d | %d |", level, both[0].back, both[0].wrong, both[1].back, both[1].wrong)
		if all := fmt.Sprintf("%d rows", both[0].flushed); !strings.Contains(doc, line) || !strings.Contains(doc, all) {
			t.Errorf("docs/rescue.md has not %q of %s", line, all)
		}
	}
}

// All blocks of each rowset are found together, by whichever block manager, and what belongs elsewhere is not among them.
func TestRebuildRowSets(t *testing.T) {
	for _, manager := range managers {
		intact := readOnlyServer(t, manager)
		s, err := openServer(t.Context(), intact.root, arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		ids, err := s.dirs.Tablets()
		if err != nil {
			t.Fatal(err)
		}
		want := map[uint64]*kuduwire.RowSet{}
		for _, id := range ids {
			sb, err := s.dirs.SuperBlock(id)
			if err != nil {
				t.Fatal(err)
			}
			for i := range sb.RowSets {
				want[sb.RowSets[i].Columns[0].Block] = &sb.RowSets[i]
			}
		}
		bare, err := openServer(t.Context(), bareServer(t, intact.root).root, arrowio.Limits{}, Options{Rebuild: "sure"})
		if err != nil {
			t.Fatal(err)
		}
		tablets, err := bare.rebuildTablets(t.Context(), &findings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range tablets {
			for _, got := range x.super.RowSets {
				is := want[got.Columns[0].Block]
				if is == nil {
					t.Fatalf("%s: rowset of block %d: there is none", manager, got.Columns[0].Block)
				}
				delete(want, got.Columns[0].Block)
				same := len(got.Columns) == len(is.Columns) && got.AdHoc == is.AdHoc && got.Bloom == is.Bloom
				for i := range got.Columns {
					same = same && got.Columns[i].Block == is.Columns[i].Block
				}
				if !same {
					t.Errorf("%s: rebuilt %+v\nwant %+v", manager, got, is)
				}
				for _, d := range got.Redo {
					if !slices.Contains(is.Redo, d) {
						t.Errorf("%s: REDO file %d is of another rowset than %d", manager, d, got.ID)
					}
				}
				if !slices.Equal(got.Undo, is.Undo) {
					t.Errorf("%s: rowset %d: UNDO files %d, want %d", manager, got.ID, got.Undo, is.Undo)
				}
			}
		}
		if len(want) > 0 {
			t.Errorf("%s: %d rowsets are missing", manager, len(want))
		}
	}
}

// Where one superblock of several is lost, its tablet gets the columns and the name of its table, and the others stay.
func TestRebuildOneTablet(t *testing.T) {
	for _, manager := range managers {
		intact := readOnlyServer(t, manager)
		all := clientRows(t, realRows(t), "partitioned")
		f := intact.table("partitioned")
		lost := f.tablets[0]
		s := &realServer{t, t.TempDir()}
		if err := os.CopyFS(s.root, os.DirFS(intact.root)); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(s.superPath(lost.id)); err != nil {
			t.Fatal(err)
		}
		lines, warnings, err := s.scanAll("kudu-table=partitioned", "kudu-rebuild=doubtful")
		if slices.Sort(lines); err != nil || !slices.Equal(lines, all) {
			t.Errorf("%s: %d rows, want %d: %v", manager, len(lines), len(all), err)
		}
		if !anyHas(warnings, lost.id, "no superblock") || !anyHas(warnings, "rebuilt-1", "likely") {
			t.Errorf("%s: %q", manager, warnings)
		}
		info, err := s.must(arrowio.ForInfo, "kudu-rebuild=likely").Info(t.Context(), arrowio.InfoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(info.Members, func(m arrowio.MemberInfo) bool { return m.Kind == kindRowSet })
		if i < 1 || info.Members[i].Name != "partitioned" || info.Members[i].State != "sure" || info.Members[i-1].State != "rebuilt, likely" {
			t.Errorf("%s: members %+v", manager, info.Members)
		}
	}
}

// A server without superblocks says how they can be done without, and options that do not go together are refused.
func TestRebuildOptions(t *testing.T) {
	s := bareServer(t, readOnlyServer(t, "file").root)
	for want, options := range map[string][]string{
		"--kudu-rebuild puts them together":     {"kudu-table=x"},
		"say with --kudu-rebuild":               {"kudu-schema=x"},
		"it takes sure, likely, doubtful":       {"kudu-rebuild=perhaps"},
		"and --kudu-block reads one":            {"kudu-rebuild=sure", "kudu-block=7"},
		"there are several tables":              {"kudu-rebuild=sure"},
		"no such file":                          {"kudu-rebuild=sure", "kudu-schema=" + s.path("none")},
		"neither a superblock, nor a log":       {"kudu-rebuild=sure", "kudu-schema=" + s.path("wal", "instance")},
		"no superblocks there, which are files": {"kudu-rebuild=sure", "kudu-schema=" + s.path("wal", "consensus-meta", "..", "..", "data")},
	} {
		if _, err := s.openAs(arrowio.ForRows, options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", options, err, want)
		}
	}
	if _, err := s.openAs(arrowio.ForVerify, "kudu-rebuild=sure"); err == nil || !strings.Contains(err.Error(), "verify checks") {
		t.Errorf("verify: %v", err)
	}
}

// FuzzRebuild puts a tablet together whose superblock is lost, and one of whose blocks is anything.
func FuzzRebuild(f *testing.F) {
	s := newFuzzServer(f)
	for i, b := range s.blocks {
		f.Add(uint8(i+1), b, uint8(i))
	}
	limits := arrowio.Limits{MetadataBytes: 1 << 20, BlockBytes: 1 << 20, BatchBytes: 16 << 20, SplitBytes: 16 << 20}
	f.Fuzz(func(t *testing.T, part uint8, b []byte, level uint8) {
		s.t = t
		o := s.put(1+int(part)%len(s.blocks), b)
		if err := os.Remove(s.path("wal", tabletMetaName, madeTablet)); err != nil {
			t.Fatal(err)
		}
		o.Rebuild = rebuild.Certainty(level%3 + 1).String()
		server, err := openServer(t.Context(), s.path("wal"), limits, o)
		if err != nil {
			t.Fatal(err)
		}
		tablets, err := server.rebuildTablets(t.Context(), &findings{})
		if err != nil {
			checkFuzzed(t, err)
			return
		}
		for _, x := range tablets {
			o.Tablet = x.id
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			table, err := Open(t.Context(), s.path("wal"), limits, o)
			if err != nil {
				checkFuzzed(t, err)
				continue
			}
			rows := int64(0)
			err = conformance.Everything(table, mem, 50, func(r arrow.Record) error {
				if rows += r.NumRows(); rows > 10_000 {
					return errEnough
				}
				return conformance.ValidateRecord(r)
			})
			if err != nil && !errors.Is(err, errEnough) {
				checkFuzzed(t, err)
			}
			if err := table.Close(); err != nil {
				t.Error(err)
			}
			mem.AssertSize(t, 0)
		}
	})
}
