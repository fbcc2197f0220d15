package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/arrowio/arrowio/internal/browse"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// monkey is somebody who presses any keys before a screen.
type monkey struct {
	t             *testing.T
	r             *rand.Rand
	m             tea.Model
	width, height int
	msgs          chan tea.Msg
	left          bool // the browser has ended
	patience      time.Duration
	pressed       []string
}

var namedKeys = []tea.Key{
	{Code: tea.KeyUp},
	{Code: tea.KeyDown},
	{Code: tea.KeyLeft},
	{Code: tea.KeyRight},
	{Code: tea.KeyEnter},
	{Code: tea.KeyEscape},
	{Code: tea.KeyHome},
	{Code: tea.KeyEnd},
	{Code: tea.KeyPgUp},
	{Code: tea.KeyPgDown},
	{Code: tea.KeyTab},
	{Code: tea.KeyTab, Mod: tea.ModShift},
	{Code: tea.KeySpace, Text: " "},
	{Code: tea.KeyBackspace},
	{Code: tea.KeyDelete},
	{Code: tea.KeyF1},
	{Code: 'a', Mod: tea.ModCtrl},
	{Code: 'b', Mod: tea.ModCtrl},
	{Code: 'c', Mod: tea.ModCtrl},
	{Code: 'e', Mod: tea.ModCtrl},
	{Code: 'f', Mod: tea.ModCtrl},
	{Code: 'k', Mod: tea.ModCtrl},
	{Code: 'u', Mod: tea.ModCtrl},
	{Code: 'w', Mod: tea.ModCtrl},
	{Code: 'z', Mod: tea.ModCtrl},
	{},
}

// The texts that are pasted are filters, rows, offsets, and nothing of the kind.
var pastes = []string{"1", "0x40", "999999999999", "9223372036854775807", "id__mono > 3", "id__mono < 0", "#1 IS NULL", "a\x1b[2J\tb\r\nc", "日本語 e\u0301 \u202e👩‍👩‍👧", strings.Repeat("long ", 900)}

// next is a key, a paste, a turn of the wheel, or another size of the terminal.
func (k *monkey) next() tea.Msg {
	switch n := k.r.IntN(40); {
	case n == 0:
		k.width, k.height = 20+k.r.IntN(181), 5+k.r.IntN(56)
		return tea.WindowSizeMsg{Width: k.width, Height: k.height}
	case n == 1:
		return tea.PasteMsg{Content: pastes[k.r.IntN(len(pastes))]}
	case n == 2:
		return tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[k.r.IntN(2)]}
	case n < 20:
		return tea.KeyPressMsg(namedKeys[k.r.IntN(len(namedKeys))])
	case n < 30: // those that lead somewhere
		c := []rune("1234[]o/f:?ycsSx><-z$gGnNa")
		return letter(c[k.r.IntN(len(c))])
	case n == 30:
		return letter([]rune("é日👩\u202e\u0301\x7f")[k.r.IntN(6)])
	default:
		return letter(rune('!' + k.r.IntN('~'-'!'+1)))
	}
}

func letter(c rune) tea.Msg { return tea.KeyPressMsg{Code: c, Text: string(c)} }

// do lets the browser have a message, and what comes of it within a moment. What takes longer comes some keys later.
func (k *monkey) do(msg tea.Msg) {
	k.update(msg)
	for wait := time.After(k.patience); ; {
		select {
		case msg := <-k.msgs:
			k.update(msg)
			continue
		default:
		}
		if k.r.IntN(4) == 0 {
			return
		}
		select {
		case msg := <-k.msgs:
			k.update(msg)
		case <-wait:
			return
		}
	}
}

func (k *monkey) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.QuitMsg:
		k.left = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			k.run(cmd)
		}
		return
	}
	_, cmd := k.m.Update(msg)
	k.run(cmd)
}

func (k *monkey) run(cmd tea.Cmd) {
	if cmd != nil {
		msgs := k.msgs
		go func() { msgs <- cmd() }()
	}
}

