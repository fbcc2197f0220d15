package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/util"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	arrowio "github.com/arrowio/arrowio/flight"
)

func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1 << 30))}
}

func connect(address string) (flight.Client, error) {
	return flight.NewClientWithMiddleware(address, nil, nil, dialOptions()...)
}

func ownCPU() float64 { return cpuOf(syscall.RUSAGE_SELF) }

func cpuOf(who int) float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u) // both that are asked for are there
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func columnNames() (out []string) {
	for _, f := range rowSchema.Fields() {
		out = append(out, f.Name)
	}
	return out
}

// question is something that can be asked of a dataset, and what must come, whatever it is.
type question struct {
	command map[string]any
	want    []string // digests, any of them
	changes bool     // files are replaced meanwhile: it may fail for that
	inPlace bool     // where they lie: they may look like anything for a moment
}

// pace lets so many bytes a second through, of all who share it.
type pace struct {
	mu   sync.Mutex
	rate float64
	next time.Time
}

func (p *pace) wait(ctx context.Context, n int64) error {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now.Add(-time.Second)) {
		p.next = now.Add(-time.Second)
	}
	p.next = p.next.Add(time.Duration(float64(n) / p.rate * 1e9))
	d := p.next.Sub(now)
	p.mu.Unlock()
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// tally counts what visits came to.
type tally struct {
	mu     sync.Mutex
	Visits map[string]map[string]int // by kind and outcome
	Rows   int64
	Bytes  int64
	Faults []string // what must not be
	Wrong  int      // of them, streams with other rows than they should have
}

func newTally() *tally { return &tally{Visits: map[string]map[string]int{}} }

func (t *tally) count(kind, outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Visits[kind] == nil {
		t.Visits[kind] = map[string]int{}
	}
	t.Visits[kind][outcome]++
}

// faultMark begins a line by which a process that will be killed tells of a fault.
const faultMark = "FAULT "

func (t *tally) fault(isWrong bool, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isWrong {
		t.Wrong++
		text = "wrong rows: " + text
	}
	t.Faults = append(t.Faults, text)
	fmt.Println(faultMark + strings.ReplaceAll(text, "\n", " "))
}

// crowd is workers that come, do one thing and leave, and come again.
type crowd struct {
	addresses []string
	questions []question
	pace      *pace
	stall     time.Duration // after which the server ends a call that takes nothing
	pause     time.Duration // between two visits of a worker, at most
	tally     *tally
}

// kinds of visits, with how often each is.
var kinds = []struct {
	name   string
	weight int
	visit  func(*crowd, context.Context, *visit) error
}{
	{"read", 40, (*crowd).read},
	{"resume", 10, (*crowd).resume},
	{"cancel", 15, (*crowd).cancel},
	{"leave", 8, (*crowd).leave},
	{"stall", 2, (*crowd).stallOnce},
	{"look", 10, (*crowd).look},
	{"sql", 10, (*crowd).sql},
	{"put", 6, (*crowd).put},
	{"half a put", 4, (*crowd).halfPut},
	{"exchange", 6, (*crowd).exchange},
	{"nonsense", 8, (*crowd).nonsense},
	{"no gRPC", 3, (*crowd).noGRPC},
}

// visit is one client's stay.
type visit struct {
	address string
	worker  string
	c       flight.Client
	put     *int64 // rows of what this worker has put last; 0 = nothing, -1 = not known
}

