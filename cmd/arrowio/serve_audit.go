package main

import (
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/flight"
)

// auditFlags are the flags of serve about who has asked for what.
type auditFlags struct {
	file       string
	slow       time.Duration
	statements wordValue
}

func (f *auditFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.file, "audit-log", "", "append a line of JSON for each call to `FILE`: who has asked for what, and what it got; SIGHUP opens it again")
	fs.DurationVar(&f.slow, "slow-query", 0, "log calls that take `DURATION` or longer, such as 5s, with their statements (default: none)")
	f.statements = wordValue{words: []string{"redacted", "full", "none"}, word: "redacted"}
	addWord(cmd, &f.statements, "log-statements", "how --audit-log and --slow-query tell statements: redacted (? in place of values), full or none (default redacted)")
}

// text is how statements are told.
func (f *auditFlags) text() flight.StatementText {
	switch f.statements.word {
	case "full":
		return flight.StatementsFull
	case "none":
		return flight.StatementsNone
	}
	return flight.StatementsRedacted
}

// apply adds the observers of these flags.
func (f *auditFlags) apply(o *flight.Options) (*auditFile, error) {
	if f.slow < 0 {
		return nil, usagef("serve: --slow-query is %s; it may be 0, for never, or more", f.slow)
	}
	if f.slow > 0 {
		o.Observers = append(o.Observers, flight.SlowCalls{After: f.slow, Text: f.text(), Log: o.Logger})
	}
	a := &auditFile{path: f.file, log: o.Logger}
	if f.file == "" {
		return a, nil
	}
	var err error
	if a.file, err = openAudit(f.file); err != nil {
		return nil, err
	}
	a.audit = flight.NewAudit(a.file, f.text(), o.Logger)
	o.Observers = append(o.Observers, a.audit)
	return a, nil
}

// auditFile is the file of an audit log. Its zero value is none.
type auditFile struct {
	path  string
	log   *slog.Logger
	file  *os.File
	audit *flight.Audit
}

func openAudit(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// reopen opens the file again, which others may have moved away. If it cannot be opened, lines go where they went before.
func (a *auditFile) reopen() {
	if a.audit == nil {
		return
	}
	f, err := openAudit(a.path)
	if err != nil {
		a.log.Error("the audit log cannot be opened again, and stays the file that it was", "error", err.Error())
		return
	}
	a.audit.Reopen(f)
	if err := a.file.Close(); err != nil {
		a.log.Error("the audit log", "error", err.Error())
	}
	a.file = f
}

func (a *auditFile) close() error {
	if a.file == nil {
		return nil
	}
	return errors.Join(a.file.Sync(), a.file.Close())
}
