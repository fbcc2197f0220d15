package dataset

import (
	"context"
	"slices"

	"github.com/arrowio/arrowio/internal/workers"
)

// Unbroken returns the inputs that can be opened, and those of tables. Of the others it tells o.LeftOut. If none can be opened, it
// returns the error of the first.
func Unbroken(ctx context.Context, inputs []Input, o Options) ([]Input, error) {
	faults := make([]error, len(inputs))
	err := workers.Each(openers, len(inputs), func(i int) error {
		if inputs[i].member == nil {
			faults[i] = workers.Guard(func() error { return o.tryOpen(ctx, inputs[i]) })
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var out []Input
	for i, in := range inputs {
		if faults[i] == nil {
			out = append(out, in)
		}
	}
	if len(out) == 0 && len(inputs) > 0 {
		return nil, faults[0]
	}
	for i, in := range inputs {
		if faults[i] != nil {
			o.leaveOut(in.name(), faults[i])
		}
	}
	return slices.Clip(out), nil
}

// tryOpen opens an input for all that is known before its rows are read.
func (o Options) tryOpen(ctx context.Context, in Input) error {
	f, err := OpenInput(ctx, in, o)
	if err != nil {
		return err
	}
	if _, err = Measure(ctx, f); err == nil {
		err = f.Close()
	} else {
		_ = f.Close() // it was only read
	}
	return err
}
