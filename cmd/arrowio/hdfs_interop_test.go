//go:build interop

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// hadoop is a running HDFS: hdfs-judge in a process of its own.
type hadoop struct {
	root string // hdfs://127.0.0.1:PORT
	in   io.WriteCloser
	out  *bufio.Scanner
}

// startHadoop starts a cluster, with a directory more one that asks for Kerberos.
func startHadoop(t *testing.T, kerberos ...string) *hadoop {
	t.Helper()
	jar := os.Getenv("ARROWIO_HDFS_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_HDFS_JUDGE_JAR is not set: run make interop")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "java", "-Xmx1g", "-XX:+UseSerialGC", "-jar", jar, t.TempDir())
	cmd.Args = append(cmd.Args, kerberos...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &hadoop{in: in, out: bufio.NewScanner(out)}
	h.out.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		_ = in.Close() // it ends then
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, errs.String())
		}
	})
	if !h.out.Scan() {
		t.Fatalf("no cluster: %s", errs.String())
	}
	address, ok := strings.CutPrefix(h.out.Text(), "READY ")
	if !ok {
		t.Fatal(h.out.Text())
	}
	h.root = "hdfs://" + address
	return h
}

// ask has the cluster do something, and returns its answer.
func (h *hadoop) ask(t *testing.T, format string, args ...any) string {
	t.Helper()
	if _, err := fmt.Fprintf(h.in, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
	if !h.out.Scan() {
		t.Fatal("the cluster ended")
	}
	answer, ok := strings.CutPrefix(h.out.Text(), "ok")
	if !ok {
		t.Fatalf(format+": %s", append(args, h.out.Text())...)
	}
	return strings.TrimSpace(answer)
}

// A real HDFS, of one namenode and two datanodes with blocks of a MiB: what is read there is what is read here, and what is
// written there is what Java reads.
func TestHDFS(t *testing.T) {
	h := startHadoop(t)
	t.Setenv("HADOOP_CONF_DIR", "")
	t.Setenv("HADOOP_HOME", "")
	t.Setenv("HADOOP_USER_NAME", "")
	t.Run("formats", h.formats)
	t.Run("partitions", h.partitions)
	t.Run("output", h.output)
	t.Run("blocks", h.blocks)
	t.Run("ranges", h.ranges)
	t.Run("replaced", h.replaced)
	t.Run("served", h.served)
	t.Run("put", h.takesPuts)
	t.Run("iceberg", h.iceberg)
	t.Run("mistakes", h.mistakes)
	t.Run("configuration", h.configuration)
	t.Run("faults", h.faults) // the last: a datanode is gone after it
}

// With Kerberos a keytab is enough to read and write, and without anything it is told what is missing.
func TestHDFSWithKerberos(t *testing.T) {
	dir := t.TempDir()
	h := startHadoop(t, dir)
	in := filepath.Join(dir, "in.csv")
	rows := "x\n" + strings.Repeat("12345678\n", 200_000) // two blocks
	if err := os.WriteFile(in, []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	h.ask(t, "put %s /d/in.csv", in)
	h.ask(t, "chmod /d 777")
	conf := t.TempDir()
	text := ""
	for k, v := range map[string]string{
		"fs.defaultFS": h.root, "hadoop.security.authentication": "kerberos", "dfs.namenode.kerberos.principal": "hdfs/localhost@ARROWIO.TEST",
	} {
		text += "<property><name>" + k + "</name><value>" + v + "</value></property>"
	}
	if err := os.WriteFile(filepath.Join(conf, "core-site.xml"), []byte("<configuration>"+text+"</configuration>"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HADOOP_CONF_DIR", conf)
	t.Setenv("KRB5_CONFIG", filepath.Join(dir, "krb5.conf"))
	t.Setenv("KRB5CCNAME", filepath.Join(dir, "none"))
	fails(t, do(t, "cat", "hdfs:///d/in.csv"), 2, "Kerberos", "KRB5_CLIENT_KTNAME")
	t.Setenv("KRB5_CLIENT_KTNAME", filepath.Join(dir, "reader.keytab"))
	if got := ok(t, "cat", "--format", "csv", "hdfs:///d/in.csv"); got != rows {
		t.Errorf("%d bytes", len(got))
	}
	ok(t, "convert", in, h.root+"/d/out.csv")
	sum := sha256.Sum256([]byte(rows))
	if got := h.ask(t, "sha /d/out.csv"); got != hex.EncodeToString(sum[:]) {
		t.Error("Java reads other bytes than were written here")
	}
}

const realFiles = "../../testdata/"

func (h *hadoop) formats(t *testing.T) {
	read := map[string]bool{}
	for _, pattern := range []string{
		"orc/java-2.3.1/*.orc", "trevni/java-1.12.1/*.trv", "ipc/*/types.arrow*", "parquet/*/groups.parquet", "csv/*/types.csv", "jsonl/*/rows.jsonl",
		"kudu/*/*.cfile", "kudu/*/*/*.cfile", "cfile/*.cfile", "cfile/*/*.cfile",
	} {
		files, err := filepath.Glob(realFiles + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range files {
			if len(files) > 10 && i%9 != 0 {
				continue
			}
			local, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			path := "/files/" + filepath.Base(filepath.Dir(f)) + "/" + filepath.Base(f)
			h.ask(t, "put %s %s", local, path)
			want, got := do(t, "cat", "--format", "jsonl", f), do(t, "cat", "--format", "jsonl", h.root+path)
			if got.out != want.out || got.code != want.code {
				t.Errorf("%s: exit %d and %d: %s", f, got.code, want.code, got.err)
			}
			if got.code == 0 {
				read[filepath.Ext(f)] = true
			}
		}
	}
	for _, ext := range []string{".orc", ".trv", ".cfile", ".arrow", ".arrows", ".parquet", ".csv", ".jsonl"} {
		if !read[ext] {
			t.Errorf("no %s was read", ext)
		}
	}
	orc, err := filepath.Glob(realFiles + "orc/java-2.3.1/*.orc")
	if err != nil || len(orc) == 0 {
		t.Fatal(err)
	}
	url := h.root + "/files/java-2.3.1/" + filepath.Base(orc[0])
	if got := ok(t, "verify", url); !strings.Contains(got, ": ok") {
		t.Error(got)
	}
	if got := ok(t, "schema", url); !strings.HasPrefix(got, url+": orc") {
		t.Error(got)
	}
	if got := ok(t, "inspect", url); !strings.Contains(got, url) {
		t.Error(got)
	}
}

// A table of ORC as Hive leaves it: files without endings below directories of keys.
func (h *hadoop) partitions(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 { // more than one listing gives
		in := filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		if err := os.WriteFile(in, fmt.Appendf(nil, "x,y\n%d,a\n%d,b\n", i, i+100), 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, fmt.Sprintf("%d.orc", i))
		ok(t, "convert", in, out)
		h.ask(t, "put %s /warehouse/t/d=2024-02-%02d/k=%s/000000_0", out, 1+i/2, []string{"one", "__HIVE_DEFAULT_PARTITION__"}[i%2])
	}
	h.ask(t, "put %s /warehouse/t/_tmp/d=1/k=2/000000_0", filepath.Join(dir, "0.orc"))
	root := h.root + "/warehouse/t"
	if got := ok(t, "cat", "--format", "csv", root); strings.Count(got, "\n") != 25 || !strings.HasPrefix(got, "x,y,d,k\n1,a,2024-02-01,\n") {
		t.Error(got)
	}
	if got := ok(t, "cat", "--format", "csv", "--where", "d = '2024-02-03' AND x > 100 AND k IS NULL", root); got != "x,y,d,k\n105,b,2024-02-03,\n" {
		t.Error(got)
	}
	if got := ok(t, "cat", "--format", "csv", "--columns", "d,x", root+"/d=*-0[12]/k=one"); got != "d,x\n2024-02-01,0\n2024-02-01,100\n2024-02-02,2\n2024-02-02,102\n" {
		t.Error(got)
	}
	if got := ok(t, "schema", "--partitions=none", root); !strings.Contains(got, "2 columns") {
		t.Error(got)
	}
}

func (h *hadoop) output(t *testing.T) {
	dir := t.TempDir()
	local := filepath.Join(dir, "people.arrow")
	writeIPC(t, local, personSchema, people(t, 0, 60_000)...) // several blocks
	h.ask(t, "put %s /out/in.arrow", local)
	for _, name := range []string{"a.parquet", "a.orc", "a.arrow", "a.jsonl"} {
		args := []string{"convert", "--jobs", "1"}
		if name == "a.jsonl" {
			args = append(args, "--columns", "id,name")
		}
		ok(t, append(args, local, filepath.Join(dir, name))...)
		ok(t, append(args, h.root+"/out/in.arrow", h.root+"/out/"+name)...)
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		if got := h.ask(t, "sha /out/%s", name); got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: Java reads other bytes than were written here", name)
		}
	}
	ok(t, "convert", "--max-file-bytes", "300KB", "--to", "ipc", local, h.root+"/out/parts")
	if got := ok(t, "scan", h.root+"/out/parts"); !strings.Contains(got, "60,000 rows") {
		t.Error(got)
	}
	fails(t, do(t, "convert", local, h.root+"/out/a.orc"), 2, h.root+"/out/a.orc: ", "--force")
	ok(t, "convert", "--force", "--rows", "0:10", local, h.root+"/out/a.orc")
	fails(t, do(t, "convert", "--force", "--to", "ipc", "--rows", "0:10", local, h.root+"/out/parts"), 2, "/out/parts", "is a directory")
	ok(t, "convert", "--force", "--to", "ipc", "--rows", "0:10", local, h.root+"/out/parts/")
	for _, path := range []string{"/out/a.orc", "/out/parts"} {
		if got := ok(t, "scan", h.root+path); !strings.Contains(got, "10 rows") {
			t.Errorf("%s: %s", path, got)
		}
	}
	fails(t, do(t, "convert", local, h.root+"/none/x.orc"), 3, h.root+"/none")
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	go func() {
		defer w.Close()
		for i := 0; ; i++ {
			if i == 500_000 {
				cancel()
			}
			if _, err := fmt.Fprintf(w, "%d,%d\n", i, i); err != nil {
				return
			}
		}
	}()
	o := doWith(t, ctx, r, "convert", "--from", "csv", "-", h.root+"/out/interrupted.arrow")
	_ = r.Close() // ends the writer
	if o.code != exitInterrupted {
		t.Errorf("%d: %s", o.code, o.err)
	}
	if got := h.ask(t, "ls /out"); got != "/out/a.arrow /out/a.jsonl /out/a.orc /out/a.parquet /out/in.arrow /out/parts/ /out/parts/part-00000.arrow" {
		t.Error(got)
	}
}

// Trevni files are one block each, whatever their size; stripes of ORC lie within blocks. Java reads the same bytes as a local file
// has that is written with the same blocks.
func (h *hadoop) blocks(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	r := rand.New(rand.NewPCG(1, 2))
	rows := []byte("a,b\n")
	for i := range 400_000 {
		rows = fmt.Appendf(rows, "%d,%d\n", i, r.Int64())
	}
	if err := os.WriteFile(in, rows, 0o666); err != nil {
		t.Fatal(err)
	}
	h.ask(t, "put %s /blocks/in.csv", in)
	const mib = 1 << 20 // a block of the cluster
	info := func(path string) (size int64, groups []arrowio.GroupInfo) {
		var v arrowio.Info
		if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--blocks", path)), &v); err != nil {
			t.Fatal(err)
		}
		return v.Bytes, v.Groups
	}
	same := func(path, local string) {
		t.Helper()
		b, err := os.ReadFile(local)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		if got := h.ask(t, "sha %s", path); got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: Java reads other bytes than %s has", path, local)
		}
	}
	for _, args := range [][]string{{"one.trv"}, {"parts", "--to", "trevni", "--row-group-bytes", "2MB"}, {"small.trv", "--rows", "0:1000"}} {
		local := filepath.Join(dir, args[0])
		ok(t, append(append([]string{"convert", "--compression", "none"}, args[1:]...), in, local)...)
		ok(t, append(append([]string{"convert", "--compression", "none"}, args[1:]...), in, h.root+"/blocks/"+args[0])...)
		files, err := filepath.Glob(local + "/*")
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			files = []string{local}
		}
		for _, f := range files {
			fi, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			path := "/blocks/" + filepath.ToSlash(f[len(dir)+1:])
			if got, want := h.ask(t, "blocks %s", path), fmt.Sprintf("%d 0", max(mib, (fi.Size()+511)/512*512)); got != want {
				t.Errorf("%s, of %d bytes: %s, want %s", path, fi.Size(), got, want)
			}
			same(path, f)
		}
	}
	for name, x := range map[string]struct {
		block int64
		flags []string
	}{
		"auto.orc": {mib, nil}, "two.orc": {2 * mib, []string{"--orc-block-padding", "2MiB"}}, "none.orc": {mib, []string{"--orc-block-padding", "none"}},
	} {
		local, flags := filepath.Join(dir, name), []string{"convert", "--compression", "snappy", "--orc-row-index-stride", "5000"}
		ok(t, append(append(flags, x.flags...), in, h.root+"/blocks/"+name)...)
		if x.flags == nil {
			x.flags = []string{"--orc-block-padding", "1MiB"}
		}
		ok(t, append(append(flags, x.flags...), in, local)...)
		size, stripes := info(h.root + "/blocks/" + name)
		want := fmt.Sprint(x.block)
		for at := int64(0); at < size; at += x.block {
			want += fmt.Sprint(" ", at)
		}
		if got := h.ask(t, "blocks /blocks/%s", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		across := 0
		for _, s := range stripes {
			if s.Off/x.block != (s.Off+s.Bytes-1)/x.block {
				across++
			}
		}
		if (across > 0) != (name == "none.orc") || size < 3*mib {
			t.Errorf("%s, of %d bytes: %d of %d stripes lie across the edges of blocks", name, size, across, len(stripes))
		}
		same("/blocks/"+name, local)
		if got := ok(t, "verify", h.root+"/blocks/"+name); !strings.Contains(got, ": ok") {
			t.Error(got)
		}
	}
	h.mergedBlocks(t, in)
	fails(t, do(t, "convert", "--orc-block-padding", "64KiB", in, h.root+"/blocks/tiny.orc"), 3, "/blocks/tiny.orc", "dfs.namenode.fs-limits.min-block-size")
	if got := h.ask(t, "ls /blocks"); strings.Contains(got, "tiny") {
		t.Error(got)
	}
}

// mergedBlocks merges small files and splits the result: stripes that are copied lie within blocks, too, and a Trevni file is one block.
func (h *hadoop) mergedBlocks(t *testing.T, in string) {
	dir := t.TempDir()
	for i := range 12 { // of some 300 KB each
		ok(t, "convert", "--compression", "none", "--rows", fmt.Sprintf("%d:%d", 30_000*i, 30_000*(i+1)), in, filepath.Join(dir, fmt.Sprintf("%02d.orc", i)))
		ok(t, "convert", "--compression", "none", "--rows", fmt.Sprintf("%d:%d", 30_000*i, 30_000*(i+1)), in, filepath.Join(dir, fmt.Sprintf("%02d.trv", i)))
	}
	orc, err := filepath.Glob(dir + "/*.orc")
	if err != nil {
		t.Fatal(err)
	}
	trv, err := filepath.Glob(dir + "/*.trv")
	if err != nil {
		t.Fatal(err)
	}
	across := func(path string, block int64) (n int) {
		var v arrowio.Info
		if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--blocks", path)), &v); err != nil {
			t.Fatal(err)
		}
		if v.Bytes < 2*block {
			t.Errorf("%s: %d bytes", path, v.Bytes)
		}
		for _, s := range v.Groups {
			if s.Off/block != (s.Off+s.Bytes-1)/block {
				n++
			}
		}
		return n
	}
	const mib = 1 << 20
	out := h.root + "/blocks/merged.orc"
	ok(t, append(append([]string{"merge"}, orc...), out)...)
	ok(t, "split", "--max-file-bytes", "2500KB", out, h.root+"/blocks/pieces/")
	ok(t, append(append([]string{"merge", "--orc-block-padding", "none"}, orc...), h.root+"/blocks/packed.orc")...)
	for path, want := range map[string]bool{out: false, h.root + "/blocks/pieces/part-00000.orc": false, h.root + "/blocks/packed.orc": true} {
		if n := across(path, mib); (n > 0) != want {
			t.Errorf("%s: %d stripes lie across the edges of blocks", path, n)
		}
		if got := ok(t, "verify", path); !strings.Contains(got, ": ok") {
			t.Error(got)
		}
	}
	ok(t, append(append([]string{"merge"}, trv...), h.root+"/blocks/merged.trv")...)
	if got := strings.Fields(h.ask(t, "blocks /blocks/merged.trv")); len(got) != 2 || got[1] != "0" {
		t.Errorf("blocks of a merged Trevni file: %v", got)
	}
}

// put makes a file of n random bytes.
func (h *hadoop) put(t *testing.T, path string, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	local := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(local, b, 0o666); err != nil {
		t.Fatal(err)
	}
	h.ask(t, "put %s %s", local, path)
	return b
}

// openSource opens a file through stores of its own, which end with the test.
func openSource(t *testing.T, url string) arrowio.OpenSource {
	t.Helper()
	st := stores.New(stores.Options{HDFS: stores.HDFSOptions{Retry: stores.Retry{Wait: 100 * time.Millisecond}}})
	src, err := st.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(src.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return src
}

// randomRanges reads ranges here and there, of any size, in several goroutines.
func randomRanges(t *testing.T, src arrowio.Source, want []byte) {
	t.Helper()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(uint64(g), 7))
			for range 25 {
				var rs []arrowio.ByteRange
				for range 1 + r.IntN(5) {
					off := r.IntN(len(want))
					rs = append(rs, arrowio.ByteRange{Off: int64(off), Len: int64(r.IntN(min(len(want)-off, 1+r.IntN(3<<20)) + 1))})
				}
				got, err := arrowio.ReadRanges(t.Context(), src, rs)
				if err != nil {
					t.Error(err)
					return
				}
				for i := range got {
					if !bytes.Equal(got[i], want[rs[i].Off:rs[i].End()]) {
						t.Errorf("%+v is wrong", rs[i])
					}
				}
			}
		}()
	}
	wg.Wait()
}

