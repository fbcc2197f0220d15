package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// What the datasets have: "events" four ORC files, "table" an Arrow file, "columns" a Parquet file; "replaced" is an ORC file
// that another version is renamed over, "rewritten" one that is written over where it lies.
const (
	eventRows = 200_000
	tableRows = 400_000
	otherRows = 150_000
	stall     = 20 * time.Second
)

// soakFlags are the server's own limits in a soak, unless flags say otherwise.
var soakFlags = []string{
	"--memory", "32MiB", "--max-memory", "1GiB", "--max-client-memory", "768MiB", "--max-sent-bytes", "256MiB",
	"--stall-timeout", stall.String(), "--refresh", "5s",
}

const soakLimit = 1280 << 20 // --max-memory and --max-sent-bytes

type soakResult struct {
	Started                      time.Time
	Seconds, CPU, OwnCPU         float64
	Rate                         float64
	Flags                        []string
	Samples                      int
	Trends                       []trend
	IdleBefore, IdleAfter        sample
	PeakMiB, LimitMiB            float64
	Killed, Stopped, Replacement int64
	Calls                        float64
	LoadBefore, LoadAfter        float64
	Tally                        *tally
	Ok                           bool
}

func soak(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("soak", flag.ContinueOnError)
	bin := fs.String("bin", "", "the arrowio command")
	duration := fs.Duration("duration", time.Hour, "how long clients come")
	rate := fs.Float64("rate", 30, "MB a second of all clients together, which bounds the CPU that it takes")
	workers := fs.Int("workers", 16, "clients at once, besides those that are killed")
	pause := fs.Duration("pause", 4*time.Second, "between two visits of a client, at most")
	out := fs.String("out", "", "folder of the results, and of the samples while it runs")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "flight-soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *out == "" {
		*out = dir
	}
	data, err := makeData(ctx, dir)
	if err != nil {
		return err
	}
	flags := append(slices.Clone(soakFlags), fs.Args()...)
	staging := filepath.Join(dir, "staging")
	srv, err := startServer(ctx, *bin, dir, append(append(slices.Clone(flags), "--writable", "staging-*="+staging), data.args...)...)
	if err != nil {
		return err
	}
	defer srv.kill()
	r := soakResult{Started: time.Now().UTC(), Rate: *rate, Flags: flags, LimitMiB: mib(soakLimit), LoadBefore: loadAverage(), Tally: newTally()}
	if r.IdleBefore, err = srv.sample(); err != nil {
		return err
	}

	coming, stop := context.WithTimeout(ctx, *duration)
	defer stop()
	crowd := &crowd{addresses: srv.addresses, questions: data.questions, pace: &pace{rate: *rate * 1e6}, stall: stall, pause: *pause, tally: r.Tally}
	var all sync.WaitGroup
	for i := range *workers {
		all.Go(func() { crowd.work(coming, fmt.Sprint(i)) })
	}
	var killed, stopped, replaced atomic.Int64
	for i := range 2 {
		all.Go(func() { executioner(coming, srv.addresses, fmt.Sprintf("mortal-%d", i), r.Tally, &killed, &stopped) })
	}
	all.Go(func() { replaced.Store(data.replace(coming, r.Tally)) })

	at, samples, err := watch(coming, srv, min(10*time.Second, *duration/60), *out, r.Tally)
	if err != nil {
		r.Tally.fault(false, "the server: "+err.Error())
	}
	stop()
	all.Wait()
	r.Seconds = time.Since(r.Started).Seconds()
	r.Killed, r.Stopped, r.Replacement, r.Samples = killed.Load(), stopped.Load(), replaced.Load(), len(samples)
	if r.IdleAfter, err = quiet(ctx, srv, r.IdleBefore, 5*time.Minute); err != nil {
		r.Tally.fault(false, err.Error())
	}
	if peak, err := srv.peak(); err == nil {
		r.PeakMiB = mib(float64(peak))
	}
	r.CPU, r.Calls = r.IdleAfter[metricCPU]-r.IdleBefore[metricCPU], r.IdleAfter[metricCalls]
	r.OwnCPU = ownCPU() + cpuOf(syscall.RUSAGE_CHILDREN) // the server is none of them yet
	if err := srv.end(time.Minute); err != nil {
		r.Tally.fault(false, "the server's end: "+err.Error())
	}
	if left, err := os.ReadDir(staging); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }) {
		r.Tally.fault(false, fmt.Sprintf("left of what was put in half: %v, %v", left, err))
	}
	later := len(samples) / 3
	r.Ok = len(r.Tally.Faults) == 0 && r.PeakMiB <= r.LimitMiB
	for metric, floor := range map[string]float64{metricRSS + metricLess: 32 << 20, metricHeap + metricLess: 32 << 20, metricGoroutines: 20, metricFiles: 10} {
		var v []float64
		for _, s := range samples[later:] {
			v = append(v, s[metric])
		}
		t := trendOf(metric, at[later:], v, floor)
		r.Trends = append(r.Trends, t)
		r.Ok = r.Ok && t.Flat
	}
	slices.SortFunc(r.Trends, func(a, b trend) int { return strings.Compare(b.Metric, a.Metric) })
	r.LoadAfter = loadAverage()
	text := r.text()
	fmt.Print(text)
	if err := results(*out, "flight-soak", text, r); err != nil {
		return err
	}
	if !r.Ok {
		return errors.New("the soak was not borne")
	}
	return nil
}

