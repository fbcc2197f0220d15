package flight

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/flight/internal/transport"
	outipc "github.com/arrowio/arrowio/writers/ipc"
)

// framed is what a client sends: the schema with the descriptor, then records.
func framed(t testing.TB, d *flight.FlightDescriptor, s *arrow.Schema, recs []arrow.Record) []*flight.FlightData {
	t.Helper()
	m, err := outipc.NewMessages(s, outipc.Compression{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	out := []*flight.FlightData{{FlightDescriptor: d, DataHeader: m.Schema().Metadata}}
	for _, rec := range recs {
		all, err := m.Encode(rec)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			f := &flight.FlightData{DataHeader: bytes.Clone(all[i].Metadata)}
			for _, b := range all[i].Body {
				f.DataBody = append(append(f.DataBody, b...), make([]byte, -len(b)&7)...)
			}
			all[i].Release()
			out = append(out, f)
		}
	}
	return out
}

// client is the stream of a DoPut or a DoExchange without a network: what is sent, and what comes back.
type client struct {
	flight.FlightService_DoPutServer
	ctx  context.Context
	send []*flight.FlightData
	end  error // behind what is sent; nil = io.EOF
	got  []*flight.FlightData
	done []*flight.PutResult
}

func (c *client) Context() context.Context       { return c.ctx }
func (c *client) SetHeader(metadata.MD) error    { return nil }
func (c *client) Send(r *flight.PutResult) error { c.done = append(c.done, r); return nil }

func (c *client) Recv() (*flight.FlightData, error) {
	if len(c.send) == 0 {
		if c.end != nil {
			return nil, c.end
		}
		return nil, io.EOF
	}
	d := c.send[0]
	c.send = c.send[1:]
	return d, nil
}

func (c *client) SendMsg(m any) error {
	out, err := transport.NewCodec().Marshal(m)
	if err != nil {
		return err
	}
	defer out.Free()
	d := &flight.FlightData{}
	if err := proto.Unmarshal(out.Materialize(), d); err != nil {
		return err
	}
	c.got = append(c.got, d)
	return nil
}

// swapping is client as the other RPC wants it.
type swapping struct {
	flight.FlightService_DoExchangeServer
	*client
}

func (s swapping) Context() context.Context          { return s.client.Context() }
func (s swapping) SetHeader(m metadata.MD) error     { return s.client.SetHeader(m) }
func (s swapping) Recv() (*flight.FlightData, error) { return s.client.Recv() }
func (s swapping) SendMsg(m any) error               { return s.client.SendMsg(m) }
func (s swapping) Send(*flight.FlightData) error     { return io.ErrClosedPipe }
func (s swapping) SendHeader(metadata.MD) error      { return nil }
func (s swapping) SetTrailer(metadata.MD)            {}
func (s swapping) RecvMsg(any) error                 { return io.ErrClosedPipe }

// taker is a service whose datasets go to memory, and are forgotten.
func taker(t testing.TB) *service {
	t.Helper()
	s, err := New(Options{Catalog: NewCatalog(CatalogOptions{}), Logger: slog.New(slog.DiscardHandler), Memory: 16 << 20, Writable: []Writable{{
		Names: "d", Store: func(context.Context, string, bool) (arrowio.Store, Spec, error) {
			return local.NewMemStore(), Spec{Open: func(context.Context, map[string]string) (*dataset.Dataset, error) {
				return &dataset.Dataset{Schema: arrow.NewSchema(nil, nil)}, nil
			}}, nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return newService(s)
}

// refusedOrDone runs a stream, and fails where the answer is a bug's. It returns the answer.
func (s *service) refusedOrDone(t testing.TB, exchange bool, send []*flight.FlightData) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &client{ctx: ctx, send: send}
	var err error
	if exchange {
		err = s.DoExchange(swapping{client: c})
	} else {
		err = s.DoPut(c)
		s.o.Catalog.Remove("d")
	}
	st := s.status(&Call{}, err)
	switch codeOf(st) {
	case codes.Internal, codes.Unknown, codes.DataLoss:
		t.Fatalf("%v: %v", st, err)
	case codes.OK:
		if !exchange && len(c.done) != 1 {
			t.Fatalf("%d answers", len(c.done))
		}
	}
	return st
}

// small is a stream of several types in few bytes.
func small(t testing.TB, d *flight.FlightDescriptor) []*flight.FlightData {
	t.Helper()
	fields := []arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
	}
	rec := recordOf(t, `[{"id":1,"s":"x","l":[1,2],"d":"p"},{"id":2,"s":null,"l":null,"d":"q"}]`, fields...)
	return framed(t, d, rec.Schema(), []arrow.Record{rec, rec})
}

var (
	putSmall      = `{"dataset":"d","mode":"replace","format":"ipc"}`
	exchangeSmall = `{"columns":["s","d"],"where":"id > 1 OR d = 'p'"}`
)

// Any byte of any message may be another, or missing.
func TestPutHostile(t *testing.T) {
	t.Parallel()
	s := taker(t)
	for _, exchange := range []bool{false, true} {
		command := putSmall
		if exchange {
			command = exchangeSmall
		}
		whole := small(t, cmdOf("%s", command))
		if err := s.refusedOrDone(t, exchange, whole); err != nil {
			t.Fatal(err)
		}
		with := func(i int, header, body []byte) {
			send := append([]*flight.FlightData{}, whole...)
			send[i] = &flight.FlightData{FlightDescriptor: whole[i].FlightDescriptor, DataHeader: header, DataBody: body}
			_ = s.refusedOrDone(t, exchange, send)
		}
		for i, d := range whole {
			for at := range d.DataHeader {
				with(i, d.DataHeader[:at:at], d.DataBody)
				for _, v := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
					h := bytes.Clone(d.DataHeader)
					h[at] = v
					with(i, h, d.DataBody)
				}
			}
			for at := range d.DataBody {
				with(i, d.DataHeader, d.DataBody[:at:at])
				b := bytes.Clone(d.DataBody)
				b[at] ^= 0x81
				with(i, d.DataHeader, b)
			}
		}
		if len(s.puts.by) != 0 {
			t.Error("a name is still taken")
		}
	}
}

// Streams that are no streams.
func TestPutStrange(t *testing.T) {
	s := taker(t)
	for _, exchange := range []bool{false, true} {
		d := cmdOf("%s", putSmall)
		if exchange {
			d = cmdOf("%s", exchangeSmall)
		}
		whole := small(t, d)
		another := framed(t, d, arrow.NewSchema([]arrow.Field{{Name: "other", Type: arrow.Null}}, nil), nil)[0]
		other := framed(t, nil, arrow.NewSchema([]arrow.Field{{Name: "other", Type: arrow.PrimitiveTypes.Int8}}, nil),
			[]arrow.Record{recordOf(t, `[{"other":1}]`, arrow.Field{Name: "other", Type: arrow.PrimitiveTypes.Int8})})[1]
		for what, send := range map[string][]*flight.FlightData{
			"nothing":                    nil,
			"no descriptor":              {{DataHeader: whole[0].DataHeader}},
			"no schema":                  {{FlightDescriptor: d}},
			"a batch before the schema":  {{FlightDescriptor: d}, whole[1]},
			"a second schema":            {whole[0], whole[1], whole[0]},
			"another schema":             {whole[0], another},
			"a batch of another schema":  {whole[0], other},
			"a body without a message":   {whole[0], {DataBody: []byte{1, 2, 3}}},
			"a batch without dictionary": {whole[0], whole[2]},
		} {
			if err := s.refusedOrDone(t, exchange, send); codeOf(err) != codes.InvalidArgument {
				t.Errorf("%s: %v", what, err)
			}
		}
		// Empty messages, metadata alone and a descriptor that comes again are nothing to complain of.
		fine := append([]*flight.FlightData{{FlightDescriptor: d}, {}, {AppMetadata: []byte("x")}}, whole...)
		if err := s.refusedOrDone(t, exchange, append(fine, &flight.FlightData{AppMetadata: []byte("y")})); err != nil {
			t.Error(err)
		}
	}
}

// A few bytes that stand for very many values are refused before anybody goes through them.
func TestPutBombs(t *testing.T) {
	mem := memory.DefaultAllocator
	s := taker(t)
	sized := func(dt arrow.DataType, n int, buffers []*memory.Buffer, children ...arrow.ArrayData) arrow.ArrayData {
		return array.NewData(dt, n, append([]*memory.Buffer{nil}, buffers...), children, 0, 0)
	}
	ints := func(n int, f func(i int) uint32) *memory.Buffer {
		b := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(b[4*i:], f(i))
		}
		return memory.NewBufferBytes(b)
	}
	const n = 100_000
	// Views that each have one of a list, in place of which all is put.
	places, ones := ints(n, func(i int) uint32 { return uint32(i) }), ints(n, func(int) uint32 { return 1 })
	none, everything := ints(n, func(int) uint32 { return 0 }), ints(n, func(int) uint32 { return n })
	views := func(child arrow.ArrayData) arrow.ArrayData {
		return sized(arrow.ListViewOf(child.DataType()), n, []*memory.Buffer{places, ones}, child)
	}
	flat := sized(arrow.PrimitiveTypes.Int32, n, []*memory.Buffer{ints(n, func(int) uint32 { return 7 })})
	words := array.NewStringBuilder(mem)
	words.Append(strings.Repeat("x", 1<<20))
	words.Append("y")
	long := words.NewArray()
	index := sized(arrow.PrimitiveTypes.Int32, n, []*memory.Buffer{ints(n, func(int) uint32 { return 0 })})
	dict := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, n, index.Buffers(), 0, 0, long.Data().(*array.Data))
	runs := array.NewRunEndEncodedArray(array.MakeFromData(sized(arrow.PrimitiveTypes.Int32, 1, []*memory.Buffer{ints(1, func(int) uint32 { return n })})), long, n, 0)
	for name, a := range map[string]arrow.Array{
		"null":                array.NewNull(1 << 30),
		"list views":          array.MakeFromData(views(flat)),
		"list views in views": array.MakeFromData(views(views(flat))),
		"dictionary":          array.MakeFromData(dict),
		"runs":                runs,
	} {
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "c", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
		for _, exchange := range []bool{false, true} {
			d := cmdOf("%s", putSmall)
			if exchange {
				d = cmdOf(`{}`)
			}
			send := framed(t, d, rec.Schema(), []arrow.Record{rec})
			last := send[len(send)-1]
			last.DataBody = bytes.ReplaceAll(last.DataBody, places.Bytes(), none.Bytes())
			last.DataBody = bytes.ReplaceAll(last.DataBody, ones.Bytes(), everything.Bytes())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := s.refusedOrDone(t, exchange, send); codeOf(err) != codes.ResourceExhausted {
				t.Errorf("%s: %v", name, err)
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("%s: %d bytes", name, used)
			}
		}
	}
	// Dictionaries that only grow, by nothing at a time.
	send := small(t, cmdOf("%s", putSmall))
	empty := small(t, nil)[1]
	grow := send[:2:2]
	for range 200_000 {
		grow = append(grow, empty)
	}
	if err := s.refusedOrDone(t, false, append(grow, send[2])); err != nil && codeOf(err) != codes.ResourceExhausted {
		t.Error(err)
	}
}

// frames cuts bytes into the messages of a stream: uint16 length of a header, uint16 of a body, both.
func frames(b []byte) (out []*flight.FlightData) {
	take := func(n int) []byte {
		n = min(n, len(b))
		v := b[:n:n]
		b = b[n:]
		return v
	}
	for len(b) >= 4 {
		h, k := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
		b = b[4:]
		out = append(out, &flight.FlightData{DataHeader: take(int(h)), DataBody: take(int(k))})
	}
	return out
}

func unframes(t testing.TB, all []*flight.FlightData) (b []byte) {
	for _, d := range all {
		if len(d.DataHeader)|len(d.DataBody) > math.MaxUint16 {
			t.Fatal("a message that is too long")
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(d.DataHeader)))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(d.DataBody)))
		b = append(append(b, d.DataHeader...), d.DataBody...)
	}
	return b
}

