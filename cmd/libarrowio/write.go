package main

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/pathjson"
	"github.com/arrowio/arrowio/writers"
)

// writeRequest says where rows go, and how.
type writeRequest struct {
	Call          string            `json:"call"`
	Path          pathjson.Path     `json:"path"`
	To            string            `json:"to"`
	Options       map[string]string `json:"options"`
	Compression   string            `json:"compression"`
	RowGroupBytes int64             `json:"row_group_bytes"`
	MaxFileBytes  int64             `json:"max_file_bytes"`
	Memory        int64             `json:"memory"`
	Jobs          int               `json:"jobs"`
	Force         bool              `json:"force"`
	DryRun        bool              `json:"dry_run"`
	Sort          []string          `json:"sort"`
	SortByKey     bool              `json:"sort_by_key"`
	PartitionBy   []string          `json:"partition_by"`
	Stores        storeRequest      `json:"stores"`
	convert.MetadataEdit
}

// written is the answer.
type written struct {
	Path    pathjson.Path           `json:"path"`
	Format  string                  `json:"format"`
	Rows    int64                   `json:"rows"`
	Bytes   int64                   `json:"bytes"`
	Files   []convert.File          `json:"files"`
	Columns []arrowio.PlannedColumn `json:"columns"`
	Losses  []arrowio.Loss          `json:"losses"`
	DryRun  bool                    `json:"dry_run"`
}

func write(ctx context.Context, request string, in *arrowc.Reader, c *call) (_ *written, err error) {
	var r writeRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	target := string(r.Path)
	if in == nil {
		return nil, errs.Errorf(errs.ErrOption, "there are no rows to write")
	}
	f, err := r.format()
	if err != nil {
		return nil, err
	}
	o := convert.Options{
		Scan: arrowio.ScanOptions{Parallelism: r.Jobs, Allocator: arrowc.Memory()},
		Write: arrowio.WriteOptions{
			Compression: r.Compression, RowGroupBytes: r.RowGroupBytes, MaxFileBytes: r.MaxFileBytes, Memory: r.Memory,
			Parallelism: r.Jobs, Options: r.Options,
		},
		SortByKey: r.SortByKey, PartitionBy: r.PartitionBy, Metadata: r.MetadataEdit, DryRun: r.DryRun,
	}
	for _, text := range r.Sort {
		by, err := convert.ParseSortColumn(text)
		if err != nil {
			return nil, err
		}
		o.Sort = append(o.Sort, by)
	}
	var st arrowio.Store
	directory := f.Directory || r.MaxFileBytes > 0 || len(r.PartitionBy) > 0 || strings.HasSuffix(target, "/")
	if !r.DryRun {
		places, owned := r.Stores.places(nil)
		if owned != nil {
			defer func() { err = errors.Join(err, owned.Close()) }()
		}
		// The plan comes first: what cannot be written is the error, and not the file that it would replace.
		if _, err := convert.Write(ctx, in, f, nil, dry(o)); err != nil {
			return nil, about(target, err)
		}
		if st, err = places.Create(ctx, target, local.FileStoreOptions{Force: r.Force, Directory: directory}); err != nil {
			return nil, about(target, err)
		}
	}
	var told time.Time
	o.Progress = func(p convert.Progress) {
		if now := time.Now(); now.Sub(told) > progressEvery {
			told = now
			c.progress.Store(map[string]any{"rows": p.Rows, "bytes": p.BytesOut})
		}
	}
	report, err := convert.Write(ctx, in, f, st, o)
	if err != nil {
		return nil, about(target, err)
	}
	if len(report.Files) == 1 && !directory {
		report.Files[0].Name = path.Base(filepath.ToSlash(target)) // whatever the writer called it
	}
	return &written{
		Path: r.Path, Format: f.Name, Rows: report.Rows, Bytes: report.BytesOut, Files: report.Files,
		Columns: plannedColumns(report.Plan.Columns), Losses: losses(report.Losses()), DryRun: r.DryRun,
	}, nil
}

// plannedColumns returns columns of a plan that name options as the other language does.
func plannedColumns(columns []arrowio.PlannedColumn) []arrowio.PlannedColumn {
	out := append([]arrowio.PlannedColumn{}, columns...)
	for i := range out {
		c := &out[i]
		c.Loss, c.Refused, c.Advice = respelled(c.Loss), respelled(c.Refused), respelled(c.Advice)
	}
	return out
}

// losses returns losses that name options as the other language does.
func losses(all []arrowio.Loss) []arrowio.Loss {
	out := slices.Clone(all)
	for i := range out {
		out[i].Text = respelled(out[i].Text)
	}
	return out
}

// dry returns o for a plan.
func dry(o convert.Options) convert.Options {
	o.DryRun = true
	return o
}

func (r writeRequest) format() (arrowio.OutputFormat, error) {
	return writers.For(r.To, strings.TrimRight(string(r.Path), "/"))
}

// progressEvery is how often a write says how far it is.
const progressEvery = 50 * time.Millisecond
