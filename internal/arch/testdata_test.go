package arch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"testing"
)

// listedFile is a file, or text, that a manifest names. sha256 beside a text is that of what was compressed.
type listedFile struct {
	File   string
	SHA256 string
}

// Every file of testdata that no script of the project is stands in a manifest, which has its hash.
func TestTestdataIsListed(t *testing.T) {
	root := os.DirFS("../../testdata")
	listed := map[string]string{}
	read := func(name string) {
		b, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Files []struct {
				listedFile
				Raw, Avro, Text, Masked listedFile
			}
		}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		dir := path.Dir(name)
		for _, f := range m.Files {
			if f.SHA256 == "" {
				t.Errorf("%s: %s has no hash", name, f.File)
			}
			listed[path.Join(dir, f.File)] = f.SHA256
			for _, text := range []listedFile{f.Raw, f.Avro, f.Text, f.Masked} {
				if text.File != "" {
					listed[path.Join(dir, text.File)] = ""
				}
			}
		}
	}
	var files []string
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name == "interop" || d.Name() == "__pycache__" {
				return fs.SkipDir
			}
		case d.Name() == "manifest.json":
			read(name)
		case path.Ext(name) != ".py" && path.Ext(name) != ".sh" && name != "orc/keys.json":
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		want, ok := listed[name]
		if !ok {
			t.Errorf("%s is in no manifest", name)
		}
		delete(listed, name)
		if want == "" {
			continue
		}
		b, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s is not the file that the manifest describes", name)
		}
	}
	for name := range listed {
		t.Errorf("%s is in a manifest, but not there", name)
	}
}
