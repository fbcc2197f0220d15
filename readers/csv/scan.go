package csv

import (
	"bufio"
	"bytes"
	"io"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// scanner splits text into records. It reads a line at a time and keeps one record, whose fields are valid until the
// next.
type scanner struct {
	r     *bufio.Reader
	delim byte
	limit int64 // of one record

	line   int64 // of the next line to be read, from 1
	start  int64 // line of the record
	text   []byte
	ends   []int  // of each field in text
	quoted []bool // whether the field stood in quotes
	long   []byte // a line that did not fit into r's buffer
	crlf   bool   // whether the last line ended in CR LF
	ended  bool   // whether it ended at all
}

func newScanner(r io.Reader, delim byte, limit int64) *scanner {
	return &scanner{r: bufio.NewReaderSize(r, 256<<10), delim: delim, limit: limit, line: 1}
}

func (s *scanner) numFields() int { return len(s.ends) }

// field returns field i and whether it stood in quotes.
func (s *scanner) field(i int) ([]byte, bool) {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.text[from:s.ends[i]:s.ends[i]], s.quoted[i]
}

// blank reports whether the record is a line with nothing on it.
func (s *scanner) blank() bool { return len(s.ends) == 1 && s.ends[0] == 0 && !s.quoted[0] }

func (s *scanner) corrupt(line int64, format string, args ...any) error {
	e := errs.Errorf(errs.ErrCorrupt, format, args...)
	e.Op = lineName(line)
	return e
}

// next reads one record; io.EOF behind the last.
func (s *scanner) next() error {
	s.text, s.ends, s.quoted = s.text[:0], s.ends[:0], s.quoted[:0]
	line, err := s.readLine()
	if err != nil {
		return err
	}
	s.start = s.line - 1
	for {
		var more bool
		if len(line) > 0 && line[0] == '"' {
			line, more, err = s.inQuotes(line[1:])
		} else {
			line, more, err = s.plain(line)
		}
		if err != nil || !more {
			return err
		}
	}
}

// plain takes a field without quotes from the front of line; more says that another follows.
func (s *scanner) plain(line []byte) (rest []byte, more bool, err error) {
	i := bytes.IndexByte(line, s.delim)
	f := line
	if more = i >= 0; more {
		f, rest = line[:i], line[i+1:]
	}
	if bytes.IndexByte(f, '"') >= 0 {
		return nil, false, s.corrupt(s.start, "a quote inside field %d, which does not start with one", len(s.ends)+1)
	}
	s.text = append(s.text, f...)
	s.end(false)
	return rest, more, nil
}

// inQuotes takes a field from behind its opening quote, over as many lines as it has.
func (s *scanner) inQuotes(line []byte) (rest []byte, more bool, err error) {
	for {
		i := bytes.IndexByte(line, '"')
		switch {
		case i < 0: // the value goes on in the next line
			s.text = append(s.text, line...)
			s.text = append(s.text, s.lineEnd()...)
			if int64(len(s.text)) > s.limit {
				return nil, false, s.tooLong()
			}
			if line, err = s.readLine(); err == io.EOF {
				err = s.corrupt(s.start, "the quote that opens field %d is never closed", len(s.ends)+1)
			}
			if err != nil {
				return nil, false, err
			}
		case i+1 < len(line) && line[i+1] == '"':
			s.text = append(s.text, line[:i+1]...)
			line = line[i+2:]
		default:
			s.text = append(s.text, line[:i]...)
			s.end(true)
			line = line[i+1:]
			if len(line) == 0 {
				return nil, false, nil
			}
			if line[0] != s.delim {
				return nil, false, s.corrupt(s.line-1, "%q behind the closing quote of field %d", line[0], len(s.ends))
			}
			return line[1:], true, nil
		}
	}
}

func (s *scanner) end(quoted bool) {
	s.ends = append(s.ends, len(s.text))
	s.quoted = append(s.quoted, quoted)
}

func (s *scanner) tooLong() error {
	e := errs.Errorf(errs.ErrLimit, "a record of more than %d bytes (Limits.ValueBytes)", s.limit)
	e.Op = lineName(s.line)
	return e
}

// readLine returns the next line without its end, valid until the next call.
func (s *scanner) readLine() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], line...)
		for err == bufio.ErrBufferFull {
			if int64(len(s.long)) > s.limit {
				return nil, s.tooLong()
			}
			line, err = s.r.ReadSlice('\n')
			s.long = append(s.long, line...)
		}
		line = s.long
	}
	if err != nil && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	if s.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	s.line++
	s.crlf = false
	s.ended = err == nil
	if s.ended {
		line = line[:len(line)-1]
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line, s.crlf = line[:n-1], true
		}
	}
	return line, nil
}

// lineEnd returns what ended the line last read.
func (s *scanner) lineEnd() string {
	switch {
	case s.crlf:
		return "\r\n"
	case s.ended:
		return "\n"
	}
	return ""
}
