package metastorefake

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/arrowio/arrowio/internal/metastore"
)

// Server is a metastore. Change its fields only before it serves, or in Look.
type Server struct {
	Tables       map[string]*metastore.Table // by DATABASE.TABLE or CATALOG.DATABASE.TABLE, as the next ones
	Partitions   map[string][]metastore.Partition
	Transactions metastore.IDs
	WriteIDs     map[string]metastore.IDs
	Look         func(method string) // is called before each answer; nil = is not

	// Fail has the number of the exception with which a call is refused, by method; Closed = the connection ends without an answer.
	Fail map[string]int16

	// Lose has the calls that are obeyed once more, and whose answer does not come.
	Lose map[string]int
	// Locations of new tables, by database.
	Locations  map[string]string
	NoCatalogs bool        // catalogs are passed over, as before Hive 3
	Waits      int         // how often a lock is not given at once
	locked     atomic.Bool // by the one connection that is served

	Asked []string                 // the names of partitions that were asked for
	Added []metastore.NewPartition // in the last call that added some, refused or not
	table string                   // of that call

	ofTable string         // of which table the next is
	at      map[string]int // where partitions are, by their names
}

// Closed is a value of Server.Fail.
const Closed = -1

// Start serves on a free port of this machine until the test is over, and returns HOST:PORT.
func (s *Server) Start(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); s.serve(l) }()
	t.Cleanup(func() {
		_ = l.Close() // nothing is left to be told
		<-done
	})
	return l.Addr().String()
}

// serve answers one connection after the other until the listener is closed.
func (s *Server) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		p := thrift.NewTBinaryProtocolConf(thrift.NewStreamTransportRW(conn), nil)
		for s.answer(p) == nil {
		}
		s.locked.Store(false)
		_ = conn.Close() // the client has closed it, or the test is over
	}
}

// writer writes values, and remembers the first error.
type writer struct {
	p   *thrift.TBinaryProtocol
	err error
}

var ctx = context.Background()

func (w *writer) ok(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) field(id int16, t thrift.TType) { w.ok(w.p.WriteFieldBegin(ctx, "", t, id)) }
func (w *writer) stop()                          { w.ok(w.p.WriteFieldStop(ctx)) }

func (w *writer) text(id int16, s string) {
	w.field(id, thrift.STRING)
	w.ok(w.p.WriteString(ctx, s))
}

func (w *writer) texts(id int16, list []string) {
	w.field(id, thrift.LIST)
	w.ok(w.p.WriteListBegin(ctx, thrift.STRING, len(list)))
	for _, s := range list {
		w.ok(w.p.WriteString(ctx, s))
	}
}

func (w *writer) textMap(id int16, texts map[string]string) {
	w.field(id, thrift.MAP)
	w.ok(w.p.WriteMapBegin(ctx, thrift.STRING, thrift.STRING, len(texts)))
	for k, v := range texts {
		w.ok(w.p.WriteString(ctx, k))
		w.ok(w.p.WriteString(ctx, v))
	}
}

func (w *writer) structs(id int16, n int, each func(i int)) {
	w.field(id, thrift.LIST)
	w.ok(w.p.WriteListBegin(ctx, thrift.STRUCT, n))
	for i := range n {
		each(i)
		w.stop()
	}
}

func (w *writer) columns(id int16, list []metastore.Column) {
	w.structs(id, len(list), func(i int) {
		w.text(1, list[i].Name)
		w.text(2, list[i].Type)
		w.text(3, "a comment")
	})
}

func (w *writer) storage(id int16, s *metastore.Storage) {
	w.field(id, thrift.STRUCT)
	w.columns(1, s.Columns)
	w.text(2, s.Location)
	w.text(3, s.InputFormat)
	w.text(4, s.OutputFormat)
	w.field(6, thrift.I32)
	w.ok(w.p.WriteI32(ctx, s.Buckets))
	w.field(7, thrift.STRUCT)
	w.text(2, s.SerDe)
	if s.SerDeParameters != nil {
		w.textMap(3, s.SerDeParameters)
	}
	w.stop()
	w.stop()
}