func (r *soakResult) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: clients for %.0f minutes, %.0f MB/s at most; arrowio serve %s\n", r.Started.Format(time.DateOnly), r.Seconds/60, r.Rate, strings.Join(r.Flags, " "))
	fmt.Fprintf(&b, "%.0f calls; %.1f GiB and %.1f million rows taken by clients that lived; %d processes killed, %d of them stopped before; files replaced %d times\n",
		r.Calls, float64(r.Tally.Bytes)/(1<<30), float64(r.Tally.Rows)/1e6, r.Killed, r.Stopped, r.Replacement)
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %-11s", k.name)
		for _, outcome := range []string{"ok", "changed", "refused", "the end", "FAILED", "WRONG"} {
			if n := r.Tally.Visits[k.name][outcome]; n > 0 || outcome == "ok" {
				fmt.Fprintf(&b, " %6d %s", n, outcome)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "the last two thirds of %d samples:\n", r.Samples)
	for _, t := range r.Trends {
		fmt.Fprintf(&b, "  %s\n", t)
	}
	fmt.Fprintf(&b, "idle before and after:")
	for _, m := range []string{metricGoroutines, metricFiles, metricStreams, metricSent, metricMemory} {
		fmt.Fprintf(&b, " %s %.0f %.0f,", m, r.IdleBefore[m], r.IdleAfter[m])
	}
	fmt.Fprintf(&b, " RSS %.0f %.0f MiB\n", mib(r.IdleBefore[metricRSS]), mib(r.IdleAfter[metricRSS]))
	fmt.Fprintf(&b, "server's memory at most %.0f MiB, limit %.0f MiB; CPU of the server %.0f s, of the clients %.0f s; load average %.0f before, %.0f after\n",
		r.PeakMiB, r.LimitMiB, r.CPU, r.OwnCPU, r.LoadBefore, r.LoadAfter)
	fmt.Fprintf(&b, "streams with wrong rows: %d; other faults: %d\n", r.Tally.Wrong, len(r.Tally.Faults)-r.Tally.Wrong)
	for _, f := range r.Tally.Faults[:min(20, len(r.Tally.Faults))] {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	b.WriteString(verdictWord(r.Ok) + "\n")
	return b.String()
}

// watch takes samples until ctx ends, or the server does.
func watch(ctx context.Context, srv *server, interval time.Duration, out string, t *tally) (at []float64, samples []sample, err error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, nil, err
	}
	f, err := os.Create(filepath.Join(out, "flight-soak.csv"))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	columns := []string{metricRSS, metricHeap, metricPool, metricGoroutines, metricFiles, metricStreams, metricRunning, metricSent, metricMemory, metricQueue, metricQueueSent, metricCPU, metricBytes, metricRows, metricCalls}
	fmt.Fprintf(f, "seconds,%s,load\n", strings.Join(columns, ","))
	start := time.Now()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return at, samples, nil
		case err := <-srv.ended:
			srv.ended <- err
			return at, samples, fmt.Errorf("it ended: %w", errors.Join(err, errors.New("before its time")))
		case <-tick.C:
		}
		s, err := srv.sample()
		if err != nil {
			t.fault(false, "no sample: "+err.Error())
			continue
		}
		at, samples = append(at, time.Since(start).Seconds()), append(samples, s)
		fmt.Fprintf(f, "%.0f", at[len(at)-1])
		for _, c := range columns {
			fmt.Fprintf(f, ",%.0f", s[c])
		}
		fmt.Fprintf(f, ",%.1f\n", loadAverage())
		if n%30 == 1 {
			t.mu.Lock()
			fmt.Printf("%6.0f s: RSS %4.0f MiB, %4.0f goroutines, %3.0f files, %3.0f streams, %6.1f GiB sent, CPU %5.0f s, %d faults\n", at[len(at)-1],
				mib(s[metricRSS]), s[metricGoroutines], s[metricFiles], s[metricStreams], s[metricBytes]/(1<<30), s[metricCPU], len(t.Faults))
			t.mu.Unlock()
		}
	}
}

