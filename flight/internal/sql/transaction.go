package sql

import (
	"context"

	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// beginTransaction answers BeginTransaction.
func beginTransaction(ctx context.Context, d *Dialect, b []byte, send func([]byte) error) error {
	var r pb.ActionBeginTransactionRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	id, err := d.s.BeginTransaction(ctx)
	if err != nil {
		return err
	}
	out, err := Pack(&pb.ActionBeginTransactionResult{TransactionId: []byte(id)})
	if err != nil {
		return err
	}
	return send(out)
}

// endTransaction answers EndTransaction.
func endTransaction(ctx context.Context, d *Dialect, b []byte, _ func([]byte) error) error {
	var r pb.ActionEndTransactionRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	switch r.GetAction() {
	case pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT, pb.ActionEndTransactionRequest_END_TRANSACTION_ROLLBACK:
		return d.s.EndTransaction(ctx, string(r.GetTransactionId()), r.GetAction() == pb.ActionEndTransactionRequest_END_TRANSACTION_COMMIT)
	}
	return errs.Errorf(errs.ErrOption, "Flight SQL: a transaction ends with COMMIT or ROLLBACK")
}