// work has one worker go on until ctx ends.
func (w *crowd) work(ctx context.Context, worker string, only ...string) {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	var put int64
	for ctx.Err() == nil {
		n := mrand.IntN(total)
		for _, k := range kinds {
			if n -= k.weight; n >= 0 {
				continue
			}
			if len(only) > 0 && !strings.Contains(strings.Join(only, ","), k.name) {
				break
			}
			w.once(ctx, worker, k.name, k.visit, &put)
			break
		}
		_ = sleep(ctx, time.Duration(mrand.Int64N(int64(w.pause))))
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// errChanged is not a fault: files were replaced.
var errChanged = errors.New("changed")

func (w *crowd) once(ctx context.Context, worker, kind string, do func(*crowd, context.Context, *visit) error, put *int64) {
	v := &visit{address: w.addresses[mrand.IntN(len(w.addresses))], worker: worker, put: put}
	var err error
	if v.c, err = connect(v.address); err != nil {
		w.tally.fault(false, "connect: "+err.Error())
		return
	}
	defer func() { _ = v.c.Close() }()
	visiting, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	err = do(w, visiting, v)
	var rows wrong
	switch {
	case errors.As(err, &rows):
		w.tally.count(kind, "WRONG")
		w.tally.fault(true, kind+" at "+v.address+": "+err.Error())
	case err == nil:
		w.tally.count(kind, "ok")
	case ctx.Err() != nil || status.Code(err) == codes.DeadlineExceeded && ending(ctx): // the server knows the time, too
		w.tally.count(kind, "the end")
	case errors.Is(err, errChanged):
		w.tally.count(kind, "changed")
	case status.Code(err) == codes.ResourceExhausted:
		w.tally.count(kind, "refused")
	default:
		w.tally.count(kind, "FAILED")
		w.tally.fault(false, kind+" at "+v.address+": "+err.Error())
	}
}

// ending reports whether the time of ctx is as good as over.
func ending(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ok && time.Until(end) < time.Second
}

func (w *crowd) ask() (question, []byte) {
	q := w.questions[mrand.IntN(len(w.questions))]
	c := map[string]any{}
	for k, v := range q.command {
		c[k] = v
	}
	switch mrand.IntN(6) {
	case 0:
		c["compression"] = "lz4"
	case 1:
		c["compression"] = "zstd"
	case 2:
		c["dictionary"] = true
	case 3:
		c["batch_rows"] = 500 + mrand.IntN(20_000)
	}
	if mrand.IntN(3) == 0 {
		c["endpoints"] = 1 + mrand.IntN(5)
	}
	b, _ := json.Marshal(c) // strings and numbers
	return q, b
}

func (w *crowd) info(ctx context.Context, v *visit) (question, *flight.FlightInfo, error) {
	q, command := w.ask()
	info, err := v.c.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: command})
	return q, info, q.excuse(err)
}

// excuse takes errors that tell of a change for what they are, where files change.
func (q question) excuse(err error) error {
	if err == nil || !q.changes {
		return err
	}
	c := status.Code(err)
	if c == codes.FailedPrecondition || q.inPlace && (c == codes.DataLoss || c == codes.InvalidArgument || c == codes.Unimplemented) {
		return fmt.Errorf("%w: %w", errChanged, err)
	}
	return err
}

func (q question) check(d *digest) error {
	got := d.String()
	for _, want := range q.want {
		if got == want {
			return nil
		}
	}
	return wrong{fmt.Errorf("%v: %s, want %s", q.command, got, strings.Join(q.want, " or "))}
}

func (w *crowd) take(ctx context.Context, rec arrow.Record) error {
	n := util.TotalRecordSize(rec)
	w.tally.mu.Lock()
	w.tally.Rows += rec.NumRows()
	w.tally.Bytes += n
	w.tally.mu.Unlock()
	return w.pace.wait(ctx, n)
}

// read reads all endpoints of a question, and some of the readers are slow.
func (w *crowd) read(ctx context.Context, v *visit) error {
	q, info, err := w.info(ctx, v)
	if err != nil {
		return err
	}
	slow := mrand.IntN(8) == 0
	var d digest
	for _, e := range info.Endpoint {
		st, err := v.c.DoGet(ctx, e.Ticket)
		if err == nil {
			err = receive(st, &d, func(rec arrow.Record, _ []byte) error {
				if slow {
					if err := sleep(ctx, time.Duration(mrand.IntN(300))*time.Millisecond); err != nil {
						return err
					}
				}
				return w.take(ctx, rec)
			})
		}
		if err != nil {
			return q.excuse(err)
		}
	}
	return q.check(&d)
}