// data is the files that are served, and what is known of them.
type data struct {
	dir       string
	args      []string
	questions []question
}

func makeData(ctx context.Context, dir string) (*data, error) {
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "events"), 0o755), os.MkdirAll(filepath.Join(dir, "staging"), 0o755), os.MkdirAll(filepath.Join(dir, "versions"), 0o755)); err != nil {
		return nil, err
	}
	d := &data{dir: dir}
	files := []struct {
		path     string
		version  uint64
		from, to int64
	}{
		{"table.arrow", 1, 0, tableRows},
		{"columns.parquet", 1, 0, otherRows},
		{"versions/1.orc", 1, 0, otherRows},
		{"versions/2.orc", 2, 0, otherRows},
		{"replaced.orc", 1, 0, otherRows},
		{"rewritten.orc", 1, 0, otherRows},
	}
	for i := range int64(4) {
		files = append(files, struct {
			path     string
			version  uint64
			from, to int64
		}{fmt.Sprintf("events/%d.orc", i), 1, i * eventRows / 4, (i + 1) * eventRows / 4})
	}
	for _, f := range files {
		if err := writeFile(ctx, filepath.Join(dir, f.path), f.version, f.from, f.to, 1<<20); err != nil {
			return nil, err
		}
	}
	for name, path := range map[string]string{"events": "events", "table": "table.arrow", "columns": "columns.parquet", "replaced": "replaced.orc", "rewritten": "rewritten.orc"} {
		d.args = append(d.args, name+"="+filepath.Join(dir, path))
	}
	all := columnNames()
	add := func(changes bool, command map[string]any, rows int64, columns []string, keep func(row) bool, versions ...uint64) {
		q := question{command: command, changes: changes, inPlace: command["dataset"] == "rewritten"}
		for _, v := range versions {
			q.want = append(q.want, expect(v, 0, rows, columns, keep))
		}
		if q.inPlace && command["columns"] == nil { // for a moment it has no bytes, which is a file of no columns and no rows
			q.want = append(q.want, (&digest{}).String())
		}
		d.questions = append(d.questions, q)
	}
	add(false, map[string]any{"dataset": "events"}, eventRows, all, nil, 1)
	add(false, map[string]any{"dataset": "table"}, tableRows, all, nil, 1)
	add(false, map[string]any{"dataset": "columns"}, otherRows, all, nil, 1)
	add(false, map[string]any{"dataset": "events", "columns": []string{"s", "id"}}, eventRows, []string{"s", "id"}, nil, 1)
	add(false, map[string]any{"dataset": "columns", "columns": []string{"n", "c"}}, otherRows, []string{"n", "c"}, nil, 1)
	add(false, map[string]any{"dataset": "events", "where": "x < 0.25 AND id >= 1000"}, eventRows, all, func(r row) bool { return !r.xNull && r.x < 0.25 && r.id >= 1000 }, 1)
	add(false, map[string]any{"dataset": "table", "where": "c = 'delta' AND s IS NULL", "columns": []string{"a", "s"}}, tableRows, []string{"a", "s"}, func(r row) bool { return r.c == "delta" && r.sNull }, 1)
	add(false, map[string]any{"dataset": "events", "rows": "49990:120010"}, eventRows, all, func(r row) bool { return r.id >= 49_990 && r.id < 120_010 }, 1)
	for _, name := range []string{"replaced", "rewritten"} {
		add(true, map[string]any{"dataset": name}, otherRows, all, nil, 1, 2)
		add(true, map[string]any{"dataset": name, "columns": []string{"c", "a"}, "where": "n IS NOT NULL"}, otherRows, []string{"c", "a"}, func(r row) bool { return !r.nNull }, 1, 2)
	}
	return d, nil
}

