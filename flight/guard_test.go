package flight

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
)

// Of people, every fourth is of the EU. What a client that may read only those must not get has hiddenText or hiddenNumber in it.
const (
	hiddenText   = "HIDDEN"
	hiddenNumber = 0x5ec2e75ec2e7
	peopleRows   = 40_000
)

// scattered and inRuns say which rows are of the EU.
func scattered(i int) bool { return i%4 == 0 }
func inRuns(i int) bool    { return i%5000%401 < 101 }

func peopleRecord(mem memory.Allocator, shown func(i int) bool) arrow.Record {
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: i64},
		{Name: "region", Type: str, Nullable: true},
		{Name: "name", Type: str, Nullable: true},
		{Name: "salary", Type: i64, Nullable: true},
		{Name: "place", Type: arrow.StructOf(arrow.Field{Name: "zip", Type: str, Nullable: true}, arrow.Field{Name: "city", Type: str, Nullable: true}), Nullable: true},
		{Name: "kind", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: str}, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "secret", Type: str, Nullable: true}, arrow.Field{Name: "label", Type: str, Nullable: true})), Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	md := arrow.NewMetadata([]string{"about"}, []string{"the column salary is " + hiddenText})
	s = arrow.NewSchema(s.Fields(), &md)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	text := func(x array.Builder, v string) { x.(*array.StringBuilder).Append(v) }
	for i := range peopleRows {
		what, number, region := "shown", int64(i), "EU"
		if !shown(i) {
			what, number, region = hiddenText, hiddenNumber, "US"
		}
		b.Field(0).(*array.Int64Builder).Append(number)
		text(b.Field(1), region)
		text(b.Field(2), fmt.Sprintf("%s-%d", what, i))
		b.Field(3).(*array.Int64Builder).Append(hiddenNumber)
		place := b.Field(4).(*array.StructBuilder)
		place.Append(true)
		text(place.FieldBuilder(0), hiddenText)
		text(place.FieldBuilder(1), what)
		if err := b.Field(5).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprintf("%s kind %d", what, i%40)); err != nil {
			panic(err)
		}
		tags := b.Field(6).(*array.ListBuilder)
		tags.Append(true)
		one := tags.ValueBuilder().(*array.StructBuilder)
		one.Append(true)
		text(one.FieldBuilder(0), hiddenText)
		text(one.FieldBuilder(1), what)
		b.Field(7).(*array.BooleanBuilder).Append(!shown(i))
	}
	return b.NewRecord()
}

// people serves the dataset in several formats: zero-copy ones, those with statistics, and text.
func startPeople(t *testing.T, o AccessOptions, more Options) (*running, *identityProvider) {
	t.Helper()
	dir := t.TempDir()
	specs := map[string]Spec{}
	for _, q := range []struct {
		name, ext string
		shown     func(int) bool
	}{{"arrow", "arrow", scattered}, {"orc", "orc", scattered}, {"parquet", "parquet", scattered}, {"runs", "arrow", inRuns}} {
		rec := peopleRecord(memory.DefaultAllocator, q.shown)
		var parts []arrow.Record
		for i := int64(0); i < rec.NumRows(); i += 5000 {
			parts = append(parts, rec.NewSlice(i, i+5000))
		}
		path := filepath.Join(dir, q.name+"."+q.ext)
		write(t, path, parts, nil)
		specs["people-"+q.name] = Spec{Paths: []string{path}}
	}
	p := newIdentityProvider(t)
	o.JWTs = []JWTIssuer{p.issuer()}
	more.Authorizer, more.EndpointBytes = access(t, o), 64<<10
	return start(t, more, specs), p
}

var euOnly = AccessOptions{
	Rules: []Rule{{Client: "*", Permission: PermitRead, Datasets: []string{"*"}}, {Client: "*", Permission: PermitManage, Datasets: []string{"*"}}, {Client: "*", Permission: PermitWrite, Datasets: []string{"*"}}},
	Restrictions: []Restriction{{
		Clients: []string{"role:analyst"}, Except: []string{"boss"}, Datasets: []string{"people-*"},
		Columns: []string{"tags.label", "NAME", "id", "place.city", "kind", "nowhere", "flag"}, Where: "region = 'EU'",
	}},
}

