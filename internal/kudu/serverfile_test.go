package kudu

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/fixtures"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

func serverFileOf(t testing.TB, b []byte) *serverFile {
	t.Helper()
	if !Format().Match(b[:min(64, len(b))], nil) {
		t.Fatalf("%q is not known", b[:min(8, len(b))])
	}
	f, err := Format().Open(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f.(*serverFile)
}

// dumps returns the dump of a file, as text and as JSON.
func (f *serverFile) dumps(t testing.TB) (string, map[string]any) {
	t.Helper()
	var text, raw bytes.Buffer
	if err := errors.Join(f.Dump(t.Context(), &text), f.DumpJSON(t.Context(), &raw)); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&raw)
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%v: %s", err, raw.Bytes())
	}
	return text.String(), doc
}

// eachFile calls fn with the files of a real server that begin with a magic.
func (s *realServer) eachFile(magic string, fn func(name string, b []byte)) {
	s.t.Helper()
	n := 0
	err := filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !beginsWith(path, magic) {
			return err
		}
		n++
		name, _ := filepath.Rel(s.root, path)
		fn(name, fixtures.Read(s.t, path))
		return nil
	})
	if err != nil || n == 0 {
		s.t.Errorf("%d files begin with %s: %v", n, magic, err)
	}
}

// Each container of real servers says what Google's protobuf makes of it with the descriptors that Kudu has put into it.
func TestDumpContainers(t *testing.T) {
	for _, manager := range managers {
		readOnlyServer(t, manager).eachFile(containerMagic, func(name string, b []byte) {
			if err := serverFileOf(t, b).Verify(t.Context(), func(err error) { t.Errorf("%s: %v", name, err) }); err != nil {
				t.Error(err)
			}
			text, doc := serverFileOf(t, b).dumps(t)
			for _, bad := range []string{"! ", "not explained", "not known"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s: %q in\n%s", name, bad, text)
				}
			}
			c, err := kw.OpenContainer(b)
			if err != nil {
				t.Fatal(err)
			}
			if doc["type"] != c.Type || doc["kind"] != kw.KindOf(c.Type) || doc["kind"] == "" || doc["faults"] != nil {
				t.Errorf("%s: %v, %v, %v", name, doc["type"], doc["kind"], doc["faults"])
			}
			typ := messageType(t, b)
			messages := doc["messages"].([]any)
			for i := 0; ; i++ {
				raw, ok := c.Next()
				if !ok {
					if len(messages) != i {
						t.Errorf("%s: %d messages, want %d", name, len(messages), i)
					}
					return
				}
				want := dynamicpb.NewMessage(typ)
				if err := proto.Unmarshal(raw, want); err != nil {
					t.Fatal(err)
				}
				sameMessage(t, fmt.Sprintf("%s: message %d", name, i), messages[i], want)
			}
		})
	}
}

// messageType returns the type of the messages in a container, as its first record describes it.
func messageType(t *testing.T, b []byte) protoreflect.MessageDescriptor {
	t.Helper()
	n := int(b[16]) | int(b[17])<<8
	var set descriptorpb.FileDescriptorSet
	typ := ""
	for m := pb.New(b[24 : 24+n]); m.Next(); {
		switch m.Num {
		case 1:
			if err := proto.Unmarshal(m.Bytes(), &set); err != nil {
				t.Fatal(err)
			}
		case 2:
			typ = m.String()
		}
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(typ))
	if err != nil {
		t.Fatal(err)
	}
	return d.(protoreflect.MessageDescriptor)
}

func sameMessage(t *testing.T, at string, got any, want protoreflect.Message) {
	t.Helper()
	fields, ok := got.(map[string]any)
	if !ok {
		t.Errorf("%s: %v", at, got)
		return
	}
	n := 0
	want.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		n++
		at := at + "." + string(f.Name())
		switch list, isList := fields[string(f.Name())].([]any); {
		case !f.IsList() && !f.IsMap():
			sameValue(t, at, fields[string(f.Name())], f, v)
		case f.IsMap():
			t.Errorf("%s: a map, which Kudu does not use", at)
		case !isList || len(list) != v.List().Len():
			t.Errorf("%s: %v, want %d elements", at, fields[string(f.Name())], v.List().Len())
		default:
			for i, x := range list {
				sameValue(t, fmt.Sprintf("%s[%d]", at, i), x, f, v.List().Get(i))
			}
		}
		return true
	})
	if len(fields) != n {
		t.Errorf("%s: %d fields, want %d: %v", at, len(fields), n, fields)
	}
}

