package flight

import (
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"golang.org/x/sync/errgroup"
)

// BenchmarkGet reads a dataset over one connection, by one stream or by several at once, and by SQL.
func BenchmarkGet(b *testing.B) {
	r := start(b, Options{}, map[string]Spec{"events": {Paths: []string{events(b, 200_000)}}})
	c := r.client(b)
	ask := func(b *testing.B, t *flight.Ticket) error {
		st, err := c.DoGet(b.Context(), t)
		for err == nil {
			_, err = st.Recv()
		}
		if err == io.EOF {
			err = nil
		}
		return err
	}
	command := &flight.Ticket{Ticket: []byte(`{"dataset":"events"}`)}
	for name, streams := range map[string]int{"one": 1, "many": 16} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var g errgroup.Group
				for range streams {
					g.Go(func() error { return ask(b, command) })
				}
				if err := g.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("sql", func(b *testing.B) {
		info, err := r.sqlClient(b).Execute(b.Context(), `SELECT id, x AS y FROM events`)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			for _, e := range info.Endpoint {
				if err := ask(b, e.Ticket); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkPut writes a dataset again and again.
func BenchmarkPut(b *testing.B) {
	r := start(b, Options{Writable: []Writable{{Names: "*", Dir: b.TempDir()}}}, nil)
	c := r.client(b)
	s, recs := table(memory.DefaultAllocator, 200_000, 50_000, 1)
	for b.Loop() {
		if _, err := putting(b.Context(), b, c, cmdOf(`{"dataset":"d","format":"orc","mode":"replace"}`), s, recs); err != nil {
			b.Fatal(err)
		}
	}
}
