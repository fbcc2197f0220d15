package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// chart renders the Helm chart: its templates in the order of their names, with the functions of Helm's that they use.
func chart(t *testing.T, change func(values map[string]any)) []byte {
	t.Helper()
	const dir = "../../docs/deploy/helm"
	text, err := os.ReadFile(filepath.Join(dir, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	change(values)
	all := template.New("").Option("missingkey=error")
	all.Funcs(template.FuncMap{
		"default": func(otherwise, v any) any {
			if v == nil || v == "" {
				return otherwise
			}
			return v
		},
		"quote":     func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
		"sha256sum": func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) },
		"toJson": func(v any) (string, error) {
			b, err := json.Marshal(v)
			return string(b), err
		},
		"toYaml": func(v any) (string, error) {
			b, err := yaml.Marshal(v)
			return strings.TrimSuffix(string(b), "\n"), err
		},
		"nindent": func(n int, s string) string {
			indent := "\n" + strings.Repeat(" ", n)
			return indent + strings.ReplaceAll(s, "\n", indent)
		},
		"include": func(name string, data any) (string, error) {
			var b strings.Builder
			err := all.ExecuteTemplate(&b, name, data)
			return b.String(), err
		},
	})
	paths, err := filepath.Glob(dir + "/templates/*.yaml")
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	data := map[string]any{
		"Values": values, "Release": map[string]any{"Name": "own", "Namespace": "here"}, "Template": map[string]any{"BasePath": "templates"},
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		template.Must(all.New("templates/" + filepath.Base(path)).Parse(string(text)))
	}
	var b bytes.Buffer
	for _, path := range paths {
		b.WriteString("---\n")
		if err := all.ExecuteTemplate(&b, "templates/"+filepath.Base(path), data); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// What the chart makes of its values, and of others, is right as the example for Kubernetes is.
func TestDeployHelm(t *testing.T) {
	tokens := "alice token sha256:" + strings.Repeat("A", 43) + "\n"
	plain := chart(t, func(map[string]any) {})
	checkDeploy(t, plain, tokens)
	if want := `advertise = "grpc+tls://own.here.svc.cluster.local:8815"`; !bytes.Contains(plain, []byte(want)) {
		t.Errorf("%s is missing:\n%s", want, plain)
	}
	other := chart(t, func(values map[string]any) {
		values["replicas"], values["advertise"] = 5, "grpc+tls://data.example.com:443"
		values["env"] = []any{map[string]any{"name": "AWS_REGION", "value": "eu-west-1"}}
		values["datasets"] = map[string]any{"a.b": []any{"/srv/archive/events"}}
		values["config"].(map[string]any)["permit"] = []any{"*:read=a.b"}
	})
	checkDeploy(t, other, tokens)
	for _, want := range []string{"replicas: 5\n", `advertise = "grpc+tls://data.example.com:443"`, "- name: AWS_REGION\n              value: eu-west-1\n"} {
		if !bytes.Contains(other, []byte(want)) {
			t.Errorf("%s is missing:\n%s", want, other)
		}
	}
	if !bytes.Contains(plain, []byte("name: archive,")) || bytes.Contains(chart(t, func(values map[string]any) { values["archive"].(map[string]any)["claim"] = "" }), []byte("name: archive,")) {
		t.Error("there is a volume without a claim")
	}
}
