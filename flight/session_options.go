package flight

import (
	"context"
	"errors"
	"maps"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/flight/internal/sql"
)

// sessionOptions are what clients set before they ask: there is one catalog and one schema.
var sessionOptions = map[string]string{"catalog": SQLCatalog, "schema": SQLSchema}

// setSessionOptions answers a SetSessionOptionsRequest: a client may set what is so in any case, and settings of the engine's sessions, for
// which it gets one. v15 has no message for it.
//
//	message SetSessionOptionsRequest { map<string, SessionOptionValue> session_options = 1; }
//	message SetSessionOptionsResult { map<string, Error> errors = 1; }   // Error.value = 1: INVALID_NAME = 1, INVALID_VALUE = 2, ERROR = 3
func setSessionOptions(ctx context.Context, s *service, body []byte, send func([]byte) error) error {
	options, err := sql.SessionOptions(body)
	if err != nil {
		return err
	}
	wrong := map[string]int{}
	for name, value := range options {
		want, known := sessionOptions[name]
		switch {
		case !known:
			if wrong[name], err = s.setSetting(ctx, name, value); err != nil {
				return err
			}
			if wrong[name] == 0 {
				delete(wrong, name)
			}
		case value != nil && *value != want:
			wrong[name] = sql.SessionInvalidValue
		}
	}
	return send(sql.SessionErrors(wrong))
}

// getSessionOptions answers a GetSessionOptionsRequest with a GetSessionOptionsResult.
func getSessionOptions(ctx context.Context, s *service, _ []byte, send func([]byte) error) error {
	x, err := s.session(ctx, true)
	if err != nil {
		return err
	}
	all := maps.Clone(sessionOptions)
	if x != nil {
		done, err := s.take(ctx, x)
		if err != nil {
			return err
		}
		defer done()
		settings, err := x.Settings()
		if err != nil {
			return err
		}
		maps.Copy(all, settings)
	}
	return send(sql.SessionValues(all))
}

// setSetting changes a setting of the client's session, and returns what is wrong with it; 0 = nothing.
func (s *service) setSetting(ctx context.Context, name string, value *string) (wrong int, err error) {
	if engine := s.sessionEngine(); engine == nil || !engine.Settable(name) {
		return sql.SessionInvalidName, nil
	}
	if value == nil || *value == sql.NotText {
		return sql.SessionInvalidValue, nil
	}
	x, err := s.needSession(ctx, true)
	if err != nil {
		return 0, err
	}
	done, err := s.take(ctx, x)
	if err != nil {
		return 0, err
	}
	defer done()
	if err := x.Set(name, *value); err != nil {
		return sql.SessionInvalidValue, nil //nolint:nilerr // the answer has no place for a text
	}
	return 0, nil
}

// closeSession ends the session of the client, if it has one. The result is a CloseSessionResult whose status is CLOSED; v15 has no message
// for it.
func closeSession(ctx context.Context, s *service, _ []byte, send func([]byte) error) error {
	x, err := s.session(ctx, false)
	if err != nil && !errors.Is(err, errSessionGone) {
		return err
	}
	if x != nil {
		done, err := s.take(ctx, x)
		if err != nil {
			return err
		}
		s.end(x)
		done()
		setSessionCookie(ctx, "")
	}
	const closed = 1
	return send(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), closed))
}
