package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/util"
)

// loadResult is what load found.
type loadResult struct {
	Streams, MiB, Connections int
	Flags                     []string
	Right, Wrong, Failed      int
	AtOnce                    int // streams that had begun to give rows and not ended, at most
	Seconds, MBps             float64
	ServerCPU, ClientCPU      float64 // seconds
	PeakMiB, LimitMiB         float64 // of the server's resident memory
	Slowest, Median           float64 // seconds
	Ok                        bool
	Faults                    []string `json:",omitempty"`
}

// load reads many streams at once, each whole, and holds the server to its limits.
func load(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("load", flag.ContinueOnError)
	bin := fs.String("bin", "", "the arrowio command")
	streams := fs.Int("streams", 500, "streams at once")
	size := fs.Int("mib", 64, "MiB of Arrow memory of each")
	connections := fs.Int("connections", 0, "of all streams; 0 = one each")
	limit := fs.Int("limit-mib", 2048, "what the server may take, resident: its budgets and what it has sent")
	name := fs.String("name", "flight-load", "of the results")
	out := fs.String("out", "", "folder of the results")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "flight-load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rows := int64(*size) << 20 / bytesPerRow
	path := filepath.Join(dir, "load.orc")
	if err := writeFile(ctx, path, 1, 0, rows, 8<<20); err != nil {
		return err
	}
	want := expect(1, 0, rows, columnNames(), nil)
	srv, err := startServer(ctx, *bin, dir, append(fs.Args(), "load="+path)...)
	if err != nil {
		return err
	}
	defer srv.kill()
	before, err := srv.sample()
	if err != nil {
		return err
	}
	r := loadResult{Streams: *streams, MiB: *size, Connections: *connections, Flags: fs.Args(), LimitMiB: float64(*limit)}
	if r.Connections == 0 {
		r.Connections = r.Streams
	}
	clients := make([]flight.Client, r.Connections)
	closeAll := func() {
		for _, c := range clients {
			if c != nil {
				_ = c.Close()
			}
		}
	}
	defer closeAll()
	for i := range clients {
		if clients[i], err = connect(srv.addresses[0]); err != nil {
			return err
		}
	}
	var mu sync.Mutex
	var begun, most, done, total atomic.Int64
	var times []float64
	start, cpu := time.Now(), ownCPU()
	var wg sync.WaitGroup
	for i := range r.Streams {
		wg.Go(func() {
			var d digest
			err := func() error {
				st, err := clients[i%len(clients)].DoGet(ctx, &flight.Ticket{Ticket: []byte(`{"dataset":"load"}`)})
				if err != nil {
					return err
				}
				return receive(st, &d, func(rec arrow.Record, _ []byte) error {
					if d.rows == rec.NumRows() { // the first
						n := begun.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
					}
					total.Add(util.TotalRecordSize(rec))
					return nil
				})
			}()
			if d.rows > 0 {
				begun.Add(-1)
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Since(start).Seconds())
			done.Add(1)
			switch {
			case err != nil:
				r.Failed++
				r.fault(fmt.Sprintf("stream %d: %v", i, err))
			case d.String() != want:
				r.Wrong++
				r.fault(fmt.Sprintf("stream %d: %s, want %s", i, &d, want))
			default:
				r.Right++
			}
		})
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	for tick := time.NewTicker(5 * time.Second); ; {
		select {
		case <-ended:
			tick.Stop()
		case <-tick.C:
			now, err := srv.sample()
			fmt.Printf("%5.0f s: %3d ended, %3d under way, %6.0f MiB read; server %4.0f MiB, %4.0f goroutines, %3.0f wait %v\n", time.Since(start).Seconds(),
				done.Load(), begun.Load(), mib(float64(total.Load())), mib(now[metricRSS]), now[metricGoroutines], now[metricQueue], errText(err))
			continue
		}
		break
	}
	r.Seconds = time.Since(start).Seconds()
	r.ClientCPU = ownCPU() - cpu
	r.AtOnce = int(most.Load())
	r.MBps = float64(total.Load()) / r.Seconds / 1e6
	slices.Sort(times)
	r.Slowest, r.Median = times[len(times)-1], times[len(times)/2]
	peak, err := srv.peak()
	if err != nil {
		return err
	}
	r.PeakMiB = mib(float64(peak))
	closeAll()
	after, err := quiet(ctx, srv, before, time.Minute)
	if err != nil {
		r.fault(err.Error())
	}
	r.ServerCPU = after[metricCPU] - before[metricCPU]
	if err := srv.end(time.Minute); err != nil {
		r.fault("the server: " + err.Error())
	}
	r.Ok = r.Right == r.Streams && r.PeakMiB <= r.LimitMiB && len(r.Faults) == 0
	text := fmt.Sprintf("%d streams of %d MiB over %d connections, arrowio serve %s\n"+
		"right %d, wrong %d, failed %d; %d under way at once at most\n"+
		"%.0f s, %.0f MB/s; half of the streams had ended after %.0f s\n"+
		"CPU: server %.0f s, clients %.0f s, %d cores; load average at the end %.0f\n"+
		"server's memory at most %.0f MiB, limit %.0f MiB\n%s\n%s\n",
		r.Streams, r.MiB, r.Connections, strings.Join(r.Flags, " "), r.Right, r.Wrong, r.Failed, r.AtOnce, r.Seconds, r.MBps, r.Median,
		r.ServerCPU, r.ClientCPU, runtime.NumCPU(), loadAverage(), r.PeakMiB, r.LimitMiB, strings.Join(r.Faults, "\n"), verdictWord(r.Ok))
	fmt.Print(text)
	if err := results(*out, *name, text, r); err != nil {
		return err
	}
	if !r.Ok {
		return errors.New("the load was not borne")
	}
	return nil
}

func (r *loadResult) fault(text string) {
	if len(r.Faults) < 20 {
		r.Faults = append(r.Faults, text)
	}
}

func verdictWord(ok bool) string {
	if ok {
		return "GOOD"
	}
	return "BAD"
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// results writes NAME.txt and NAME.json into a folder, if there is one.
func results(dir, name, text string, v any) error {
	if dir == "" {
		return nil
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o644), os.WriteFile(filepath.Join(dir, name+".json"), append(b, '\n'), 0o644))
}
