package main

import (
	"context"
	"errors"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// unread remembers why the first of several inputs could not be read, or is not sound.
type unread struct{ first error }

// keep prints an error; the first one sets the exit code.
func (u *unread) keep(ctx context.Context, a *app, err error) {
	describe(ctx, err).print(a.onErrors(), a.jsonErrors)
	if u.first == nil {
		u.first = &printedError{err}
	}
}

// ofInput reports whether an error is one of an input, beside which others can be read: not of the command line, and no interruption.
func ofInput(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, errs.ErrOption) {
		return false
	}
	f := describe(ctx, err)
	return f.code != exitUsage && !f.silent
}

// foundInput is an input of an inspector, or why there is none.
type foundInput struct {
	dataset.Input
	err      error
	n        int // by which withKeys knows it
	withKeys func(int, arrowio.File) (arrowio.File, error)
}

// find finds the inputs of each argument, in their order. An argument that stands for none is there with the error.
func (i *inspector) find(ctx context.Context, in []string) (all []foundInput, err error) {
	add := func(inputs []dataset.Input) {
		for n, at := range inputs {
			all = append(all, foundInput{Input: at, n: n, withKeys: i.withKeys})
		}
	}
	for _, arg := range in {
		inputs, err := i.prepare(ctx, []string{arg})
		switch {
		case err == nil:
			add(inputs)
		case ofInput(ctx, err):
			all = append(all, foundInput{Input: dataset.Input{Path: arg}, err: err})
		default:
			return nil, err
		}
	}
	if i.f.where.x == nil || len(in) == 1 || slices.ContainsFunc(all, func(x foundInput) bool { return x.err != nil }) {
		return all, nil
	}
	inputs, err := i.prepare(ctx, in) // what directories KEY=VALUE say is told by all inputs
	if err != nil {
		return nil, err
	}
	all = nil
	add(inputs)
	return all, nil
}
