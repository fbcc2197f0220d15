package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/pathjson"
	"github.com/arrowio/arrowio/internal/workers"
)

// whole is what every part says of the dataset that it is a part of: enough to show files of it as the dataset does,
// without looking at the others.
type whole struct {
	Open    openRequest       `json:"open"`
	Schemas []fileSchema      `json:"schemas"`         // those of its files that differ, in order
	Types   map[string]string `json:"types,omitempty"` // of the columns that directories add
	Schema  string            `json:"schema"`          // what comes of them: see dataset.SchemaHash
}

// fileSchema is the schema of one file, or more that have the same.
type fileSchema struct {
	First dataset.Input `json:"first"` // which has it
	IPC   []byte        `json:"ipc"`   // a stream of no batches
}

// partFile is a file of a part.
type partFile struct {
	dataset.FilePart               // the file must have its identity still
	Input            dataset.Input `json:"input"`
	Schema           int           `json:"schema"` // which of Schemas
}

// partRequest asks for the files of a part.
type partRequest struct {
	Call   string        `json:"call"`
	Whole  whole         `json:"whole"`
	Files  []partFile    `json:"files"`
	Stores *storeRequest `json:"stores"` // how they are reached; null = as the part says
	Place  *placeRequest `json:"place"`  // of the caller; it goes with the handle
}

// openPart opens files of a dataset, shown as they are there.
func openPart(ctx context.Context, request string) (_ *opened, err error) {
	var r partRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	if r.Stores != nil {
		r.Whole.Open.Stores = *r.Stores
	}
	r.Whole.Open.Place = r.Place
	h := newHandle(r.Whole.Open)
	defer func() {
		if err != nil {
			err = errors.Join(h.locate(err), h.close())
		}
	}()
	o, err := h.options(r.Whole.Open)
	if err != nil {
		return nil, err
	}
	o.Filter = nil // the planner has left out what it leaves out
	if o.Partitions.Types, err = typesOf(r.Whole.Types); err != nil {
		return nil, err
	}
	schemas, inputs, err := r.inputs()
	if err != nil {
		return nil, err
	}
	first := len(r.Whole.Schemas)
	for _, in := range inputs {
		h.names = append(h.names, in.Path)
	}
	// The dataset is made of schemas alone; after that its files are there to be read.
	var made atomic.Bool
	h.Dataset, err = dataset.New(ctx, inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
		if !made.Load() {
			return view.SchemaOnly(schemas[i]), nil
		}
		f, err := h.open(ctx, i, inputs[i], o)
		if err != nil {
			return nil, err
		}
		p := r.Files[i-first].FilePart
		if err := unchanged(ctx, f, p.ID); err != nil {
			return nil, errors.Join(about(inputs[i].Path, err), f.Close())
		}
		shown, err := p.Show(f)
		if err != nil {
			return nil, errors.Join(about(inputs[i].Path, err), f.Close())
		}
		return shown, nil
	})
	if err != nil {
		return nil, err
	}
	made.Store(true)
	if dataset.SchemaHash(h.Schema) != r.Whole.Schema {
		return nil, errs.Errorf(errs.ErrOption, "this is not a part, or another version made it")
	}
	h.Fragments = h.Fragments[first:]
	h.names = h.names[first:]
	return &opened{Handle: h.publish(), Files: pathjson.Of(h.names), Warnings: told(h.said())}, nil
}

// inputs returns the inputs of the dataset, and the schema of each: first those that only stand for a schema.
func (r *partRequest) inputs() (schemas []*arrow.Schema, inputs []dataset.Input, err error) {
	for i, s := range r.Whole.Schemas {
		schema, err := schemaOf(s.IPC)
		if err != nil {
			return nil, nil, errs.Errorf(errs.ErrOption, "schema %d of the part: %w", i, err)
		}
		schemas, inputs = append(schemas, schema), append(inputs, s.First)
	}
	for i, f := range r.Files {
		if f.Schema < 0 || f.Schema >= len(r.Whole.Schemas) {
			return nil, nil, errs.Errorf(errs.ErrOption, "file %d of the part has schema %d, which is not there", i, f.Schema)
		}
		schemas, inputs = append(schemas, schemas[f.Schema]), append(inputs, f.Input)
	}
	return schemas, inputs, nil
}

// shapes are the schemas of files, each once.
type shapes struct {
	mu    sync.Mutex
	all   []*arrow.Schema
	first []int       // input that has it
	is    map[int]int // which one an input has
	done  bool
}

// add notes the schema of input i, as long as a dataset is being made.
func (s *shapes) add(i int, schema *arrow.Schema) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	k := s.find(schema)
	switch {
	case k < 0:
		k = len(s.all)
		s.all, s.first = append(s.all, schema), append(s.first, i)
	case i < s.first[k]: // files of stores are opened in any order
		s.first[k] = i
	}
	if s.is == nil {
		s.is = map[int]int{}
	}
	s.is[i] = k
}

// of returns which one input i has; -1 = not known yet.
func (s *shapes) of(i int) int {
	if k, ok := s.is[i]; ok {
		return k
	}
	return -1
}

// find returns which of them a schema is, metadata included; -1 = none. Files differ in runs.
func (s *shapes) find(schema *arrow.Schema) int {
	for k := len(s.all) - 1; k >= 0; k-- {
		if x := s.all[k]; x == schema || x.Equal(schema) && x.Metadata().Equal(schema.Metadata()) {
			return k
		}
	}
	return -1
}

// end puts them into the order of the inputs; no more are added.
func (s *shapes) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	order := make([]int, len(s.all))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return s.first[a] - s.first[b] })
	all, first, to := make([]*arrow.Schema, len(order)), make([]int, len(order)), make([]int, len(order))
	for k, from := range order {
		all[k], first[k], to[from] = s.all[from], s.first[from], k
	}
	s.all, s.first = all, first
	for i, k := range s.is {
		s.is[i] = to[k]
	}
}

// errStale: the files changed since the part was made.
var errStale = fmt.Errorf("the file has changed since the work was planned: %w", syscall.ESTALE)

// unchanged looks whether a file is what it was.
func unchanged(ctx context.Context, f arrowio.File, id string) error {
	now, err := arrowio.Identity(ctx, f)
	if err == nil && now != id {
		err = errStale
	}
	return err
}

// schemaBytes is what schemaOf reads.
func schemaBytes(s *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	err := ipc.NewWriter(&b, ipc.WithSchema(s)).Close()
	return b.Bytes(), err
}

// schemaOf reads a schema that the planner wrote.
func schemaOf(b []byte) (s *arrow.Schema, err error) {
	err = workers.Foreign(errs.ErrSchema, "it cannot be read", func() error {
		r, err := ipc.NewReader(bytes.NewReader(b))
		if err != nil {
			return err
		}
		defer r.Release()
		s = r.Schema()
		return nil
	})
	return s, err
}

// columnTypes are the types of columns that directories add.
var columnTypes = map[string]arrow.DataType{
	"utf8":   arrow.BinaryTypes.String,
	"int32":  arrow.PrimitiveTypes.Int32,
	"int64":  arrow.PrimitiveTypes.Int64,
	"date32": arrow.FixedWidthTypes.Date32,
}

// typesOf reads them; nil = there are none.
func typesOf(names map[string]string) (map[string]arrow.DataType, error) {
	var out map[string]arrow.DataType
	for key, name := range names {
		t, ok := columnTypes[name]
		if !ok {
			return nil, errs.Errorf(errs.ErrOption, "%s cannot be of type %q", key, name)
		}
		if out == nil {
			out = map[string]arrow.DataType{}
		}
		out[key] = t
	}
	return out, nil
}
