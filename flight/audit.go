package flight

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc/status"
)

// StatementText says how statements are written to logs.
type StatementText int

// Values of StatementText.
const (
	StatementsRedacted StatementText = iota // with ? in place of values: see Redacted
	StatementsFull
	StatementsNone
)

// maxStatement is how much of a statement is logged, in bytes.
const maxStatement = 16 << 10

// of returns what is logged of the statement of a call.
func (t StatementText) of(c *Call) string {
	text := c.Statement()
	switch t {
	case StatementsNone:
		return ""
	case StatementsRedacted:
		text = Redacted(text)
	}
	return shortenedTo(text, maxStatement)
}

// Audit is an Observer that writes a line of JSON for each call that has ended, also for those that were refused: who has asked for
// what, and what it got.
type Audit struct {
	mu   sync.Mutex
	w    io.Writer
	text StatementText
	log  *slog.Logger
}

// NewAudit returns an Audit that writes to w, each line by one Write. Errors of w go to log.
func NewAudit(w io.Writer, text StatementText, log *slog.Logger) *Audit {
	return &Audit{w: w, text: text, log: log}
}

// Reopen makes a the writer of lines from now on.
func (a *Audit) Reopen(w io.Writer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.w = w
}

// auditLine is what is written of a call.
type auditLine struct {
	Time      time.Time `json:"time"` // when it began
	RequestID string    `json:"request_id"`
	TraceID   string    `json:"trace_id,omitempty"`
	Client    string    `json:"client"`          // "" = not known
	Tried     string    `json:"tried,omitempty"` // the name that came with a wrong password
	Roles     []string  `json:"roles,omitempty"`
	Peer      string    `json:"peer"`
	Method    string    `json:"method"`
	Dataset   string    `json:"dataset,omitempty"`
	Statement string    `json:"statement,omitempty"`
	Rows      int64     `json:"rows"`  // sent
	Bytes     int64     `json:"bytes"` // sent
	PutRows   int64     `json:"put_rows,omitzero"`
	PutBytes  int64     `json:"put_bytes,omitzero"` // stored
	Seconds   float64   `json:"seconds"`
	Code      string    `json:"code"`
	Error     string    `json:"error,omitempty"` // as the client got it
}

// Started implements Observer.
func (a *Audit) Started(*Call) {}

// Ended implements Observer.
func (a *Audit) Ended(c *Call, err error) {
	l := auditLine{
		Time: c.Started.UTC(), RequestID: c.ID, TraceID: c.Trace, Client: c.Client.Name, Tried: c.tried, Roles: c.Client.Roles, Peer: c.Peer, Method: c.Method,
		Dataset: c.Dataset(), Statement: a.text.of(c), Seconds: time.Since(c.Started).Seconds(), Code: codeOf(err).String(),
	}
	l.Rows, _, l.Bytes = c.Sent()
	l.PutRows, l.PutBytes = c.Put()
	if err != nil && a.text == StatementsFull { // its text may have values of the statement
		l.Error = status.Convert(err).Message()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	jerr := e.Encode(l)
	if jerr == nil {
		a.mu.Lock()
		_, jerr = a.w.Write(b.Bytes())
		a.mu.Unlock()
	}
	if jerr != nil {
		a.log.Error("a call is missing in the audit log", "request_id", c.ID, "method", c.Method, "client", c.Client.Name, "error", jerr.Error())
	}
}

// SlowCalls is an Observer that logs calls which took long.
type SlowCalls struct {
	After time.Duration
	Text  StatementText
	Log   *slog.Logger
}

// Started implements Observer.
func (s SlowCalls) Started(*Call) {}

// Ended implements Observer.
func (s SlowCalls) Ended(c *Call, err error) {
	took := time.Since(c.Started)
	if took < s.After {
		return
	}
	rows, _, bytes := c.Sent()
	s.Log.Warn("slow", "request_id", c.ID, "method", c.Method, "peer", c.Peer, "client", c.Client.Name, "dataset", c.Dataset(),
		"statement", s.Text.of(c), "duration", took, "rows", rows, "bytes", bytes, "code", codeOf(err).String())
}
