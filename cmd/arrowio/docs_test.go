package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestDocsCommands parses every command of ours in README, docs and the examples of the help, so that none has an option that
// does not exist.
func TestDocsCommands(t *testing.T) {
	root := newApp(t.Context(), strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).rootCommand()
	root.InitDefaultHelpCmd()
	seen := 0
	check := func(where, text string) {
		t.Helper()
		for _, line := range shellLines(text) {
			for _, args := range ownCommands(line) {
				seen++
				if err := parses(t, root, args); err != nil {
					t.Errorf("%s: arrowio %s: %v", where, strings.Join(args, " "), err)
				}
			}
		}
	}
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../docs/formats/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(append(docs, more...), "../../README.md", "../../CONTRIBUTING.md") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range fenced.FindAllStringSubmatch(string(b), -1) {
			check(strings.TrimPrefix(name, "../../"), block[1])
		}
		for _, code := range inline.FindAllStringSubmatch(string(b), -1) {
			check(strings.TrimPrefix(name, "../../"), strings.Join(strings.Fields(code[1]), " "))
		}
	}
	walkCommands(root, func(c *cobra.Command) { check("help of "+c.CommandPath(), c.Example) })
	if seen < 230 {
		t.Errorf("only %d commands were found", seen)
	}
}

// fenced matches a block of shell commands: one without a language, or with that of a shell.
var fenced = regexp.MustCompile("(?ms)^ *```(?:|sh|bash|console|shell)\n(.*?)^ *```")

// inline matches a command within a sentence.
var inline = regexp.MustCompile("`(arrowio [a-z][^`…]*)[^`]*`")

func walkCommands(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		walkCommands(sub, do)
	}
}

// parses finds the command of args and parses its flags, as running it would.
func parses(t *testing.T, root *cobra.Command, args []string) error {
	t.Helper()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return usagef("no command %s", rest[0])
	}
	return cmd.ParseFlags(rest)
}

// shellLines returns the lines of a text, those that a backslash continues joined.
func shellLines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
}

// ownCommands returns the arguments of each run of arrowio in a line of a shell.
func ownCommands(line string) [][]string {
	var all [][]string
	for _, command := range shellCommands(line) {
		for i, w := range command {
			if w == "sudo" || w == "time" || w == "$" || strings.Contains(w, "=") && !strings.HasPrefix(w, "-") && i == 0 {
				continue
			}
			if w == "arrowio" || w == "./arrowio" {
				all = append(all, command[i+1:])
			}
			break
		}
		if len(command) > 3 && command[0] == "go" && command[1] == "run" && command[2] == "./cmd/arrowio" {
			all = append(all, command[3:])
		}
	}
	return all
}

// shellCommands splits a line of a shell into its commands and these into words. Redirections are left out, a comment ends it.
func shellCommands(line string) [][]string {
	var all [][]string
	var words []string
	var word strings.Builder
	started, redirected := false, false
	end := func() {
		if started && !redirected {
			words = append(words, word.String())
		}
		if started {
			redirected = false
		}
		started = false
		word.Reset()
	}
	quote := rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == '#' && !started:
			return append(all, words)
		case r == ' ' || r == '\t':
			end()
		case r == '|' || r == ';' || r == '&':
			end()
			all, words, redirected = append(all, words), nil, false
		case r == '>' || r == '<':
			started = started && word.String() != "2"
			end()
			redirected = true
		default:
			word.WriteRune(r)
			started = true
		}
	}
	end()
	return append(all, words)
}

func TestShellCommands(t *testing.T) {
	for line, want := range map[string]string{
		`arrowio cat --where "a > 5" x.orc | head -3`:      "cat,--where,a > 5,x.orc",
		`$ arrowio count 'x y.orc' > out # arrowio no`:     "count,x y.orc",
		`A=1 arrowio cat - <in && arrowio head x 2>log`:    "cat,-;head,x",
		`go run ./cmd/arrowio verify x`:                    "verify,x",
		`cat x | arrowio convert - out.orc --to orc; true`: "convert,-,out.orc,--to,orc",
		`# arrowio nothing`:                                "",
		`apt install ./arrowio_0.9.0_amd64.deb`:            "",
	} {
		var got []string
		for _, args := range ownCommands(line) {
			got = append(got, strings.Join(args, ","))
		}
		if strings.Join(got, ";") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
