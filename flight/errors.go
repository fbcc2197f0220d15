package flight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

var (
	// errStopped is inside every reason for which this server ends a call itself.
	errStopped   = errors.New("ended by the server")
	errDraining  = &rpcerr.Error{Code: codes.Unavailable, Err: errors.New("the server is shutting down")}
	errTimeout   = &rpcerr.Error{Code: codes.Unavailable, Err: fmt.Errorf("the server is shutting down, and the time that running calls had is over: %w", errStopped)}
	errExpired   = &rpcerr.Error{Code: codes.Unauthenticated, Err: fmt.Errorf("the token of this client has expired: %w", errStopped)}
	errCancelled = &rpcerr.Error{Code: codes.Canceled, Err: fmt.Errorf("cancelled on request: %w", errStopped)}
	// errChanged: the files changed since the ticket was made.
	errChanged = errors.New("the dataset has changed: get a new FlightInfo")
)

// changed is errChanged of a dataset.
func changed(name string) error {
	return &rpcerr.Error{Code: codes.FailedPrecondition, Err: fmt.Errorf("%s: %w", name, errChanged)}
}

// unfit is for a ticket whose columns are not those that the client would get. Which columns it may not read is not told.
func unfit(name string) error {
	return &rpcerr.Error{Code: codes.FailedPrecondition, Err: fmt.Errorf("%s: the ticket is of other columns than this client may read, as those of other clients may be, or %w", name, errChanged)}
}

// changedFile is errChanged of a file, as clients know it. Who knows the path of the file does not add it.
func changedFile(name string) error {
	return &rpcerr.Error{Code: codes.FailedPrecondition, Err: errs.Locate(errChanged, errs.At{File: name})}
}

func unauthenticated(err error) error { return rpcerr.WithCode(codes.Unauthenticated, err) }
func denied(err error) error          { return rpcerr.WithCode(codes.PermissionDenied, err) }
func exhausted(err error) error       { return rpcerr.WithCode(codes.ResourceExhausted, err) }

// status makes the answer of a call. The text is err's, and names the place as errs.Error does; ErrorInfo has the
// same by fields. What a bug leaves, its stack, stays here: the client gets the request id to ask about.
func (s *Server) status(c *Call, err error) error {
	if err == nil {
		return nil
	}
	if st, ok := status.FromError(err); ok {
		if text := shortened(st.Message()); text != st.Message() {
			return status.Error(st.Code(), text)
		}
		return st.Err()
	}
	code, reason := classify(err)
	info := &errdetails.ErrorInfo{Reason: reason, Domain: "arrowio", Metadata: map[string]string{"request_id": c.ID}}
	text := errs.Respell(err.Error(), errs.OptionsOf(err), spelled)
	var ae *errs.Error
	if errors.As(err, &ae) {
		for name, value := range map[string]string{"format": ae.Format, "column": ae.Column, "operation": ae.Op} {
			if value != "" {
				info.Metadata[name] = shortened(value)
			}
		}
		if ae.Split >= 0 {
			info.Metadata["split"] = strconv.Itoa(ae.Split)
		}
		if ae.Off >= 0 {
			info.Metadata["offset"] = strconv.FormatInt(ae.Off, 10)
		}
	}
	if d := c.Dataset(); d != "" {
		info.Metadata["dataset"] = d
	}
	if code == codes.Internal {
		text = "internal error; the server's log has more under request id " + c.ID
	}
	st := status.New(code, shortened(strings.ToValidUTF8(text, "\uFFFD")))
	if detailed, err := st.WithDetails(info); err == nil {
		st = detailed
	}
	return st.Err()
}

// maxErrorText is the longest text of an error, in bytes. It goes out as a header of HTTP/2, percent-encoded, once as it is and once
// within its details; clients that take no more than 8 KiB of headers would get none of a longer one.
const maxErrorText = 1 << 10

// shortened leaves out the middle of a text that is too long: its beginning says where something is wrong, its end what.
func shortened(text string) string { return shortenedTo(text, maxErrorText) }

func shortenedTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const gap = " … "
	half := (most - len(gap)) / 2
	head, tail := half, len(text)-half
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + gap + text[tail:]
}

// classify returns the code and the reason, a word of its own, for an error.
func classify(err error) (codes.Code, string) {
	var c *rpcerr.Error
	if errors.As(err, &c) {
		return c.Code, reason(c.Code)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return codes.Canceled, "CANCELLED"
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded, "DEADLINE_EXCEEDED"
	}
	var ae *errs.Error
	if errors.As(err, &ae) {
		code := map[errs.Kind]codes.Code{
			errs.ErrCorrupt:     codes.DataLoss,
			errs.ErrUnsupported: codes.Unimplemented,
			errs.ErrLimit:       codes.ResourceExhausted,
			errs.ErrSchema:      codes.InvalidArgument,
			errs.ErrOption:      codes.InvalidArgument,
		}[ae.Kind]
		if code == codes.OK {
			code = codes.Internal
		}
		return code, strings.ToUpper(ae.Kind.Error())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return codes.FailedPrecondition, "FILE"
	}
	return codes.Unavailable, "IO" // what reads bytes failed; it may not the next time
}

func codeOf(err error) codes.Code { return status.Code(err) }

// reason is a code as ErrorInfo has words.
func reason(c codes.Code) string {
	if c == codes.FailedPrecondition {
		return "CHANGED"
	}
	var b strings.Builder
	for i, r := range c.String() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}