var errEnough = errors.New("enough")

// resume loses its stream every few batches, and goes on from where the last one said.
func (w *crowd) resume(ctx context.Context, v *visit) error {
	q, command := w.ask()
	var d digest
	for {
		reading, stop := context.WithCancel(ctx)
		left := 1 + mrand.IntN(6)
		var last *arrowio.Position
		st, err := v.c.DoGet(reading, &flight.Ticket{Ticket: command})
		if err == nil {
			err = receive(st, &d, func(rec arrow.Record, meta []byte) error {
				m, err := arrowio.ParseBatchMeta(meta)
				if err != nil {
					return wrong{err}
				}
				last = &m.Resume
				if left--; left == 0 {
					return errEnough
				}
				return w.take(ctx, rec)
			})
		}
		stop()
		if errors.Is(err, errEnough) {
			// A ticket of a whole dataset has no parts, so what is meant by the place may change with the files.
			if q.changes {
				return nil
			}
			var c map[string]any
			if err := json.Unmarshal(command, &c); err != nil {
				return err
			}
			c["resume"] = last
			if command, err = json.Marshal(c); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return q.excuse(err)
		}
		return q.check(&d)
	}
}

// some reads a few batches.
func (w *crowd) some(ctx context.Context, v *visit) (flight.FlightService_DoGetClient, question, error) {
	q, command := w.ask()
	st, err := v.c.DoGet(ctx, &flight.Ticket{Ticket: command})
	for n := mrand.IntN(4); err == nil && n > 0; n-- {
		_, err = st.Recv()
	}
	if errors.Is(err, io.EOF) {
		return st, q, nil
	}
	return st, q, q.excuse(err)
}

func (w *crowd) cancel(ctx context.Context, v *visit) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	st, q, err := w.some(reading, v)
	if err != nil {
		return err
	}
	stop()
	for err == nil { // what had come already
		_, err = st.Recv()
	}
	if status.Code(err) == codes.Canceled || errors.Is(err, io.EOF) {
		return nil
	}
	return q.excuse(err)
}

