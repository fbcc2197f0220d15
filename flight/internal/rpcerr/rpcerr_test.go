package rpcerr

import (
	"errors"
	"io"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestWithCode(t *testing.T) {
	if err := WithCode(codes.NotFound, nil); err != nil {
		t.Error(err)
	}
	var e *Error
	if err := WithCode(codes.NotFound, io.EOF); !errors.Is(err, io.EOF) || !errors.As(err, &e) || e.Code != codes.NotFound || err.Error() != "EOF" {
		t.Errorf("%v", err)
	}
	has := status.Error(codes.Aborted, "has a code")
	if err := WithCode(codes.NotFound, has); !errors.Is(err, has) || status.Code(err) != codes.Aborted {
		t.Errorf("%v", err)
	}
	if err := Errorf(codes.Internal, "row %d: %w", 3, io.EOF); !errors.Is(err, io.EOF) || !errors.As(err, &e) || e.Code != codes.Internal || err.Error() != "row 3: EOF" {
		t.Errorf("%v", err)
	}
}
