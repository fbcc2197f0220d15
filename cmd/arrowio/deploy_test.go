package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The example for Kubernetes: its parts name each other, and its config and tokens are those of a server that starts.
func TestDeployKubernetes(t *testing.T) {
	text, err := os.ReadFile("../../docs/deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checkDeploy(t, text, "")
}

// checkDeploy checks what is deployed; tokens is the file of tokens, "" = it is deployed, too.
func checkDeploy(t *testing.T, text []byte, tokens string) {
	t.Helper()
	type named struct{ Name string }
	type container struct {
		Args         []string
		Ports        []struct{ Name string }
		VolumeMounts []struct{ Name, MountPath string } `yaml:"volumeMounts"`
	}
	var config string
	var pod struct {
		Grace      int `yaml:"terminationGracePeriodSeconds"`
		Containers []container
		Volumes    []named
	}
	labels := map[string]string{}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o struct {
			Kind       string
			Data       map[string]string
			StringData map[string]string `yaml:"stringData"`
			Spec       struct {
				Selector yaml.Node
				Template struct {
					Metadata struct{ Labels map[string]string }
					Spec     yaml.Node
				}
			}
		}
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch o.Kind {
		case "ConfigMap":
			config = o.Data["serve.toml"]
		case "Secret":
			tokens = o.StringData["tokens"]
		case "Service":
			if err := o.Spec.Selector.Decode(&labels); err != nil {
				t.Fatal(err)
			}
		case "Deployment":
			if err := o.Spec.Template.Spec.Decode(&pod); err != nil {
				t.Fatal(err)
			}
			for k, v := range labels {
				if got := o.Spec.Template.Metadata.Labels[k]; got != v {
					t.Errorf("the service selects %s = %s, and pods have %q", k, v, got)
				}
			}
		}
	}
	if len(pod.Containers) != 1 || len(labels) == 0 {
		t.Fatalf("%d containers, labels %v", len(pod.Containers), labels)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("%s is mounted, and no volume", m.Name)
		}
	}
	if got := strings.Join(pod.Containers[0].Args, " "); got != "serve --config /etc/arrowio/serve.toml" {
		t.Error(got)
	}
	if !strings.Contains(config, `drain-delay = "10s"`) || !strings.Contains(config, `drain-timeout = "5m"`) || pod.Grace <= 310 {
		t.Errorf("pods are killed after %d s", pod.Grace)
	}

	dir := t.TempDir()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	cert := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"tls", "secret"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeText(t, filepath.Join(dir, "tls/tls.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})))
	writeText(t, filepath.Join(dir, "tls/tls.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	writeText(t, filepath.Join(dir, "secret/tokens"), tokens)
	orc, err := filepath.Abs(opsFile)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, "serve.toml"), strings.NewReplacer(
		"/etc/arrowio/", filepath.ToSlash(dir)+"/", "/srv/archive/events", filepath.ToSlash(orc), ":8815\"\nadvertise", ":0\"\nadvertise", ":9815", ":0").Replace(config))
	code, out, errs := said(t, "", "serve", "--log=none", "--check-config", "--config", filepath.Join(dir, "serve.toml"))
	if code != 0 || out != "ok\n" {
		t.Error(code, out, errs)
	}
}