func (w *writer) ids(high, list int16, l metastore.IDs) {
	w.field(high, thrift.I64)
	w.ok(w.p.WriteI64(ctx, l.High))
	all := slices.Sorted(slices.Values(slices.Concat(l.Open, l.Aborted)))
	bits := make([]byte, (len(all)+7)/8)
	w.field(list, thrift.LIST)
	w.ok(w.p.WriteListBegin(ctx, thrift.I64, len(all)))
	for i, id := range all {
		w.ok(w.p.WriteI64(ctx, id))
		if slices.Contains(l.Aborted, id) {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	w.field(list+2, thrift.STRING)
	w.ok(w.p.WriteBinary(ctx, bits))
}

// answer answers one call.
func (s *Server) answer(p *thrift.TBinaryProtocol) error {
	method, _, id, err := p.ReadMessageBegin(ctx)
	if err != nil {
		return io.EOF
	}
	var texts []string
	var arguments *metastore.Struct
	if method == "add_partitions_req" {
		if err := s.added(p); err != nil {
			return err
		}
	} else if method == "create_table" || method == "alter_table_with_environment_context" {
		if arguments, err = metastore.ReadStruct(p); err != nil {
			return err
		}
	} else if err := collect(p, thrift.STRUCT, &texts); err != nil {
		return err
	}
	if s.Look != nil {
		s.Look(method)
	}
	w := &writer{p: p}
	kind := thrift.REPLY
	known := slices.Contains([]string{"get_table_req", "get_partition_names", "get_partitions_by_names", "get_open_txns", "get_valid_write_ids", "add_partitions_req", "alter_table_with_environment_context", "alter_partitions_with_environment_context", "lock", "check_lock", "unlock", "create_table", "get_database"}, method)
	if s.Fail[method] == Closed {
		return io.EOF
	}
	if arguments != nil && s.Fail[method] == 0 {
		s.change(arguments)
	}
	if s.Lose[method] > 0 {
		s.Lose[method]--
		return io.EOF
	}
	if !known {
		kind = thrift.EXCEPTION
	}
	w.ok(p.WriteMessageBegin(ctx, method, kind, id))
	if known {
		s.result(w, method, texts)
		w.stop()
	} else {
		w.ok(thrift.NewTApplicationException(thrift.UNKNOWN_METHOD, "unknown method "+method).Write(ctx, p))
	}
	w.ok(p.Flush(ctx))
	return w.err
}

func (s *Server) result(w *writer, method string, texts []string) {
	name := ""
	if len(texts) > 1 {
		name = inCatalog(texts[0]) + "." + texts[1]
	}
	if n := s.Fail[method]; n > 0 {
		w.field(n, thrift.STRUCT)
		w.text(1, "the server refuses it")
		w.stop()
		return
	}
	switch method {
	case "lock", "check_lock":
		state := int32(1)
		if s.Waits > 0 {
			s.Waits--
			state = 2
		}
		s.locked.Store(state == 1)
		w.field(0, thrift.STRUCT)
		w.field(1, thrift.I64)
		w.ok(w.p.WriteI64(ctx, 7))
		w.field(2, thrift.I32)
		w.ok(w.p.WriteI32(ctx, state))
		w.stop()
	case "unlock":
		s.locked.Store(false)
	case "get_database":
		w.field(0, thrift.STRUCT)
		w.text(1, texts[0])
		w.text(3, s.Locations[inCatalog(texts[0])])
		w.stop()
	case "add_partitions_req":
		w.field(0, thrift.STRUCT)
		w.stop()
		table := s.Tables[s.table]
		for _, a := range s.Added {
			at := table.Storage
			at.Location = a.Location
			s.Partitions[s.table] = append(s.Partitions[s.table], metastore.Partition{Values: a.Values, Storage: at})
		}
	case "get_table_req":
		if len(texts) > 2 && !s.NoCatalogs {
			name = texts[2] + "." + name
		}
		t := s.Tables[name]
		if t == nil {
			w.field(2, thrift.STRUCT)
			w.text(1, name+" table not found")
			w.stop()
			return
		}
		w.field(0, thrift.STRUCT)
		w.field(1, thrift.STRUCT)
		w.text(1, t.Name)
		w.text(2, t.Database)
		w.storage(7, &t.Storage)
		w.columns(8, t.Keys)
		w.textMap(9, t.Parameters)
		w.text(12, t.Kind)
		if t.Catalog != "" {
			w.text(17, t.Catalog)
		}
		w.stop()
		w.stop()
	case "get_partition_names":
		var names []string
		for _, p := range s.Partitions[name] {
			names = append(names, s.nameOf(name, p))
		}
		w.texts(0, names)
	case "get_partitions_by_names":
		s.Asked = append(s.Asked, texts[2:]...)
		at := s.named(name)
		var found []metastore.Partition
		for _, n := range texts[2:] {
			if i, ok := at[n]; ok {
				found = append(found, s.Partitions[name][i])
			}
		}
		w.structs(0, len(found), func(i int) {
			w.texts(1, found[i].Values)
			w.storage(6, &found[i].Storage)
		})
	case "get_open_txns":
		w.field(0, thrift.STRUCT)
		w.ids(1, 2, s.Transactions)
		w.stop()
	case "get_valid_write_ids":
		w.field(0, thrift.STRUCT)
		w.structs(1, 1, func(int) {
			w.text(1, texts[0])
			w.ids(2, 3, s.WriteIDs[texts[0]])
		})
		w.stop()
	}
}

// inCatalog returns DATABASE, or CATALOG.DATABASE for @CATALOG#DATABASE.
func inCatalog(database string) string {
	return strings.Replace(strings.TrimPrefix(database, "@"), "#", ".", 1)
}

// change makes a table, or changes the parameters of one, which is allowed under a lock alone where it says where metadata are.
func (s *Server) change(arguments *metastore.Struct) {
	to, name := arguments.Struct(1), ""
	if to != nil { // a new one
		if name = to.Text(2) + "." + to.Text(1); to.Text(17) != "" {
			name = to.Text(17) + "." + name
		}
		s.Tables[name] = &metastore.Table{Catalog: to.Text(17), Database: to.Text(2), Name: to.Text(1), Kind: to.Text(12), Storage: metastore.Storage{Location: to.Struct(7).Text(2)}}
	} else {
		name, to = inCatalog(arguments.Text(1))+"."+arguments.Text(2), arguments.Struct(3)
	}
	t := s.Tables[name]
	parameters := to.TextMap(9)
	if parameters["metadata_location"] != t.Parameters["metadata_location"] && !s.locked.Load() {
		panic("the table is changed without a lock")
	}
	t.Parameters = parameters
}

// added reads the partitions that a call adds.
func (s *Server) added(p *thrift.TBinaryProtocol) error {
	arguments, err := metastore.ReadStruct(p)
	if err != nil {
		return err
	}
	request := arguments.Struct(1)
	if s.table, s.Added = request.Text(1)+"."+request.Text(2), nil; request.Text(6) != "" {
		s.table = request.Text(6) + "." + s.table
	}
	for _, x := range request.Structs(3) {
		s.Added = append(s.Added, metastore.NewPartition{Values: x.Texts(1), Location: x.Struct(6).Text(2)})
	}
	return nil
}

// named returns where the partitions of a table are, by their names. It is kept until there are more or fewer of them.
func (s *Server) named(table string) map[string]int {
	if s.ofTable != table || len(s.at) != len(s.Partitions[table]) {
		s.ofTable, s.at = table, map[string]int{}
		for i, p := range s.Partitions[table] {
			s.at[s.nameOf(table, p)] = i
		}
	}
	return s.at
}

var escaped = strings.NewReplacer("/", "%2F", "=", "%3D")

// nameOf returns the name of a partition.
func (s *Server) nameOf(table string, p metastore.Partition) string {
	var parts []string
	for i, k := range s.Tables[table].Keys {
		parts = append(parts, k.Name+"="+escaped.Replace(p.Values[i]))
	}
	return strings.Join(parts, "/")
}

// collect reads a value, and adds the texts in it.
func collect(p *thrift.TBinaryProtocol, t thrift.TType, texts *[]string) error {
	switch t {
	case thrift.STRING:
		s, err := p.ReadString(ctx)
		*texts = append(*texts, s)
		return err
	case thrift.LIST:
		of, n, err := p.ReadListBegin(ctx)
		for i := 0; i < n && err == nil; i++ {
			err = collect(p, of, texts)
		}
		return err
	case thrift.STRUCT:
		for {
			_, t, _, err := p.ReadFieldBegin(ctx)
			if err != nil || t == thrift.STOP {
				return err
			}
			if err := collect(p, t, texts); err != nil {
				return err
			}
		}
	}
	return p.Skip(ctx, t)
}
