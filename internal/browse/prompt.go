package browse

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// prompt is a line of text that the user is typing.
type prompt struct {
	label string
	text  []rune
	at    int    // where the next character goes
	fault string // what was wrong with the text when it was entered
	apply func(m *Model, text string) (fault string, cmd tea.Cmd)
	old   []string // texts entered before, the last one last
	back  int      // how many of them up the shown one is
}

// promptMost bounds the text of a prompt, in characters.
const promptMost = 4096

// ask opens a prompt; earlier texts of the same label can be had again.
func (m *Model) ask(label, text string, apply func(m *Model, text string) (fault string, cmd tea.Cmd)) {
	t := []rune(text)
	m.prompt = &prompt{label: label, text: t, at: len(t), apply: apply, old: m.history[label]}
}

func (m *Model) promptKey(key tea.KeyPressMsg) tea.Cmd {
	p := m.prompt
	switch key.String() {
	case "esc", "ctrl+c":
		m.prompt = nil
	case "ctrl+z":
		return m.suspend("")
	case "enter":
		text := strings.TrimSpace(string(p.text))
		fault, cmd := p.apply(m, text)
		if p.fault = fault; fault != "" {
			return nil
		}
		if text != "" {
			h := slices.DeleteFunc(m.history[p.label], func(s string) bool { return s == text })
			m.history[p.label] = append(h, text)
		}
		if m.prompt == p {
			m.prompt = nil
		}
		return cmd
	case "left":
		p.at = max(0, p.at-1)
	case "right":
		p.at = min(len(p.text), p.at+1)
	case "home", "ctrl+a":
		p.at = 0
	case "end", "ctrl+e":
		p.at = len(p.text)
	case "up":
		p.recall(1)
	case "down":
		p.recall(-1)
	case "backspace":
		if p.at > 0 {
			p.text = slices.Delete(p.text, p.at-1, p.at)
			p.at--
		}
	case "delete":
		if p.at < len(p.text) {
			p.text = slices.Delete(p.text, p.at, p.at+1)
		}
	case "ctrl+u":
		p.text, p.at = p.text[p.at:], 0
	case "ctrl+k":
		p.text = p.text[:p.at]
	case "ctrl+w":
		from := p.at
		for from > 0 && p.text[from-1] == ' ' {
			from--
		}
		for from > 0 && p.text[from-1] != ' ' {
			from--
		}
		p.text, p.at = slices.Delete(p.text, from, p.at), from
	default:
		p.insert(key.Text)
	}
	return nil
}

func (p *prompt) recall(n int) {
	back := p.back + n
	if back < 0 || back > len(p.old) {
		return
	}
	p.back, p.text = back, nil
	if back > 0 {
		p.text = []rune(p.old[len(p.old)-back])
	}
	p.at = len(p.text)
}

func (p *prompt) insert(text string) {
	r := []rune(strings.ReplaceAll(text, "\n", " "))
	r = r[:min(len(r), max(0, promptMost-len(p.text)))]
	p.text = slices.Insert(p.text, p.at, r...)
	p.at += len(r)
}

// view draws the prompt, and returns the column of the cursor.
func (p *prompt) view(width int) (text string, column int) {
	label := p.label + " "
	room := max(width-wide(label)-1, 10)
	from := 0
	before := func() string { return safe(string(p.text[from:p.at])) }
	for wide(before()) > room {
		from++
	}
	column = wide(label) + wide(before())
	return styled(bold, label) + fit(safe(string(p.text[from:])), width-wide(label), false), min(column, width-1)
}