var putSeeds = []string{
	putSmall, `{"dataset":"d","format":"orc","compression":"zstd","sort":["id"]}`, `{"dataset":"d","format":"trevni","options":{"trevni-values":"id"}}`,
	`{"dataset":"d","format":"parquet","losses":"refuse"}`, `{"dataset":"d","format":"csv"}`, `{"dataset":"d","format":"cfile","sort_by_key":true}`,
	`{"dataset":"d","format":"kudu","options":{"kudu-key":"id"},"row_group_bytes":65536,"max_file_bytes":1048576}`, `{"dataset":"d","format":"jsonl"}`,
}

// Whatever a client sends to be written, it is written or refused.
func FuzzPut(f *testing.F) {
	s := taker(f)
	b := unframes(f, small(f, nil))
	for _, c := range putSeeds {
		f.Add([]byte(c), b)
	}
	f.Add([]byte(putSmall), b[:len(b)/2])
	f.Fuzz(func(t *testing.T, command, b []byte) {
		send := frames(b)
		if len(send) == 0 {
			return
		}
		send[0].FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: command}
		_ = s.refusedOrDone(t, false, send)
	})
}

// Whatever a client sends to be looked through, it is answered or refused.
func FuzzExchange(f *testing.F) {
	s := taker(f)
	b := unframes(f, small(f, nil))
	for _, c := range []string{
		exchangeSmall, `{}`, `{"columns":[]}`, `{"batch_rows":1,"compression":"lz4"}`, `{"batch_bytes":4096,"compression":"zstd","where":"s LIKE 'x%' OR l IS NULL"}`,
	} {
		f.Add([]byte(c), b)
	}
	f.Fuzz(func(t *testing.T, command, b []byte) {
		send := frames(b)
		if len(send) == 0 {
			return
		}
		send[0].FlightDescriptor = &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: command}
		_ = s.refusedOrDone(t, true, send)
	})
}
