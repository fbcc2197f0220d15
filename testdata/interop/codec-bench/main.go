// Codec-bench decodes the compressed chunks of ORC files with this project's decoders and with C's (libdeflate, zstd, snappy,
// lz4), in turns, and prints how many megabytes of output each gave in a second of CPU time.
//
//	codec-bench -peer PROGRAM [-rounds N] [-mb N] [-json] FILE...
//
// With -json it prints an object a line: the file's name and codec, how many chunks there were, their bytes and packed bytes, and the
// medians of the nanoseconds that C and arrowio took.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// chunk is a compressed chunk, and how many bytes it holds.
type chunk struct {
	packed []byte
	raw    int
}

// orcFile is what an ORC file's stripes hold.
type orcFile struct {
	codec  blockcodec.Codec
	kind   orcwire.CompressionKind
	chunks []chunk // that are compressed
}

// result is a line of -json.
type result struct {
	File   string `json:"file"`
	Codec  string `json:"codec"`
	Chunks int    `json:"chunks"`
	Raw    int    `json:"raw_bytes"`
	Packed int    `json:"packed_bytes"`
	Theirs int64  `json:"c_ns"`
	Ours   int64  `json:"arrowio_ns"`
	best   [2]int64
}

const mostRaw = 8 << 20 // of a chunk, as the peer has it

func main() {
	log.SetFlags(0)
	peer := flag.String("peer", "", "the program made of peer/peer.c")
	rounds := flag.Int("rounds", 15, "how often each decoder decodes everything")
	mb := flag.Int("mb", 8, "how many megabytes of output to choose chunks for, evenly over a file; 0 takes all")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	runtime.LockOSThread()
	if !*asJSON {
		fmt.Println("| file | codec | chunks | ratio | C, MB/s | best | arrowio | best | times | of the best |")
		fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	}
	for _, path := range flag.Args() {
		f, err := load(path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		if len(f.chunks) == 0 {
			log.Fatalf("%s: no chunk is compressed", path)
		}
		if *mb > 0 {
			f.chunks = choose(f.chunks, *mb<<20)
		}
		r, err := measure(f, *rounds, *peer)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		r.File = filepath.Base(path)
		if err := r.print(*asJSON); err != nil {
			log.Fatal(err)
		}
	}
}

func (r result) print(asJSON bool) error {
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	rate := func(ns int64) float64 { return float64(r.Raw) * 1e3 / float64(ns) }
	_, err := fmt.Printf("| %s | %s | %d | %.1f | %.0f | %.0f | %.0f | %.0f | **%.2f** | %.2f |\n", r.File, r.Codec, r.Chunks,
		float64(r.Raw)/float64(r.Packed), rate(r.Theirs), rate(r.best[0]), rate(r.Ours), rate(r.best[1]),
		rate(r.Ours)/rate(r.Theirs), rate(r.best[1])/rate(r.best[0]))
	return err
}

// load returns the compressed chunks of the data of all stripes.
func load(path string) (orcFile, error) {
	var f orcFile
	b, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if len(b) == 0 || len(b) < 1+int(b[len(b)-1]) {
		return f, fmt.Errorf("not an ORC file")
	}
	end := len(b) - 1 - int(b[len(b)-1])
	ps, err := orcwire.ParsePostScript(b[end : len(b)-1])
	if err != nil {
		return f, err
	}
	f.kind = ps.Compression
	if f.codec, err = ps.Compression.Codec(); err != nil {
		return f, err
	}
	if ps.FooterLength > uint64(end) {
		return f, fmt.Errorf("the footer is longer than the file")
	}
	var d blockcodec.Decoder
	dst := make([]byte, 0, mostRaw+blockcodec.Slack)
	var footer []byte
	err = walk(b[end-int(ps.FooterLength):end], func(c []byte, original bool) error {
		if !original {
			var err error
			if c, err = d.Decode(f.codec, dst, c, mostRaw, false); err != nil {
				return err
			}
		}
		footer = append(footer, c...)
		return nil
	})
	if err != nil {
		return f, err
	}
	tail, err := orcwire.ParseFooter(footer, arrowio.Limits{})
	if err != nil {
		return f, err
	}
	for _, s := range tail.Stripes {
		from := s.Offset + s.IndexLength
		if from+s.DataLength > int64(len(b)) {
			return f, fmt.Errorf("a stripe does not lie in the file")
		}
		err := walk(b[from:from+s.DataLength], func(c []byte, original bool) error {
			if original {
				return nil
			}
			raw, err := d.Decode(f.codec, dst, c, mostRaw, false)
			f.chunks = append(f.chunks, chunk{c, len(raw)})
			return err
		})
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// walk calls f for each chunk of b. Streams follow each other without a gap.
func walk(b []byte, f func(c []byte, original bool) error) error {
	for len(b) > 0 {
		if len(b) < 3 {
			return fmt.Errorf("a chunk has no header")
		}
		h := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		b = b[3:]
		if h>>1 > len(b) {
			return fmt.Errorf("a chunk is longer than what it lies in")
		}
		if err := f(b[:h>>1], h&1 == 1); err != nil {
			return err
		}
		b = b[h>>1:]
	}
	return nil
}

// choose returns chunks of about size bytes of output, at equal distances.
func choose(all []chunk, size int) []chunk {
	total := 0
	for _, c := range all {
		total += c.raw
	}
	if total <= size {
		return all
	}
	n := max(len(all)*size/total, 1)
	some := make([]chunk, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// measure has all chunks decoded by the peer and by this project, in turns.
func measure(from orcFile, rounds int, peer string) (result, error) {
	r := result{Codec: from.kind.String(), Chunks: len(from.chunks)}
	f, err := os.CreateTemp("", "chunks")
	if err != nil {
		return r, err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriter(f)
	for _, c := range from.chunks {
		r.Raw += c.raw
		r.Packed += len(c.packed)
		head := binary.NativeEndian.AppendUint32(nil, uint32(c.raw))
		if _, err := w.Write(append(binary.NativeEndian.AppendUint32(head, uint32(len(c.packed))), c.packed...)); err != nil {
			return r, err
		}
	}
	if err := w.Flush(); err != nil {
		return r, err
	}
	if err := f.Close(); err != nil {
		return r, err
	}
	cmd := exec.Command(peer, from.kind.String(), f.Name())
	ask, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	answer := bufio.NewReader(answers)

	var d blockcodec.Decoder
	dst := make([]byte, 0, mostRaw+blockcodec.Slack)
	var times [2][]int64
	for range rounds {
		var took int64
		if _, err := fmt.Fprintln(ask); err != nil {
			return r, err
		}
		if _, err := fmt.Fscanln(answer, &took); err != nil {
			return r, fmt.Errorf("the peer's answer: %w", err)
		}
		if took <= 0 {
			return r, errors.New("the peer cannot decode a chunk")
		}
		times[0] = append(times[0], took)
		start := cpu()
		for _, c := range from.chunks {
			if _, err := d.Decode(from.codec, dst, c.packed, c.raw, true); err != nil {
				return r, err
			}
		}
		times[1] = append(times[1], cpu()-start)
	}
	for i := range times {
		slices.Sort(times[i])
		r.best[i] = times[i][0]
	}
	r.Theirs, r.Ours = times[0][rounds/2], times[1][rounds/2]
	if err := ask.Close(); err != nil {
		return r, err
	}
	return r, cmd.Wait()
}

// cpu returns the nanoseconds of CPU time that this thread has had.
func cpu() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		log.Fatal(err)
	}
	return t.Nano()
}
