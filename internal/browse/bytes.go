package browse

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"
)

// hexBytes is how many bytes are on one sheet of a dump.
const hexBytes = 16 << 10

// showBytes opens the dump of a part of a file, from the sheet at offset from on.
func (m *Model) showBytes(title string, off, n int64) tea.Cmd {
	o := &overlay{place: inBytes}
	m.push(o)
	return m.fillBytes(o, title, off, off+n, off)
}

func (m *Model) fillBytes(o *overlay, title string, off, end, from int64) tea.Cmd {
	n := min(hexBytes, end-from)
	o.title = fmt.Sprintf("%s · bytes %s", safe(title), byteRange(off, end))
	if from > off || n < end-off {
		o.title = fmt.Sprintf("%s · bytes %s of %s", safe(title), byteRange(from, from+n), byteRange(off, end))
	}
	o.text, o.top = nil, 0
	keys := map[string]func(*Model) tea.Cmd{
		">": func(m *Model) tea.Cmd {
			if from+hexBytes >= end {
				m.note = "these are the last bytes"
				return nil
			}
			return m.fillBytes(o, title, off, end, from+hexBytes)
		},
		"<": func(m *Model) tea.Cmd {
			if from <= off {
				m.note = "these are the first bytes"
				return nil
			}
			return m.fillBytes(o, title, off, end, max(off, from-hexBytes))
		},
		":": func(m *Model) tea.Cmd {
			m.ask("go to byte:", "", func(m *Model, text string) (string, tea.Cmd) {
				at, ok := parseOffset(text)
				if !ok || at < off || at >= end {
					return fmt.Sprintf("want an offset from %d to %d, or from %#x to %#x", off, end-1, off, end-1), nil
				}
				m.prompt = nil
				return "", m.fillBytes(o, title, off, end, at-(at-off)%16)
			})
			return nil
		},
	}
	data, file := m.data, m.file
	return m.fill(o, func(ctx context.Context) (func(), error) {
		b, err := data.Bytes(ctx, file, from, int(n))
		if err != nil {
			return nil, err
		}
		notes, err := data.Explain(ctx, file, from, from+n)
		if err != nil {
			notes = append(notes, Note{Off: from, End: from, Text: "not annotated: " + err.Error()})
		}
		text := hexLines(b, from, notes)
		return func() { o.text, o.keys = text, keys }, nil
	})
}

// byteRange writes a range of offsets, in decimal as everywhere else and in hexadecimal as on the lines of a dump.
func byteRange(off, end int64) string {
	return fmt.Sprintf("%s to %s (%#x to %#x)", humanize.Comma(off), humanize.Comma(end), off, end)
}

// parseOffset reads an offset: decimal, with commas or not, or hexadecimal behind 0x.
func parseOffset(text string) (int64, bool) {
	text = strings.NewReplacer(",", "", "_", "", " ", "").Replace(text)
	base := 10
	if len(text) > 2 && strings.EqualFold(text[:2], "0x") {
		text, base = text[2:], 16
	}
	n, err := strconv.ParseInt(text, base, 64)
	return n, err == nil && n >= 0
}

// hexLines writes bytes that lie at off, 16 a line, and each note above the line in which its range begins.
func hexLines(b []byte, off int64, notes []Note) []string {
	var out []string
	next := 0
	for i := 0; i < len(b) || i == 0; i += 16 {
		at := off + int64(i)
		for ; next < len(notes) && notes[next].Off < at+16; next++ {
			out = append(out, styled(notice, fmt.Sprintf("%d-%d (%#x-%#x)  %s", notes[next].Off, notes[next].End, notes[next].Off, notes[next].End, safe(notes[next].Text))))
		}
		if i < len(b) {
			out = append(out, hexLine(b[i:min(i+16, len(b))], at))
		}
	}
	return out
}

func hexLine(b []byte, at int64) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%#12x ", at)
	text := make([]byte, 0, 16)
	for i := range 16 {
		if i == 8 {
			s.WriteByte(' ')
		}
		if i >= len(b) {
			s.WriteString("   ")
			continue
		}
		fmt.Fprintf(&s, " %02x", b[i])
		if c := b[i]; c >= 0x20 && c < 0x7f {
			text = append(text, c)
		} else {
			text = append(text, '.')
		}
	}
	return s.String() + "  " + string(text)
}
