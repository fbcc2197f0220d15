package pathjson

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// The texts are what Python 3.11 makes: json.dumps(os.fsdecode(path)), and json.dumps(…, ensure_ascii=False) where it is UTF-8.
func TestPath(t *testing.T) {
	for _, c := range []struct{ path, text string }{
		{"", `""`},
		{"a/b.orc", `"a/b.orc"`},
		{"nu/\xfe.orc", `"nu/\udcfe.orc"`},
		{"\xff\xfe", `"\udcff\udcfe"`},
		{"\x80a\x80", `"\udc80a\udc80"`},
		{"ü.orc", `"\u00fc.orc"`},
		{"\xc3", `"\udcc3"`},
		{"\xed\xb3\xbe", `"\udced\udcb3\udcbe"`}, // U+DCFE in UTF-8, which is not allowed there
		{"\U0001f600\xf0", `"\ud83d\ude00\udcf0"`},
		{"\\udcfe", `"\\udcfe"`},
		{"\"\\\xfe", `"\"\\\udcfe"`},
		{"\ufffd", `"\ufffd"`},
		{"\n\x00", `"\n\u0000"`},
	} {
		var got Path
		if err := json.Unmarshal([]byte(c.text), &got); err != nil || string(got) != c.path {
			t.Errorf("%s is %q, %v; want %q", c.text, got, err, c.path)
		}
		b, err := json.Marshal(map[string]Path{"p": Path(c.path)})
		if err != nil {
			t.Fatal(err)
		}
		var again struct{ P Path }
		if err := json.Unmarshal(b, &again); err != nil || string(again.P) != c.path || !utf8.Valid(b) {
			t.Errorf("%q becomes %s, and that %q, %v", c.path, b, again.P, err)
		}
	}
}

func TestOther(t *testing.T) {
	// Surrogates that stand for no byte are what they are for every string.
	for _, text := range []string{`"\ud83d"`, `"\udc00"`, `"\ude00\ud83d"`, `"\udc7f"`} {
		var want string
		var got Path
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", text, got, err, want)
		}
	}
	got := Path("as it was")
	if err := json.Unmarshal([]byte("null"), &got); err != nil || got != "as it was" {
		t.Errorf("null: %q, %v", got, err)
	}
	if err := json.Unmarshal([]byte("5"), &got); err == nil {
		t.Error("a number is no path")
	}
	b, err := json.Marshal(Path("\xfe"))
	if err != nil || string(b) != `"\udcfe"` {
		t.Errorf("%s, %v", b, err)
	}
}

func FuzzPath(f *testing.F) {
	f.Add([]byte(`"\ud83d\ude00\udcf0\\udcfe"`))
	f.Add([]byte(`"` + "\xfe" + `\udcfe"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p, again Path
		if json.Unmarshal(b, &p) != nil {
			return
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &again); err != nil || again != p {
			t.Fatalf("%q becomes %s, and that %q, %v", p, text, again, err)
		}
	})
}