// leave closes its connection in the middle of several streams.
func (w *crowd) leave(ctx context.Context, v *visit) error {
	for range 1 + mrand.IntN(3) {
		if _, _, err := w.some(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// stallOnce takes nothing until the server must have ended the call.
func (w *crowd) stallOnce(ctx context.Context, v *visit) error {
	st, err := v.c.DoGet(ctx, &flight.Ticket{Ticket: []byte(`{"dataset":"events"}`)})
	if err == nil {
		_, err = st.Recv()
	}
	if err != nil {
		return err
	}
	if err := sleep(ctx, 2*w.stall+time.Duration(mrand.Int64N(int64(w.stall)))); err != nil {
		return err
	}
	for err == nil {
		_, err = st.Recv()
	}
	if c := status.Code(err); c == codes.Aborted || c == codes.Unavailable {
		return nil
	}
	return fmt.Errorf("a stalled stream ends with %w", err)
}

// look asks for everything but rows.
func (w *crowd) look(ctx context.Context, v *visit) error {
	list, err := v.c.ListFlights(ctx, &flight.Criteria{})
	n := 0
	for err == nil {
		if _, err = list.Recv(); err == nil {
			n++
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if n < 3 {
		return fmt.Errorf("%d datasets are listed", n)
	}
	if _, err := v.c.GetSchema(ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"events"}}); err != nil {
		return err
	}
	for _, a := range []*flight.Action{{Type: "inspect", Body: []byte(`{"dataset":"events"}`)}, {Type: "formats"}, {Type: "refresh", Body: []byte(`{"dataset":"events"}`)}} {
		st, err := v.c.DoAction(ctx, a)
		for err == nil {
			_, err = st.Recv()
		}
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", a.Type, err)
		}
	}
	return nil
}

// sql asks with a parameter, and often forgets to close its statement.
func (w *crowd) sql(ctx context.Context, v *visit) error {
	c, err := flightsql.NewClient(v.address, nil, nil, dialOptions()...)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	from := mrand.Int64N(eventRows - 1000)
	p, err := c.Prepare(ctx, "SELECT * FROM events WHERE id >= ? LIMIT 1000")
	if err != nil {
		return err
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "1", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(from)
	rec := b.NewRecord()
	defer rec.Release()
	p.SetParameters(rec)
	info, err := p.Execute(ctx)
	if err != nil {
		return err
	}
	var d digest
	for _, e := range info.Endpoint {
		st, err := c.Client.DoGet(ctx, e.Ticket)
		if err == nil {
			err = receive(st, &d, func(rec arrow.Record, _ []byte) error { return w.take(ctx, rec) })
		}
		if err != nil {
			return err
		}
	}
	if want := expect(1, from, from+1000, columnNames(), nil); d.String() != want {
		return wrong{fmt.Errorf("SQL from %d: %s, want %s", from, &d, want)}
	}
	if mrand.IntN(2) == 0 {
		return p.Close(ctx)
	}
	return nil
}

// putVersion is the version of the rows that are put.
const putVersion = 9

var putFormats = []string{"ipc", "orc", "parquet", "ipc-stream"}

// sendPut sends rows as a dataset of the worker, and calls end in place of ending the stream, if it is not nil.
func (w *crowd) sendPut(ctx context.Context, v *visit, rows int64, end func() error) (flight.FlightService_DoPutClient, error) {
	st, err := v.c.DoPut(ctx)
	if err != nil {
		return nil, err
	}
	out := flight.NewRecordWriter(st, ipc.WithSchema(rowSchema))
	out.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: fmt.Appendf(nil,
		`{"dataset":"staging-%s","mode":"replace","format":%q}`, v.worker, putFormats[mrand.IntN(len(putFormats))])})
	sent := generate(putVersion, 0, rows, 8192, nil, func(rec arrow.Record) error {
		if err := w.take(ctx, rec); err != nil {
			return err
		}
		return out.Write(rec)
	})
	if sent != nil { // the server says why
		_, err := st.Recv()
		return st, errors.Join(err, sent)
	}
	if end != nil {
		return st, end()
	}
	return st, st.CloseSend()
}

// put replaces the worker's dataset, and reads it.
func (w *crowd) put(ctx context.Context, v *visit) error {
	rows := 1 + mrand.Int64N(60_000)
	*v.put = -1
	// One that went away in the middle may not have been noticed yet.
	err := w.putAll(ctx, v, rows)
	for tries := 0; status.Code(err) == codes.Aborted && tries < 100; tries++ {
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
		err = w.putAll(ctx, v, rows)
	}
	if err != nil {
		return err
	}
	*v.put = rows
	return w.stored(ctx, v)
}

func (w *crowd) putAll(ctx context.Context, v *visit, rows int64) error {
	st, err := w.sendPut(ctx, v, rows, nil)
	if err != nil {
		return err
	}
	r, err := st.Recv()
	if err != nil {
		return err
	}
	var report arrowio.PutReport
	if err := json.Unmarshal(r.GetAppMetadata(), &report); err != nil || report.Rows != rows {
		return wrong{fmt.Errorf("%d rows were put: %s, %w", rows, r.GetAppMetadata(), err)}
	}
	if _, err = st.Recv(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// halfPut goes away in the middle of putting, after which the dataset is as it was.
func (w *crowd) halfPut(ctx context.Context, v *visit) error {
	putting, stop := context.WithCancel(ctx)
	defer stop()
	if _, err := w.sendPut(putting, v, 1+mrand.Int64N(60_000), func() error {
		if mrand.IntN(2) == 0 {
			return v.c.Close()
		}
		stop()
		return nil
	}); err != nil && status.Code(err) != codes.Aborted {
		return err
	}
	again, err := connect(v.address)
	if err != nil {
		return err
	}
	_, v.c = v.c.Close(), again
	return w.stored(ctx, v)
}

// stored reads what the worker has put last.
func (w *crowd) stored(ctx context.Context, v *visit) error {
	if *v.put < 0 { // whether it came to be is not known
		return nil
	}
	st, err := v.c.DoGet(ctx, &flight.Ticket{Ticket: fmt.Appendf(nil, `{"dataset":"staging-%s"}`, v.worker)})
	var d digest
	if err == nil {
		err = receive(st, &d, func(rec arrow.Record, _ []byte) error { return w.take(ctx, rec) })
	}
	if *v.put == 0 && status.Code(err) == codes.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if want := expect(putVersion, 0, *v.put, columnNames(), nil); d.String() != want {
		return wrong{fmt.Errorf("what was put: %s, want %s", &d, want)}
	}
	return nil
}

// exchange has the server filter batches.
func (w *crowd) exchange(ctx context.Context, v *visit) error {
	st, err := v.c.DoExchange(ctx)
	if err != nil {
		return err
	}
	out := flight.NewRecordWriter(st, ipc.WithSchema(rowSchema))
	out.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`{"where":"x < 0.5","columns":["id","s"]}`)})
	from, to := int64(0), mrand.Int64N(50_000)
	stop := mrand.IntN(4) == 0 // goes away in the middle
	var d digest
	var reading error
	read := make(chan struct{})
	go func() {
		defer close(read)
		reading = receive(st, &d, func(rec arrow.Record, _ []byte) error { return w.take(ctx, rec) })
	}()
	if err := generate(1, from, to, 4096, nil, out.Write); err == nil {
		if stop {
			_ = v.c.Close()
			<-read
			return nil // however it was cut off
		}
		if err := st.CloseSend(); err != nil {
			return err
		}
	}
	if <-read; reading != nil {
		return reading
	}
	if to == 0 {
		return nil
	}
	if want := expect(1, from, to, []string{"id", "s"}, func(r row) bool { return !r.xNull && r.x < 0.5 }); d.String() != want {
		return wrong{fmt.Errorf("an exchange of %d rows: %s, want %s", to, &d, want)}
	}
	return nil
}

