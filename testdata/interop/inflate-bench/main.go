// Inflate-bench decodes the compressed chunks of ORC files that have the codec ZLIB with this project's decoder and with
// libdeflate, the fastest C library known, in turns, and prints how many megabytes of output each gave in a second of
// CPU time.
//
//	inflate-bench -peer PROGRAM [-rounds N] [-mb N] FILE...
package main

import (
	"bufio"
	"encoding/binary"
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
	"github.com/arrowio/arrowio/internal/inflate"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// chunk is a compressed chunk, and how many bytes it holds.
type chunk struct {
	packed []byte
	raw    int
}

const mostRaw = 8 << 20 // of a chunk

func main() {
	log.SetFlags(0)
	peer := flag.String("peer", "", "the program made of peer/peer.c")
	rounds := flag.Int("rounds", 15, "how often each decoder decodes everything")
	mb := flag.Int("mb", 8, "how many megabytes of output to choose chunks for, evenly over a file")
	flag.Parse()
	runtime.LockOSThread()
	fmt.Println("| file | chunks | ratio | libdeflate, MB/s | best | arrowio | best | times | of the best |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, path := range flag.Args() {
		all, err := chunks(path)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		if len(all) == 0 {
			log.Fatalf("%s: no chunk is compressed", path)
		}
		if err := measure(filepath.Base(path), choose(all, *mb<<20), *rounds, *peer); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

// chunks returns the compressed chunks of the data of all stripes.
func chunks(path string) ([]chunk, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 || len(b) < 1+int(b[len(b)-1]) {
		return nil, fmt.Errorf("not an ORC file")
	}
	end := len(b) - 1 - int(b[len(b)-1])
	ps, err := orcwire.ParsePostScript(b[end : len(b)-1])
	if err != nil {
		return nil, err
	}
	if ps.Compression != orcwire.CompressionZlib {
		return nil, fmt.Errorf("the codec is not ZLIB")
	}
	if ps.FooterLength > uint64(end) {
		return nil, fmt.Errorf("the footer is longer than the file")
	}
	var d inflate.Decoder
	dst := make([]byte, mostRaw+inflate.Slack)
	var footer []byte
	err = walk(b[end-int(ps.FooterLength):end], func(c []byte, original bool) error {
		if original {
			footer = append(footer, c...)
			return nil
		}
		n, _, err := d.Decode(dst, c, mostRaw)
		footer = append(footer, dst[:n]...)
		return err
	})
	if err != nil {
		return nil, err
	}
	f, err := orcwire.ParseFooter(footer, arrowio.Limits{})
	if err != nil {
		return nil, err
	}
	var all []chunk
	for _, s := range f.Stripes {
		from := s.Offset + s.IndexLength
		if from+s.DataLength > int64(len(b)) {
			return nil, fmt.Errorf("a stripe does not lie in the file")
		}
		err := walk(b[from:from+s.DataLength], func(c []byte, original bool) error {
			if original {
				return nil
			}
			n, _, err := d.Decode(dst, c, mostRaw)
			all = append(all, chunk{c, n})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
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

func measure(name string, cs []chunk, rounds int, peer string) error {
	f, err := os.CreateTemp("", "chunks")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	raw, packed := 0, 0
	for _, c := range cs {
		raw += c.raw
		packed += len(c.packed)
		head := binary.NativeEndian.AppendUint32(nil, uint32(c.raw))
		if _, err := f.Write(append(binary.NativeEndian.AppendUint32(head, uint32(len(c.packed))), c.packed...)); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	cmd := exec.Command(peer, f.Name())
	ask, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	answer := bufio.NewReader(answers)

	var d inflate.Decoder
	dst := make([]byte, mostRaw+inflate.Slack)
	var rates [2][]float64
	for range rounds {
		var took int64
		if _, err := fmt.Fprintln(ask); err != nil {
			return err
		}
		if _, err := fmt.Fscanln(answer, &took); err != nil || took <= 0 {
			return fmt.Errorf("the peer answers %d, %v", took, err)
		}
		rates[0] = append(rates[0], float64(raw)*1e3/float64(took))
		start := cpu()
		for _, c := range cs {
			if n, _, err := d.Decode(dst[:c.raw+inflate.Slack], c.packed, c.raw); err != nil || n != c.raw {
				return fmt.Errorf("%d of %d bytes, %v", n, c.raw, err)
			}
		}
		rates[1] = append(rates[1], float64(raw)*1e3/float64(cpu()-start))
	}
	for _, r := range rates {
		slices.Sort(r)
	}
	median, best := rounds/2, rounds-1
	their, our := rates[0], rates[1]
	fmt.Printf("| %s | %d | %.1f | %.0f | %.0f | %.0f | %.0f | **%.2f** | %.2f |\n", name, len(cs), float64(raw)/float64(packed),
		their[median], their[best], our[median], our[best], our[median]/their[median], our[best]/their[best])
	if err := ask.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

// cpu returns the nanoseconds of CPU time that this thread has had.
func cpu() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		log.Fatal(err)
	}
	return t.Nano()
}