// replace changes files until ctx ends, one by renaming and one where it lies.
func (d *data) replace(ctx context.Context, t *tally) (n int64) {
	for version := 1; sleep(ctx, 4*time.Second) == nil; n++ {
		version = 3 - version
		b, err := os.ReadFile(filepath.Join(d.dir, fmt.Sprintf("versions/%d.orc", version)))
		if err == nil {
			err = errors.Join(os.WriteFile(filepath.Join(d.dir, "new"), b, 0o644), os.Rename(filepath.Join(d.dir, "new"), filepath.Join(d.dir, "replaced.orc")))
		}
		if err == nil && sleep(ctx, 4*time.Second) == nil {
			err = rewrite(ctx, filepath.Join(d.dir, "rewritten.orc"), b)
		}
		if err != nil {
			t.fault(false, err.Error())
		}
	}
	return n
}

// rewrite writes a file over where it lies, in pieces, so that there is something to be seen in between.
func rewrite(ctx context.Context, path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for len(b) > 0 {
		n := min(len(b), 1<<20)
		if _, err := f.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
		_ = sleep(context.WithoutCancel(ctx), 20*time.Millisecond)
	}
	return nil
}

// executioner starts processes of clients, and kills each after a while; some are stopped first, so that their connections
// stay open and take nothing.
func executioner(ctx context.Context, addresses []string, name string, t *tally, killed, stopped *atomic.Int64) {
	self, err := os.Executable()
	if err != nil {
		t.fault(false, err.Error())
		return
	}
	for ctx.Err() == nil {
		cmd := exec.Command(self, append([]string{"mortal", name}, addresses...)...)
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.fault(false, err.Error())
			return
		}
		var reading sync.WaitGroup
		reading.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if text, ok := strings.CutPrefix(lines.Text(), faultMark); ok {
					t.fault(strings.HasPrefix(text, "wrong rows"), "in a process that was killed: "+text)
				}
			}
			_, _ = io.Copy(io.Discard, out)
		})
		_ = sleep(ctx, time.Second+time.Duration(mrand.IntN(10_000))*time.Millisecond)
		if mrand.IntN(4) == 0 && ctx.Err() == nil {
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			stopped.Add(1)
			_ = sleep(ctx, stall+time.Duration(mrand.Int64N(int64(2*stall))))
		}
		_ = cmd.Process.Kill()
		killed.Add(1)
		reading.Wait()
		_ = cmd.Wait() // it was killed
	}
}

// mortal is a process of clients that are in the middle of something when they are killed.
func mortal(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New("mortal wants a name and addresses")
	}
	q := question{command: map[string]any{"dataset": "events"}, want: []string{expect(1, 0, eventRows, columnNames(), nil)}}
	c := &crowd{addresses: args[1:], questions: []question{q}, pace: &pace{rate: 4e6}, stall: stall, pause: time.Second, tally: newTally()}
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() { c.work(ctx, fmt.Sprintf("%s-%d", args[0], i), "read", "resume", "put", "exchange", "sql") })
	}
	all.Wait()
	return nil
}