// recorder keeps all bytes that a client has received.
type recorder struct {
	net.Conn
	mu  *sync.Mutex
	got *bytes.Buffer
}

func (r recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got.Write(p[:n])
	return n, err
}

// recording connects a client, and returns how to check that it got nothing that it may not read.
func (r *running) recording(t *testing.T) (c flight.Client, clean func(what string), seen func() int) {
	t.Helper()
	rec := recorder{mu: &sync.Mutex{}, got: &bytes.Buffer{}}
	c = r.client(t, grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		return recorder{conn, rec.mu, rec.got}, err
	}))
	return c, func(what string) {
			t.Helper()
			rec.mu.Lock()
			defer rec.mu.Unlock()
			got := rec.got.Bytes()
			if len(got) == 0 {
				t.Errorf("%s: nothing was recorded", what)
			}
			for _, secret := range secrets {
				if i := bytes.Index(got, secret); i >= 0 {
					t.Errorf("%s: the client got %q in %q", what, secret, got[max(0, i-40):min(len(got), i+40)])
				}
			}
			rec.got.Reset()
		}, func() (n int) {
			rec.mu.Lock()
			defer rec.mu.Unlock()
			for _, secret := range secrets {
				if !bytes.Contains(rec.got.Bytes(), secret) {
					return 0
				}
				n++
			}
			return n
		}
}

// secrets are what no client may get that may not read all.
var secrets = [][]byte{[]byte(hiddenText), binary.LittleEndian.AppendUint64(nil, hiddenNumber), []byte("salary"), []byte("zip"), []byte("secret")}

// runsShown returns how many rows inRuns shows, and how many of them among the first 400.
func runsShown() (all, first int64) {
	for i := range peopleRows {
		if inRuns(i) {
			all++
			if i < 400 {
				first++
			}
		}
	}
	return all, first
}

const (
	peopleShown   = peopleRows / 4
	peopleColumns = "id, name, place, kind, tags, flag"
)