func sameValue(t *testing.T, at string, got any, f protoreflect.FieldDescriptor, v protoreflect.Value) {
	t.Helper()
	want := fmt.Sprint(v.Interface())
	switch f.Kind() {
	case protoreflect.MessageKind:
		sameMessage(t, at, got, v.Message())
		return
	case protoreflect.EnumKind:
		want = string(f.Enum().Values().ByNumber(v.Enum()).Name())
	case protoreflect.BytesKind:
		if want = string(v.Bytes()); got != want {
			want = hex.EncodeToString(v.Bytes())
		}
	case protoreflect.Fixed64Kind:
		want = kw.BlockName(v.Uint())
	}
	if fmt.Sprint(got) != want {
		t.Errorf("%s: %v, want %s", at, got, want)
	}
}

// Segments of real logs: each entry, and the rows of each write; but no token.
func TestDumpSegments(t *testing.T) {
	readOnlyServer(t, "file").eachFile("kudulogf", func(name string, b []byte) {
		text, doc := serverFileOf(t, b).dumps(t)
		for _, bad := range []string{"! ", "not explained", "not known"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: %q in\n%s", name, bad, text)
			}
		}
		src := local.NewBytesSource(b)
		s, err := parseSegment("wal-000000001", src)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		sr := segmentReader{ctx: t.Context(), limit: 1 << 20, bound: &memoryBound{limit: 1 << 30}, report: &logReport{}}
		_, err = sr.read(s, src, func(x *batch, _ int64) error {
			for _, e := range x.entries {
				rows := int64(0)
				if e.Type == kw.EntryReplicate && e.Op == kw.OpWrite {
					rows = countRows(e.Body, testLimits)
				}
				want = append(want, fmt.Sprintf("%d %s %s %d %d", e.Type, e.Op, e.ID, e.Time, rows))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range doc["batches"].([]any) {
			for _, e := range x.(map[string]any)["entry"].([]any) {
				got = append(got, entryText(e.(map[string]any)))
			}
		}
		if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("%s:\n%s\nwant\n%s", name, a, b)
		}
		if n := strings.Count(text, "INSERT ") + strings.Count(text, "UPDATE ") + strings.Count(text, "DELETE ") + strings.Count(text, "UPSERT "); strings.Contains(text, "WRITE_OP, at") && n == 0 {
			t.Errorf("%s: no rows", name)
		}
		if strings.Contains(text, "authz_token") && !strings.Contains(text, " bytes, not shown") {
			t.Errorf("%s: a token is shown", name)
		}
	})
}

// entryText is what a dumped entry says, in one line.
func entryText(e map[string]any) string {
	if c, ok := e["commit"].(map[string]any); ok {
		return fmt.Sprintf("%d %s %s 0 0", kw.EntryCommit, c["op_type"], idText(c["commited_op_id"])) //nolint:misspell // the name that Kudu gives it
	}
	r := e["replicate"].(map[string]any)
	rows := 0
	if w, ok := r["write_request"].(map[string]any); ok {
		rows = len(w["row_operations"].([]any))
	}
	return fmt.Sprintf("%d %s %s %s %d", kw.EntryReplicate, r["op_type"], idText(r["id"]), r["timestamp"], rows)
}

func idText(id any) string {
	m := id.(map[string]any)
	return fmt.Sprintf("%s.%s", m["term"], m["index"])
}

// A write as it was made, all of it: values, nulls, and what is not set; the token of the request is in no form of the dump.
func TestDumpWrite(t *testing.T) {
	const token = "secret-user"
	request := writeOf(madeColumns, rowOp(kw.RowInsert, 7, int32(-5), "text\n", unset), rowOp(kw.RowUpdateIgnore, 8, nil, unset, unset)).str(6, token)
	s := newSegment(1, blockcodec.None, false, schemaOf(madeColumns, true), 0)
	s.add(replicateOf(1, 1, 4096e6, kw.OpWrite, request)).close()
	text, doc := serverFileOf(t, s.b).dumps(t)
	for _, want := range []string{
		"REPLICATE 1.1, WRITE_OP, at 1970-01-01T00:00:01Z", `INSERT k = 7, a = -5, s = "text\n"`, "UPDATE_IGNORE k = 8, a = null", "authz_token: 11 bytes, not shown", "num_entries: 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	raw, _ := json.Marshal(doc)
	if strings.Contains(text, token) || strings.Contains(string(raw), token) || strings.Contains(string(raw), hex.EncodeToString([]byte(token))) {
		t.Error("the token is shown")
	}
	if want := `"row_operations":[{"columns":{"a":"-5","k":"7","s":"text\n"},"op":"INSERT"},{"columns":{"a":null,"k":"8"},"op":"UPDATE_IGNORE"}]`; !strings.Contains(string(raw), want) {
		t.Errorf("no %s in %s", want, raw)
	}
}

// What is cut or damaged is dumped as far as it can be read, and what is wrong is said.
func TestDumpDamaged(t *testing.T) {
	server := readOnlyServer(t, "log")
	r := rand.New(rand.NewSource(1))
	for _, magic := range []string{containerMagic, "kudulogf"} {
		server.eachFile(magic, func(name string, b []byte) {
			for range 4 {
				cut := b[:8+r.Intn(len(b)-8)]
				_, doc := serverFileOf(t, cut).dumps(t)
				if magic == containerMagic && doc["faults"] == nil && len(cut) > 16 && !recordEnds(cut) {
					t.Errorf("%s: cut at %d, and nothing is said", name, len(cut))
				}
				bad := bytes.Clone(b)
				bad[8+r.Intn(len(b)-8)] ^= 1 << r.Intn(8)
				f := serverFileOf(t, bad)
				faults := 0
				if err := f.Verify(t.Context(), func(err error) { checkFault(t, err); faults++ }); err != nil || magic == containerMagic && faults == 0 {
					t.Errorf("%s: damaged, %d faults, %v", name, faults, err)
				}
				if text, doc := f.dumps(t); magic == containerMagic && (doc["faults"] == nil || !strings.Contains(text, "! ")) {
					t.Errorf("%s: damaged, and nothing is said", name)
				}
			}
		})
	}
}

// recordEnds reports whether a container ends where a record does.
func recordEnds(b []byte) bool {
	c, err := kw.OpenContainer(b)
	if err != nil {
		return false
	}
	for ok := true; ok; {
		_, ok = c.Next()
	}
	return c.Err == nil
}

// A file of a server has no rows, which is an error that leads to those who read it.
func TestServerFileRows(t *testing.T) {
	b := protoContainer("kudu.InstanceMetadataPB", protoMsg{}.str(1, "uuid").str(2, "made"))
	f := serverFileOf(t, b)
	r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Release()
	}
	if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "instance file of a directory") || !strings.Contains(err.Error(), "arrowio dump") {
		t.Error(err)
	}
	info, err := f.Info(t.Context(), arrowio.InfoOptions{})
	if err != nil || info.Rows != arrowio.UnknownRows || info.Facts[0].Value != "instance file of a directory" {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := Format().Open(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{Limits: arrowio.Limits{MetadataBytes: 10}}); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("limit: %v", err)
	}
}

func FuzzServerFile(f *testing.F) {
	f.Add(protoContainer("kudu.tablet.TabletSuperBlockPB", protoMsg{}.str(1, "t").num(10, 1)))
	f.Add(protoContainer("kudu.consensus.ConsensusMetadataPB", protoMsg{}.sub(1, protoMsg{}.sub(3, protoMsg{}.str(1, "u").num(2, 1)))))
	s := newSegment(1, blockcodec.LZ4, false, schemaOf(madeColumns, true), 0)
	f.Add(s.add(replicateOf(1, 1, 1, kw.OpWrite, writeOf(madeColumns, rowOp(kw.RowInsert, 7, int32(-5), "x", unset)))).close().b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if !matchServerFile(b, nil) {
			return
		}
		file, err := openServerFile(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{Limits: arrowio.Limits{BlockBytes: 1 << 20}})
		if err != nil {
			checkFault(t, err)
			return
		}
		file.(*serverFile).dumps(t)
	})
}
