package convert

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/arrowio/arrowio/arrowio"
)

// countingStore passes everything on to a store and counts the bytes of every object.
type countingStore struct {
	arrowio.Store
	bytes atomic.Int64 // of all objects

	mu    sync.Mutex
	sinks []*countingSink
}

type countingSink struct {
	arrowio.Sink
	name  string
	bytes atomic.Int64
	all   *atomic.Int64
}

func (s *countingStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	sink, err := s.Store.Create(ctx, name)
	if err != nil {
		return nil, err
	}
	k := &countingSink{Sink: sink, name: name, all: &s.bytes}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sinks = append(s.sinks, k)
	return k, nil
}

func (s *countingStore) files() []File {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := make([]File, len(s.sinks))
	for i, k := range s.sinks {
		files[i] = File{Name: k.name, Bytes: k.bytes.Load()}
	}
	return files
}

// Unwrap returns the store's own sink.
func (k *countingSink) Unwrap() arrowio.Sink { return k.Sink }

func (k *countingSink) Write(p []byte) (int, error) {
	n, err := k.Sink.Write(p)
	k.bytes.Add(int64(n))
	k.all.Add(int64(n))
	return n, err
}