// nonsense must be refused.
func (w *crowd) nonsense(ctx context.Context, v *visit) error {
	b := make([]byte, 1+mrand.IntN(2000))
	_, _ = rand.Read(b) // it never fails
	switch mrand.IntN(4) {
	case 0:
		b = []byte(`{"dataset":"nope"}`)
	case 1:
		b = fmt.Appendf(nil, `{"dataset":"events","where":%q}`, b)
	case 2:
		b = []byte(strings.Repeat(`{"dataset":`, 5000))
	}
	st, err := v.c.DoGet(ctx, &flight.Ticket{Ticket: b})
	if err == nil {
		_, err = st.Recv()
	}
	switch status.Code(err) {
	case codes.InvalidArgument, codes.NotFound:
	default:
		return fmt.Errorf("nonsense is answered with %w", err)
	}
	if _, err := v.c.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: b}); status.Code(err) == codes.OK {
		return errors.New("nonsense has a FlightInfo")
	}
	return nil
}

// noGRPC connects and says something else, or nothing.
func (w *crowd) noGRPC(ctx context.Context, v *visit) error {
	network, address := "tcp", v.address
	if path, ok := strings.CutPrefix(v.address, "unix:"); ok {
		network, address = "unix", path
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	switch mrand.IntN(3) {
	case 0:
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
	case 1:
		b := make([]byte, 5000)
		_, _ = rand.Read(b)
		_, err = c.Write(append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), b...))
	}
	_ = err // the server may have closed it
	return sleep(ctx, time.Duration(mrand.IntN(10))*time.Second)
}