// look checks that the screen holds what is drawn, and that nothing in it moves the cursor.
func (k *monkey) look() error {
	v := k.m.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) > k.height {
		return fmt.Errorf("%d lines on a screen of %d×%d", len(lines), k.width, k.height)
	}
	for i, l := range lines {
		if n := ansi.StringWidthWc(l); n > k.width {
			return fmt.Errorf("line %d takes %d columns on a screen of %d×%d: %q", i, n, k.width, k.height, l)
		}
		for _, c := range ansi.Strip(l) {
			if c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e {
				return fmt.Errorf("line %d has the character %U: %q", i, c, l)
			}
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.X >= k.width || c.Y < 0 || c.Y >= k.height) {
		return fmt.Errorf("the cursor is at %d, %d on a screen of %d×%d", c.X, c.Y, k.width, k.height)
	}
	return nil
}

// No keys, in whatever order and on a terminal of whatever size, lead to a panic or to lines that the screen does not hold.
func TestBrowseAnyKeys(t *testing.T) {
	const keys = 250
	dir := t.TempDir()
	text := "a,b\n\x1b[31mred,\u202etfel\n日本語日本語日本語,👩‍👩‍👧e\u0301\n" + strings.Repeat("x", 3000) + ",1\n"
	for name, content := range map[string]string{"some/text.csv": text, "some/none.csv": "", "some/broken.orc": "ORC no more", "1.jsonl": "{\"a\":[{\"b\":null}],\"" + strings.Repeat("n", 500) + "\":1}\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const tests = "../../testdata/"
	kudu := fixtures.Unpack(t, tests+"kudu/kudu-1.17.1/file.tar.gz")
	for i, args := range [][]string{
		{tests + "orc/java-2.3.1/pruning.orc"},
		{"--where=id__mono > 3000", tests + "orc/java-2.3.1/pruning.orc", tests + "trevni/java-1.12.1/avro-nested.trv"},
		{tests + "orc/foreign/no-statistics.orc"},
		{tests + "trevni/java-1.12.1/avro-random-6.trv"},
		{tests + "trevni/java-1.12.1/rows0.trv"},
		{tests + "cfile/kudu-1.17.1/string-dict-lz4-nulls.cfile"},
		{tests + "parquet/pyarrow-26.0.1/groups.parquet"},
		{tests + "avro/java-1.12.1/random-5-deflate.avro"},
		{tests + "ipc/pyarrow-26.0.1/empty.arrows"},
		{filepath.Join(dir, "some/text.csv")},
		{filepath.Join(dir, "1.jsonl")},
		{"--from=csv", filepath.Join(dir, "some")},
		{"--from=kudu", "--kudu-table=types", kudu},
		{"--from=kudu", "--kudu-table=unflushed", kudu},
	} {
		t.Run(filepath.Base(args[len(args)-1]), func(t *testing.T) {
			t.Parallel()
			b := browsedWith(t, args...)
			k := &monkey{t: t, r: rand.New(rand.NewPCG(uint64(i), 1)), width: 80, height: 24, patience: 200 * time.Microsecond}
			defer func() {
				if x := recover(); x != nil {
					t.Errorf("%v after the keys %q", x, k.pressed)
					panic(x)
				}
			}()
			for n := range keys {
				if k.m == nil || k.left {
					m, err := browse.New(t.Context(), b, browse.Options{Where: b.f.filter, Rows: n > 0})
					if err != nil {
						t.Fatal(err)
					}
					k.m, k.left, k.msgs, k.pressed = m, false, make(chan tea.Msg, 1000), nil
					k.run(m.Init())
					k.do(tea.WindowSizeMsg{Width: k.width, Height: k.height})
				}
				msg := k.next()
				k.pressed = append(k.pressed, fmt.Sprint(msg))
				k.do(msg)
				if err := k.look(); err != nil {
					t.Fatalf("%v, after the keys %q", err, k.pressed)
				}
			}
		})
	}
}