func columnsOf(s *arrow.Schema) string {
	var names []string
	for _, f := range s.Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Each door of Flight gives only the rows and columns that the client may read: not one byte of others crosses the wire.
func TestGuardedReads(t *testing.T) {
	t.Parallel()
	r, p := startPeople(t, euOnly, Options{})
	ann, boss := p.as(t, "ann", "analyst"), p.as(t, "boss", "analyst")
	for _, name := range r.catalog.Names() {
		peopleShown, first := int64(peopleShown), int64(100)
		if name == "people-runs" {
			peopleShown, first = runsShown()
		}
		c, clean, seen := r.recording(t)
		for _, d := range []*flight.FlightDescriptor{
			pathOf(name), cmdOf(`{"dataset":%q}`, name), cmdOf(`{"dataset":%q,"dictionary":false}`, name),
			cmdOf(`{"dataset":%q,"compression":"none","batch_rows":100}`, name), cmdOf(`{"dataset":%q,"where":"name LIKE 'shown%%' AND place.city = 'shown'"}`, name),
		} {
			info, all := getAllOf(ann, t, c, d)
			if all.rows() != peopleShown || columnsOf(all.schema) != peopleColumns || info.TotalRecords != -1 || info.TotalBytes != -1 || all.schema.Metadata().Len() > 0 {
				t.Errorf("%s %s: %d rows of %s, told of %d, %d", name, d.Cmd, all.rows(), all.schema, info.TotalRecords, info.TotalBytes)
			}
			for _, rec := range all.recs { // not even the bits behind the last row are of hidden ones
				if flags := rec.Column(5).Data().Buffers()[1].Bytes(); len(bytes.Trim(flags, "\x00")) > 0 {
					t.Fatalf("%s: flags %x of %d rows", name, flags, rec.NumRows())
				}
			}
		}
		clean(name + ": all")
		for cmd, rows := range map[string]int64{
			`{"dataset":%q,"columns":[]}`:                                                   peopleShown,
			`{"dataset":%q,"columns":["place","name"],"where":"id < 400"}`:                  first,
			`{"dataset":%q,"columns":["Place.City"],"where":"ID IN (4, 5, 8)"}`:             2 + first/101,
			`{"dataset":%q,"columns":["tags.label"],"where":"tags[0].label = 'shown'"}`:     peopleShown,
			`{"dataset":%q,"where":"name LIKE 'HID%%'"}`:                                    0,
			`{"dataset":%q,"where":"id = 104191198413543 OR tags IS NULL OR name = 'x-1'"}`: 0,
		} {
			if _, all := getAllOf(ann, t, c, cmdOf(cmd, name)); all.rows() != rows {
				t.Errorf("%s: %d rows", fmt.Sprintf(cmd, name), all.rows())
			}
			if s := getRows(ann, t, c, fmt.Appendf(nil, cmd, name)); s.err != nil || s.rows() != rows {
				t.Errorf("the ticket %s: %d rows, %v", fmt.Sprintf(cmd, name), s.rows(), s.err)
			}
		}
		s, err := c.GetSchema(ann, pathOf(name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := flight.DeserializeSchema(s.Schema, memory.DefaultAllocator); err != nil || columnsOf(got) != peopleColumns || got.Metadata().Len() > 0 {
			t.Error(got, err)
		}
		if st, err := c.ListFlights(ann, &flight.Criteria{Expression: []byte(name)}); err != nil {
			t.Error(err)
		} else if info, err := st.Recv(); err != nil || info.TotalRecords != -1 || info.TotalBytes != -1 {
			t.Error(info, err)
		}
		clean(name + ": others")

		// What the client asks for does not change what it is told before it reads.
		ask := func(where string) int {
			info, err := c.GetFlightInfo(ann, cmdOf(`{"dataset":%q,"where":%q}`, name, where))
			if err != nil {
				t.Fatal(err)
			}
			return len(info.Endpoint)
		}
		if a, b := ask("id < 0"), ask("id >= 0"); a != b || a < 2 && name == "people-orc" {
			t.Errorf("%s: %d endpoints, or %d", name, a, b)
		}
		// Whoever is not concerned reads all, and the test sees it.
		clean(name + ": endpoints")
		if info, all := getAllOf(boss, t, c, pathOf(name)); all.rows() != peopleRows || info.TotalRecords != peopleRows || seen() == 0 {
			t.Errorf("boss: %d rows, and no secrets", all.rows())
		}
	}
}

// What is refused, and that it is not told why in words of what is hidden.
func TestGuardedRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, p := startPeople(t, euOnly, Options{Writable: []Writable{{Names: "people-*", Dir: dir}}})
	ann, boss := p.as(t, "ann", "analyst"), p.as(t, "boss", "analyst")
	open := r.client(t)
	c, clean, _ := r.recording(t)
	const name = "people-orc"
	for cmd, want := range map[string]codes.Code{
		`{"dataset":"people-orc","columns":["sal` + `ary"]}`:           codes.InvalidArgument,
		`{"dataset":"people-orc","columns":["#4"]}`:                    codes.OK, // the fourth that it may read: kind
		`{"dataset":"people-orc","columns":["#7"]}`:                    codes.InvalidArgument,
		`{"dataset":"people-orc","columns":["place.z` + `ip"]}`:        codes.InvalidArgument,
		`{"dataset":"people-orc","columns":["tags.sec` + `ret"]}`:      codes.InvalidArgument,
		`{"dataset":"people-orc","columns":["region"]}`:                codes.InvalidArgument,
		`{"dataset":"people-orc","where":"region = 'US'"}`:             codes.InvalidArgument,
		`{"dataset":"people-orc","where":"Region IS NULL OR id > 0"}`:  codes.InvalidArgument,
		`{"dataset":"people-orc","where":"tags[0].s` + `ecret = 'x'"}`: codes.InvalidArgument,
		`{"dataset":"people-orc","where":"id < s` + `alary"}`:          codes.InvalidArgument,
		`{"dataset":"people-orc","rows":"0:10"}`:                       codes.PermissionDenied,
		`{"dataset":"people-orc","rows":"0:"}`:                         codes.PermissionDenied,
		`{"dataset":"people-orc","resume":{"row":10}}`:                 codes.PermissionDenied,
		`{"dataset":"people-orc","dictionary":true}`:                   codes.PermissionDenied,
		`{"dataset":"people-orc","options":{"orc-strings":"binary"}}`:  codes.PermissionDenied,
		`{"dataset":"people-orc","options":{"salvage":"columns"}}`:     codes.PermissionDenied,
		`{"dataset":"people-orc","options":{"timestamp-unit":"nano"}}`: codes.PermissionDenied,
	} {
		if _, err := c.GetFlightInfo(ann, cmdOf("%s", cmd)); code(err) != want {
			t.Errorf("%s: %v", cmd, err)
		}
		if _, err := c.GetSchema(ann, cmdOf("%s", cmd)); code(err) != want {
			t.Errorf("schema, %s: %v", cmd, err)
		}
		if s := getRows(ann, t, c, []byte(cmd)); code(s.err) != want {
			t.Errorf("ticket, %s: %v", cmd, s.err)
		}
	}
	// Tickets of another who may read more.
	for _, d := range []*flight.FlightDescriptor{pathOf(name), cmdOf(`{"dataset":"people-orc","columns":["salary"]}`), cmdOf(`{"dataset":"people-orc","where":"salary > 0"}`)} {
		info, err := open.GetFlightInfo(boss, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range info.Endpoint {
			if s := getRows(ann, t, c, e.Ticket.Ticket); code(s.err) != codes.FailedPrecondition && code(s.err) != codes.InvalidArgument {
				t.Errorf("a ticket of the boss, %.60s: %d rows, %v", e.Ticket.Ticket, s.rows(), s.err)
			} else if code(s.err) == codes.FailedPrecondition && !strings.Contains(s.err.Error(), "people-orc: the ticket is of other columns than this client may read") {
				t.Errorf("a ticket of the boss: %v", s.err)
			}
		}
	}
	// Its own, changed.
	info, err := open.GetFlightInfo(ann, cmdOf(`{"dataset":"people-orc","columns":["id"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var own map[string]any
	if err := json.Unmarshal(info.Endpoint[0].Ticket.Ticket, &own); err != nil {
		t.Fatal(err)
	}
	part := own["parts"].([]any)[0].(map[string]any)
	for key, value := range map[string]any{"start": 1, "end": 2} {
		part[key] = value
		b, err := json.Marshal(own)
		if err != nil {
			t.Fatal(err)
		}
		if s := getRows(ann, t, c, b); code(s.err) != codes.PermissionDenied {
			t.Errorf("%s of a part: %d rows, %v", key, s.rows(), s.err)
		}
		delete(part, key)
	}
	for action, want := range map[string]codes.Code{"inspect": codes.PermissionDenied, "verify": codes.PermissionDenied, "refresh": codes.OK} {
		st, err := c.DoAction(ann, &flight.Action{Type: action, Body: []byte(`{"dataset":"people-orc"}`)})
		if err != nil {
			t.Fatal(err)
		}
		result, err := st.Recv()
		if code(err) != want {
			t.Errorf("%s: %v", action, err)
		}
		if action == "refresh" && !strings.Contains(string(result.GetBody()), `"fragments":0,"rows":-1,"bytes":-1`) {
			t.Errorf("%s", result.GetBody())
		}
	}
	for _, mode := range []string{"create", "replace"} {
		put, err := c.DoPut(ann)
		if err != nil {
			t.Fatal(err)
		}
		if err := put.Send(&flight.FlightData{FlightDescriptor: cmdOf(`{"dataset":"people-new","mode":%q}`, mode)}); err != nil {
			t.Fatal(err)
		}
		if _, err := put.Recv(); code(err) != codes.PermissionDenied {
			t.Errorf("%s: %v", mode, err)
		}
	}
	clean("refusals")
}

// A file that cannot be read is not described to whom may read only a part of it, but is in the log.
func TestGuardedErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, hiddenText, "people.orc")
	write(t, path, []arrow.Record{peopleRecord(memory.DefaultAllocator, scattered)}, nil)
	p := newIdentityProvider(t)
	o := euOnly
	o.JWTs = []JWTIssuer{p.issuer()}
	r := start(t, Options{Authorizer: access(t, o)}, map[string]Spec{"people-orc": {Paths: []string{dir}}})
	damage(t, path)
	if _, _, err := r.catalog.Refresh(t.Context(), "people-orc"); err != nil {
		t.Fatal(err)
	}
	c, clean, _ := r.recording(t)
	s := getRows(p.as(t, "ann", "analyst"), t, c, []byte(`{"dataset":"people-orc"}`))
	if code(s.err) != codes.DataLoss || !strings.Contains(s.err.Error(), "log has more") {
		t.Error(s.err)
	}
	clean("a damaged file")
	if !strings.Contains(r.log.String(), "a part of a dataset could not be read") {
		t.Error("the log does not tell")
	}
	if s := getRows(p.as(t, "boss"), t, r.client(t), []byte(`{"dataset":"people-orc"}`)); code(s.err) != codes.DataLoss || !strings.Contains(s.err.Error(), "people.orc") {
		t.Error("the boss is not told:", s.err)
	}
}

// Each door of SQL.
func TestGuardedSQL(t *testing.T) {
	t.Parallel()
	r, p := startPeople(t, euOnly, Options{})
	ann := p.as(t, "ann", "analyst")
	rec := recorder{mu: &sync.Mutex{}, got: &bytes.Buffer{}}
	c, err := flightsql.NewClient(r.addr.String(), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
			return recorder{conn, rec.mu, rec.got}, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rows := func(info *flight.FlightInfo) (n, first int64, s *arrow.Schema) {
		t.Helper()
		first = -1
		for _, e := range info.Endpoint {
			rd, err := c.DoGet(ann, e.Ticket)
			if err != nil {
				t.Fatal(err)
			}
			for rd.Next() {
				if col, ok := rd.Record().Column(0).(*array.Int64); ok && first < 0 && col.Len() > 0 {
					first = col.Value(0)
				}
				n += rd.Record().NumRows()
			}
			if err := rd.Err(); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			s = rd.Schema()
			rd.Release()
		}
		return n, first, s
	}
	for text, want := range map[string][2]int64{
		`SELECT * FROM "people-orc"`:                                       {peopleShown, 0},
		`SELECT id, place.city AS c FROM "people-parquet" WHERE id >= 400`: {peopleShown - 100, 400},
		`SELECT COUNT(*) FROM "people-arrow"`:                              {1, peopleShown},
		`SELECT COUNT(*) FROM "people-orc" WHERE name LIKE 'HID%'`:         {1, 0},
		`SELECT id FROM "people-orc" LIMIT 3 OFFSET 5`:                     {3, 20},
		`SELECT id FROM "people-orc" OFFSET 9990`:                          {10, 39960},
		`SELECT * FROM "people-orc" LIMIT 0`:                               {0, -1},
	} {
		info, err := c.Execute(ann, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if info.TotalRecords != -1 || info.TotalBytes != -1 {
			t.Errorf("%s: told of %d rows, %d bytes", text, info.TotalRecords, info.TotalBytes)
		}
		if n, first, _ := rows(info); n != want[0] || first != want[1] {
			t.Errorf("%s: %d rows from %d on", text, n, first)
		}
	}
	for _, text := range []string{
		`SELECT "sal` + `ary" FROM "people-orc"`, `SELECT id FROM "people-orc" WHERE region = 'US'`, `SELECT id FROM "people-orc" WHERE place.z` + `ip = 'x'`,
	} {
		if _, err := c.Execute(ann, text); code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", text, err)
		}
	}
	prepared, err := c.Prepare(ann, `SELECT name FROM "people-orc" WHERE id > ? AND id < 40`)
	if err != nil {
		t.Fatal(err)
	}
	one := array.NewRecordBuilder(memory.DefaultAllocator, prepared.ParameterSchema())
	defer one.Release()
	one.Field(0).(*array.Int64Builder).Append(7)
	prepared.SetParameters(one.NewRecord())
	info, err := prepared.Execute(ann)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := rows(info); n != 8 {
		t.Errorf("prepared: %d rows", n)
	}
	tables, err := c.GetTables(ann, &flightsql.GetTablesOpts{IncludeSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := rows(tables); n != 4 {
		t.Errorf("%d tables", n)
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, secret := range secrets {
		if i := bytes.Index(rec.got.Bytes(), secret); i >= 0 {
			t.Errorf("the client got %q in %q", secret, rec.got.Bytes()[max(0, i-60):i+20])
		}
	}
}

// tableEngine answers each statement with the whole of the table that it names, as a careless engine would.
type tableEngine struct{ mem memory.Allocator }

func (e tableEngine) Describe(ctx context.Context, text string, _ arrow.Record, tables SQLTables) (result, parameters *arrow.Schema, err error) {
	t, err := tables.Open(ctx, strings.Fields(text)[1])
	if err != nil {
		return nil, nil, err
	}
	return t.Schema(), arrow.NewSchema(nil, nil), nil
}

func (e tableEngine) Run(ctx context.Context, text string, _ arrow.Record, tables SQLTables) (SQLRows, error) {
	t, err := tables.Open(ctx, strings.Fields(text)[1])
	if err != nil {
		return nil, err
	}
	if t.Rows() >= 0 {
		return nil, errors.New("it is told how many rows there are")
	}
	rd, err := t.Scan(ctx, nil, nil, e.mem)
	if err != nil {
		return nil, err
	}
	return &tableRows{rd}, nil
}

type tableRows struct{ array.RecordReader }

func (r *tableRows) Read() (arrow.Record, error) {
	if !r.Next() {
		if r.Err() != nil {
			return nil, r.Err()
		}
		return nil, io.EOF
	}
	r.Record().Retain()
	return r.Record(), nil
}

func (r *tableRows) Close() error { r.Release(); return nil }

// An engine gets only what the client may read.
func TestGuardedEngine(t *testing.T) {
	t.Parallel()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	r, p := startPeople(t, euOnly, Options{SQL: SQLOptions{Engine: tableEngine{mem}}})
	c := r.sqlClient(t)
	ann := p.as(t, "ann", "analyst")
	info, err := c.Execute(ann, "WHOLE people-orc")
	if err != nil {
		t.Fatal(err)
	}
	rd, err := c.DoGet(ann, info.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Release()
	n := int64(0)
	for rd.Next() {
		n += rd.Record().NumRows()
		if strings.Contains(rd.Record().Column(1).String(), hiddenText) {
			t.Fatal("hidden rows")
		}
	}
	if err := rd.Err(); err != nil && !errors.Is(err, io.EOF) || n != peopleShown || columnsOf(rd.Schema()) != peopleColumns {
		t.Errorf("%d rows of %s, %v", n, rd.Schema(), err)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}

// Several restrictions count together, and texts stand for who the client is.
func TestRestrictions(t *testing.T) {
	t.Parallel()
	r, p := startPeople(t, AccessOptions{
		Rules: rules(t, "*:read=*"),
		Restrictions: []Restriction{
			{Clients: []string{"*"}, Datasets: []string{"people-orc"}, Where: "region = '{client}' OR region IN ('{roles}', 'none')"},
			{Clients: []string{"role:few"}, Datasets: []string{"*"}, Columns: []string{"id", "place"}},
			{Clients: []string{"role:fewer"}, Datasets: []string{"*"}, Columns: []string{"place.city", "name"}},
			{Clients: []string{"role:not"}, Datasets: []string{"*"}, Where: "NOT region = '{client}' AND NOT name IN ('{roles}')"},
		},
	}, Options{})
	c := r.client(t)
	const all = "id, region, name, salary, place, kind, tags, flag"
	for _, q := range []struct {
		dataset string
		client  context.Context
		rows    int64
		columns string
	}{
		{"people-orc", p.as(t, "EU"), peopleShown, all},
		{"people-orc", p.as(t, "US"), peopleRows - peopleShown, all},
		{"people-orc", p.as(t, "EU", "US"), peopleRows, all},
		{"people-orc", p.as(t, "x"), 0, all},
		{"people-orc", p.as(t, "' OR '1' = '1", "x') OR ('1' = '1"), 0, all},
		{"people-orc", p.as(t, "EU", "few"), peopleShown, "id, place"},
		{"people-orc", p.as(t, "EU", "few", "fewer"), peopleShown, "place"},
		{"people-arrow", p.as(t, "x", "few", "fewer"), peopleRows, "place"},
		{"people-arrow", p.as(t, "EU", "not"), peopleRows - peopleShown, all},
		{"people-parquet", p.as(t, "x"), peopleRows, all},
	} {
		_, got := getAllOf(q.client, t, c, pathOf(q.dataset))
		if got.rows() != q.rows || columnsOf(got.schema) != q.columns {
			t.Errorf("%s: %d rows of %s", q.dataset, got.rows(), got.schema)
		}
		if q.columns == "place" && got.schema.Field(0).Type.(*arrow.StructType).NumFields() != 1 {
			t.Error(got.schema)
		}
	}
	// Where only columns are left out, rows can be counted and streams resumed.
	few := p.as(t, "x", "few")
	info, got := getAll(few, t, c, cmdOf(`{"dataset":"people-arrow","rows":"10:20"}`))
	if got.rows() != 10 || info.TotalRecords != 10 || len(got.meta) == 0 {
		t.Errorf("%d rows", got.rows())
	}
	// A client without a name is nobody's owner, and whoever has no role is in no team, under NOT, too.
	for _, name := range []string{"people-arrow", "people-orc"} {
		e, err := r.catalog.Lookup(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		where, err := parseRestrictions([]Restriction{{Where: "NOT region = '{client}'"}, {Where: "NOT region IN ('{roles}', 'x')"}, {Where: "region != '{client}'"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range where {
			f, ok := filled(w, Client{})
			s, err := e.shared([]Share{{Where: f}})
			if err != nil || !ok {
				t.Fatal(err)
			}
			b, err := (&Command{Dataset: name}).bind(s)
			if err != nil {
				t.Fatal(err)
			}
			if n := countRows(t, b); n != 0 {
				t.Errorf("%s: %d rows", w, n)
			}
		}
	}
}

func countRows(t *testing.T, b *bound) (n int64) {
	t.Helper()
	scan, err := b.data.Scan(t.Context(), b.scanOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer scan.Release()
	for scan.Next() {
		n += scan.Record().NumRows()
	}
	if scan.Err() != nil {
		t.Fatal(scan.Err())
	}
	return n
}

func TestRestrictionsRefused(t *testing.T) {
	t.Parallel()
	ok := Restriction{Clients: []string{"a"}, Datasets: []string{"d"}, Columns: []string{"id"}}
	for name, change := range map[string]func(*Restriction){
		"nobody":         func(r *Restriction) { r.Clients = nil },
		"nothing":        func(r *Restriction) { r.Datasets = nil },
		"no restriction": func(r *Restriction) { r.Columns = nil },
		"no pattern":     func(r *Restriction) { r.Clients = []string{"["} },
		"empty name":     func(r *Restriction) { r.Except = []string{""} },
		"no role":        func(r *Restriction) { r.Clients = []string{"role:"} },
		"no filter":      func(r *Restriction) { r.Where = "id =" },
		"less":           func(r *Restriction) { r.Where = "id < '{client}'" },
		"like":           func(r *Restriction) { r.Where = "id LIKE '{client}'" },
		"roles compared": func(r *Restriction) { r.Where = "NOT (x = 1 OR id = '{roles}')" },
		"contains":       func(r *Restriction) { r.Where = "contains(id, '{client}')" },
	} {
		r := ok
		change(&r)
		if _, err := NewAccess(AccessOptions{Restrictions: []Restriction{r}}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	catalog := NewCatalog(CatalogOptions{})
	path := filepath.Join(t.TempDir(), "d.arrow")
	write(t, path, []arrow.Record{nestedRecord(t)}, nil)
	if err := catalog.Add(t.Context(), "d", Spec{Paths: []string{path}}); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]struct {
		change func(*Restriction)
		ok     bool
	}{
		"fits":       {func(*Restriction) {}, true},
		"elsewhere":  {func(r *Restriction) { r.Datasets, r.Columns = []string{"e"}, []string{"x"} }, true},
		"no column":  {func(r *Restriction) { r.Columns = []string{"id", "idd"} }, false},
		"by number":  {func(r *Restriction) { r.Columns = []string{"#1"} }, false},
		"no field":   {func(r *Restriction) { r.Where = "idd = 1" }, false},
		"other type": {func(r *Restriction) { r.Where = "id = 'x'" }, false},
	} {
		r := ok
		q.change(&r)
		a, err := NewAccess(AccessOptions{Restrictions: []Restriction{r}})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.CheckRestrictions(t.Context(), catalog); (err == nil) != q.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	twice := []arrow.Field{{Name: "a", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "X", Type: arrow.PrimitiveTypes.Int8})}}
	if distinct(twice) == nil || distinct([]arrow.Field{{Name: "Kelvin", Type: arrow.Null}, {Name: "\u212aelvin", Type: arrow.Null}}) == nil || distinct(slices.Concat(twice[:0], []arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "b", Type: arrow.Null}})) != nil {
		t.Error("names that differ in case only")
	}
}

// getRows is get, whether or not batches say where their rows come from.
func getRows(ctx context.Context, t testing.TB, c flight.Client, ticket []byte) *stream {
	t.Helper()
	out := &stream{}
	st, err := c.DoGet(ctx, &flight.Ticket{Ticket: ticket})
	if err != nil {
		out.err = err
		return out
	}
	r, err := flight.NewRecordReader(st)
	if err != nil {
		out.err = err
		return out
	}
	defer r.Release()
	out.schema = r.Schema()
	for r.Next() {
		r.Record().Retain()
		out.recs = append(out.recs, r.Record())
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		out.err = err
	}
	return out
}

// getAllOf reads every endpoint of a descriptor by getRows.
func getAllOf(ctx context.Context, t testing.TB, c flight.Client, d *flight.FlightDescriptor) (*flight.FlightInfo, *stream) {
	t.Helper()
	info, err := c.GetFlightInfo(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	all := &stream{}
	for _, e := range info.Endpoint {
		s := getRows(ctx, t, c, e.Ticket.Ticket)
		if s.err != nil {
			t.Fatal(s.err)
		}
		all.schema, all.recs = s.schema, append(all.recs, s.recs...)
	}
	sc, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil || !sc.Equal(all.schema) {
		t.Fatalf("FlightInfo says %v, the stream %v: %v", sc, all.schema, err)
	}
	return info, all
}
