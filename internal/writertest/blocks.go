package writertest

import (
	"context"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// BlockStore is a local.MemStore that divides objects into blocks, as HDFS does. Its sinks are wrapped, as commands wrap them.
type BlockStore struct {
	*local.MemStore
	Block int64 // bytes of a block, where nobody asks for others

	mu    sync.Mutex
	Asked map[string]int64 // bytes of blocks that a writer has asked for, by object
}

// NewBlockStore returns a store with blocks of so many bytes.
func NewBlockStore(block int64) *BlockStore {
	return &BlockStore{MemStore: local.NewMemStore(), Block: block, Asked: map[string]int64{}}
}

// Create implements arrowio.Store.
func (s *BlockStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	k, err := s.MemStore.Create(ctx, name)
	if err != nil {
		return nil, err
	}
	return wrappedSink{&blockSink{Sink: k, st: s, name: name}}, nil
}

type blockSink struct {
	arrowio.Sink
	st   *BlockStore
	name string
}

// BlockBytes returns the size of the object's blocks.
func (k *blockSink) BlockBytes() int64 {
	k.st.mu.Lock()
	defer k.st.mu.Unlock()
	if n, ok := k.st.Asked[k.name]; ok {
		return n
	}
	return k.st.Block
}

// SetBlockBytes makes it another.
func (k *blockSink) SetBlockBytes(n int64) error {
	k.st.mu.Lock()
	defer k.st.mu.Unlock()
	k.st.Asked[k.name] = n
	return nil
}

type wrappedSink struct{ arrowio.Sink }

// Unwrap returns the store's own sink.
func (k wrappedSink) Unwrap() arrowio.Sink { return k.Sink }
