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
	eol   byte  // what ends a line: LF, with or without CR before it, or CR alone

	failed error // of the first bytes, for the first line

	line   int64 // of the next line to be read, from 1
	start  int64 // line of the record
	text   []byte
	ends   []int  // of each field in text
	quoted []bool // whether the field stood in quotes
	long   []byte // a line that did not fit into r's buffer
	crlf   bool   // whether the last line ended in CR LF
	ended  bool   // whether it ended at all
	other  bool   // whether it has a character inside that ends lines in other files
}

func newScanner(r io.Reader, delim byte, limit int64) *scanner {
	s := &scanner{r: bufio.NewReaderSize(r, 256<<10), delim: delim, limit: limit, line: 1, eol: '\n'}
	first, err := s.r.Peek(s.r.Size())
	if err != nil && err != io.EOF {
		s.failed = err
	}
	if endsInCR(first) {
		s.eol = '\r'
	}
	return s
}

// endsInCR reports whether the first line that ends outside quotes does so in CR alone, as lines of old Macintosh programs do.
func endsInCR(text []byte) bool {
	for quoted := false; ; {
		i := bytes.IndexAny(text, "\"\r\n")
		if i < 0 {
			return false
		}
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted:
			return c == '\r' && !bytes.HasPrefix(text[i+1:], []byte("\n"))
		}
		text = text[i+1:]
	}
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
	if s.other && bytes.ContainsAny(f, "\r\n") {
		return nil, false, s.corrupt(s.start, "field %d has a line end inside and does not stand in quotes: lines end in LF, CR LF or CR, the same in all of the file", len(s.ends)+1)
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
	if s.failed != nil {
		return nil, s.failed
	}
	line, err := s.r.ReadSlice(s.eol)
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], line...)
		for err == bufio.ErrBufferFull {
			if int64(len(s.long)) > s.limit {
				return nil, s.tooLong()
			}
			line, err = s.r.ReadSlice(s.eol)
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
		if n := len(line); n > 0 && line[n-1] == '\r' && s.eol == '\n' {
			line, s.crlf = line[:n-1], true
		}
	}
	s.other = bytes.IndexByte(line, '\r'^'\n'^s.eol) >= 0
	return line, nil
}

// lineEnd returns what ended the line last read.
func (s *scanner) lineEnd() string {
	switch {
	case s.crlf:
		return "\r\n"
	case s.ended:
		return string(s.eol)
	}
	return ""
}
