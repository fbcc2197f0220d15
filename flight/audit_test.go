package flight

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
)

func TestRedacted(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a, \"b 'c\" FROM t1 WHERE x = 'it''s' AND y > 1.5e3 -- secret\nLIMIT 10": "SELECT a, \"b 'c\" FROM t1 WHERE x = ? AND y > ? \nLIMIT ?",
		"x = X'00FF' or y = E'a' /* secret */ and z2 = $1":                               "x = ? or y = ?  and z2 = $1",
		"SELECT $$secret$$, $t$ sec'ret $t$, a$b":                                        "SELECT ?, ?, a$b",
		"x = 'secret without an end":                                                     "x = ?",
		"/* secret":                                                                      "",
		"-- secret":                                                                      "",
		"$$ secret":                                                                      "?",
		"`a''1`":                                                                         "`a''1`",
		"é = DATE '2020-01-01' and 0x1F_ff":                                              "é = DATE ? and ?",
		"\xff'x'":                                                                        "\xff?",
	} {
		if got := Redacted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzRedacted(f *testing.F) {
	f.Add("a = 'secret'")
	f.Add("$x$ 'secret' $x$ /* */")
	f.Fuzz(func(t *testing.T, text string) { _ = Redacted("'" + text) })
}

// Each call is a line: who, what, how much, and how it ended. Values are not in it unless that is asked for.
func TestAudit(t *testing.T) {
	t.Parallel()
	dir := events(t, 1000)
	for _, text := range []StatementText{StatementsRedacted, StatementsFull, StatementsNone} {
		var out, log quiet
		path, secrets := tokenFileOf(t, "alice")
		audit := NewAudit(&out, text, slog.New(slog.NewTextHandler(&log, nil)))
		slow := SlowCalls{After: time.Nanosecond, Text: text, Log: slog.New(slog.NewTextHandler(&log, nil))}
		r := start(t, Options{Authorizer: access(t, AccessOptions{Tokens: path}), Observers: []Observer{audit, slow}}, map[string]Spec{"events": {Paths: []string{dir}}})
		c := r.client(t)
		alice := with(with(t.Context(), "authorization", "Bearer "+secrets["alice"]), RequestIDHeader, "mine")
		if s := get(alice, t, c, []byte(`{"dataset":"events","where":"id >= 77777 or id < 66666"}`)); s.err != nil {
			t.Fatal(s.err)
		}
		if _, err := r.sqlClient(t).Execute(alice, "select nope from events where s = 'secret'"); err == nil {
			t.Fatal("no error")
		}
		if _, err := c.GetFlightInfo(t.Context(), pathOf("events")); err == nil {
			t.Fatal("no token, and no error")
		}
		if st, err := c.DoAction(alice, &flight.Action{Type: "formats"}); err != nil {
			t.Fatal(err)
		} else if _, err := st.Recv(); err != nil {
			t.Fatal(err)
		}
		settled(t, "not all calls are written", func() bool { return strings.Count(out.String(), "\n") == 4 })
		var lines []auditLine
		for line := range strings.Lines(out.String()) {
			var l auditLine
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, l)
		}
		if l := lines[0]; l.Client != "alice" || l.Method != "DoGet" || l.Dataset != "events" || l.Rows == 0 || l.Bytes == 0 || l.Code != "OK" || l.RequestID != "mine" || l.Peer == "" {
			t.Errorf("%+v", l)
		}
		if l := lines[1]; l.Client != "alice" || l.Method != "GetFlightInfo" || l.Code != "InvalidArgument" {
			t.Errorf("%+v", l)
		}
		if l := lines[2]; l.Client != "" || l.Code != "Unauthenticated" {
			t.Errorf("%+v", l)
		}
		want := map[StatementText][]string{
			StatementsRedacted: {"events where id >= ? OR id < ?", "select nope from events where s = ?", "", "formats"},
			StatementsFull:     {"events where id >= 77777 OR id < 66666", "select nope from events where s = 'secret'", "", "formats"},
			StatementsNone:     {"", "", "", ""},
		}[text]
		for i, l := range lines {
			if !strings.EqualFold(l.Statement, want[i]) || (l.Error != "") != (text == StatementsFull && l.Code != "OK") {
				t.Errorf("%d: %+v", i, l)
			}
		}
		if all := out.String() + log.String(); text != StatementsFull && (strings.Contains(all, "secret") || strings.Contains(all, "77777")) {
			t.Error(all)
		}
		if n := strings.Count(log.String(), "msg=slow"); n != 4 {
			t.Errorf("%d slow calls: %s", n, log.String())
		}
	}
}

// A refused password has the name that came with it, and never is that the client's. What was denied is said, too.
func TestAuditRefused(t *testing.T) {
	t.Parallel()
	var out quiet
	path, secrets := tokenFileOf(t, "alice")
	rule, err := ParseRule("alice:read=other")
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{
		Authorizer: access(t, AccessOptions{Tokens: path, Rules: []Rule{rule}}), Observers: []Observer{NewAudit(&out, StatementsRedacted, slog.New(slog.DiscardHandler))},
	}, map[string]Spec{"events": {Paths: []string{events(t, 10)}}})
	c := r.client(t)
	for _, header := range []string{
		"Basic " + base64.StdEncoding.EncodeToString([]byte("mallory:wrong")),
		"Basic " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x80", 1000)+":wrong")),
		"Bearer " + secrets["alice"],
	} {
		if s := get(with(t.Context(), "authorization", header), t, c, []byte(`{"dataset":"events"}`)); s.err == nil {
			t.Error("no error")
		}
	}
	settled(t, "not all calls are written", func() bool { return strings.Count(out.String(), "\n") == 3 })
	var lines []auditLine
	for line := range strings.Lines(out.String()) {
		var l auditLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if l := lines[0]; l.Client != "" || l.Tried != "mallory" || l.Code != "Unauthenticated" {
		t.Errorf("%+v", l)
	}
	if l := lines[1]; l.Client != "" || l.Tried == "" || len(l.Tried) > 3*maxLoginName {
		t.Errorf("%+v", l)
	}
	if l := lines[2]; l.Client != "alice" || l.Tried != "" || l.Dataset != "events" || l.Code != "PermissionDenied" {
		t.Errorf("%+v", l)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space") }

// A line that cannot be written is an error in the log.
func TestAuditFails(t *testing.T) {
	var log bytes.Buffer
	a := NewAudit(brokenWriter{}, StatementsFull, slog.New(slog.NewTextHandler(&log, nil)))
	a.Ended(&Call{ID: "x", Method: "DoGet"}, nil)
	if !strings.Contains(log.String(), "request_id=x") || !strings.Contains(log.String(), "no space") {
		t.Error(log.String())
	}
	var out bytes.Buffer
	a.Reopen(&out)
	a.Ended(&Call{ID: "y", Method: "DoGet"}, nil)
	if !strings.Contains(out.String(), `"request_id":"y"`) {
		t.Error(out.String())
	}
}
