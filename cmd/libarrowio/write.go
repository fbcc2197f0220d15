package main

import (
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/writers"
)

// writeRequest says where rows go, and how.
type writeRequest struct {
	Call          string            `json:"call"`
	Path          string            `json:"path"`
	To            string            `json:"to"`
	Options       map[string]string `json:"options"`
	Compression   string            `json:"compression"`
	RowGroupBytes int64             `json:"row_group_bytes"`
	MaxFileBytes  int64             `json:"max_file_bytes"`
	Memory        int64             `json:"memory"`
	Jobs          int               `json:"jobs"`
	Force         bool              `json:"force"`
	DryRun        bool              `json:"dry_run"`
	Stores        storeRequest      `json:"stores"`
	convert.MetadataEdit
}

// written is the answer.
type written struct {
	Path    string                  `json:"path"`
	Format  string                  `json:"format"`
	Rows    int64                   `json:"rows"`
	Bytes   int64                   `json:"bytes"`
	Files   []writtenFile           `json:"files"`
	Columns []arrowio.PlannedColumn `json:"columns"`
	Losses  []arrowio.Loss          `json:"losses"`
	DryRun  bool                    `json:"dry_run"`
}

type writtenFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

func write(ctx context.Context, request string, in *arrowc.Reader, c *call) (_ *written, err error) {
	var r writeRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	if in == nil {
		return nil, errs.Errorf(errs.ErrOption, "there are no rows to write")
	}
	f, err := r.format()
	if err != nil {
		return nil, err
	}
	schema, err := r.Apply(in.Schema())
	if err != nil {
		return nil, about(r.Path, err)
	}
	plan, err := f.Plan(schema, arrowio.WriteOptions{
		Compression: r.Compression, RowGroupBytes: r.RowGroupBytes, MaxFileBytes: r.MaxFileBytes, Memory: r.Memory,
		Parallelism: r.Jobs, Options: r.Options,
	})
	if err != nil {
		return nil, about(r.Path, err)
	}
	out := &written{Path: r.Path, Format: f.Name, Columns: append([]arrowio.PlannedColumn{}, plan.Columns...), Losses: plan.Losses(), Files: []writtenFile{}, DryRun: r.DryRun}
	if r.DryRun {
		return out, nil
	}
	places, owned := r.Stores.places()
	if owned != nil {
		defer func() { err = errors.Join(err, owned.Close()) }()
	}
	directory := f.Directory || r.MaxFileBytes > 0 || strings.HasSuffix(r.Path, "/")
	st, err := places.Create(ctx, r.Path, local.FileStoreOptions{Force: r.Force, Directory: directory})
	if err != nil {
		return nil, about(r.Path, err)
	}
	counted := &counting{Store: st}
	w, err := arrowio.NewWriter(ctx, f, counted, plan)
	if err != nil {
		return nil, about(r.Path, err)
	}
	if out.Rows, err = copyRows(ctx, w, in, counted, c); err != nil {
		return nil, about(r.Path, errors.Join(err, w.Abort()))
	}
	if err := w.Close(); err != nil {
		return nil, about(r.Path, err)
	}
	out.Files, out.Bytes = counted.list(), counted.bytes.Load()
	if len(out.Files) == 1 && !directory {
		out.Files[0].Name = path.Base(filepath.ToSlash(r.Path)) // whatever the writer called it
	}
	return out, nil
}

func (r writeRequest) format() (arrowio.OutputFormat, error) {
	if r.To != "" {
		return writers.Lookup(r.To)
	}
	return writers.ByExtension(strings.TrimRight(r.Path, "/"))
}

// progressEvery is how often a write says how far it is.
const progressEvery = 50 * time.Millisecond

func copyRows(ctx context.Context, w arrowio.Writer, in *arrowc.Reader, st *counting, c *call) (rows int64, err error) {
	var told time.Time
	for {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		rec, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		err = w.Write(rec)
		rows += rec.NumRows()
		rec.Release()
		if err != nil {
			return rows, err
		}
		if now := time.Now(); now.Sub(told) > progressEvery {
			told = now
			c.progress.Store(map[string]any{"rows": rows, "bytes": st.bytes.Load()})
		}
	}
}