func (h *hadoop) ranges(t *testing.T) {
	want := h.put(t, "/ranges/x", 9_999_999)
	src := openSource(t, h.root+"/ranges/x")
	got, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal(err)
	}
	randomRanges(t, src, want)
	for _, n := range []int64{1, 200, 511, 512, 513, 30_000} { // little by little, over the ends of blocks
		for off := int64(0); off+n < int64(len(want)); off += n + 39_000 {
			got, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: off, Len: n}})
			if err != nil || !bytes.Equal(got[0], want[off:off+n]) {
				t.Fatalf("%d at %d: %v", n, off, err)
			}
		}
	}
	h.put(t, "/ranges/empty", 0)
	if src := openSource(t, h.root+"/ranges/empty"); src.Size() != 0 {
		t.Error(src.Size())
	}
}

func (h *hadoop) replaced(t *testing.T) {
	for name, change := range map[string]func(path string){
		"replaced": func(path string) { h.ask(t, "rm %s", path); h.put(t, path, 3<<20) },
		"written":  func(path string) { h.ask(t, "append %s more", path) },
		"removed":  func(path string) { h.ask(t, "rm %s", path) },
	} {
		path := "/replaced/" + name
		h.put(t, path, 3<<20)
		src := openSource(t, h.root+path)
		before, err := src.(arrowio.Identifier).Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		change(path)
		if _, err := arrowio.ReadRanges(t.Context(), src, []arrowio.ByteRange{{Off: 1 << 20, Len: 1 << 20}}); !errors.Is(err, stores.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := src.(arrowio.Identifier).Identity(t.Context()); err == nil && after == before {
			t.Errorf("%s: the same identity", name)
		}
	}
}

func (h *hadoop) mistakes(t *testing.T) {
	h.put(t, "/secret/x.csv", 100)
	h.ask(t, "chmod /secret 700")
	fails(t, do(t, "cat", h.root+"/none.csv"), 3, h.root+"/none.csv: ", "not exist")
	fails(t, do(t, "cat", h.root+"/none/*.csv"), 3, "not exist")
	t.Setenv("HADOOP_USER_NAME", "somebody")
	fails(t, do(t, "cat", h.root+"/secret/x.csv"), 3, h.root+"/secret/x.csv: ", "permission")
	fails(t, do(t, "cat", h.root+"/secret"), 3, h.root+"/secret", "permission")
	fails(t, do(t, "convert", realFiles+"csv/pyarrow-26.0.1/types.csv", h.root+"/x.orc"), 3, h.root+"/x.orc: ", "permission")
	if got := h.ask(t, "ls /"); strings.Contains(got, "x.orc") {
		t.Error(got)
	}
	st := stores.New(stores.Options{HDFS: stores.HDFSOptions{Retry: stores.Retry{Attempts: 2, Wait: time.Millisecond}}})
	defer st.Close()
	if _, err := st.Open(t.Context(), "hdfs://127.0.0.1:1/x"); !errors.Is(err, stores.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := st.Open(t.Context(), h.root+"/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Without a host a URL is of the file system that Hadoop is configured for; so is a name service.
func (h *hadoop) configuration(t *testing.T) {
	dir := t.TempDir()
	address := strings.TrimPrefix(h.root, "hdfs://")
	for name, text := range map[string]string{
		"core-site.xml": "<property><name>fs.defaultFS</name><value>hdfs://nearby</value></property>",
		"hdfs-site.xml": "<property><name>dfs.ha.namenodes.nearby</name><value>a,b</value></property>" +
			"<property><name>dfs.namenode.rpc-address.nearby.a</name><value>127.0.0.1:1</value></property>" +
			"<property><name>dfs.namenode.rpc-address.nearby.b</name><value>" + address + "</value></property>",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("<configuration>"+text+"</configuration>"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HADOOP_CONF_DIR", dir)
	want := ok(t, "cat", "--format", "csv", h.root+"/warehouse/t")
	for _, url := range []string{"hdfs:///warehouse/t", "hdfs://nearby/warehouse/t", "hdfs://" + address + "/warehouse/t"} {
		if got := ok(t, "cat", "--format", "csv", url); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}

// Datanodes that end and a namenode that starts anew are not seen by who reads.
func (h *hadoop) faults(t *testing.T) {
	want := h.put(t, "/faults/x", 6<<20)
	src := openSource(t, h.root+"/faults/x")
	if _, err := src.ReadAt(make([]byte, 1<<20), 100); err != nil {
		t.Fatal(err)
	}
	h.ask(t, "restart")
	st := stores.New(stores.Options{})
	defer st.Close()
	tree, err := st.Tree(h.root + "/faults")
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := tree.List(t.Context(), ""); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	randomRanges(t, src, want)
	h.ask(t, "kill")
	randomRanges(t, src, want)
	entries, err := tree.List(t.Context(), "")
	if err != nil || !slices.ContainsFunc(entries, func(e arrowio.TreeEntry) bool { return e.Name == "x" && e.Size == 6<<20 }) {
		t.Errorf("%v, %v", entries, err)
	}
}
