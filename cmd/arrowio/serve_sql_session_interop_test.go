//go:build interop && duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Drivers that keep cookies have a session: JDBC's as it is, ADBC's where it is told to.
func TestSQLSessionClients(t *testing.T) {
	python, jar := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_FLIGHT_JUDGE_JAR")
	if python == "" || jar == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_FLIGHT_JUDGE_JAR must say where they are: see testdata/interop/README.md")
	}
	dir, _ := queryFiles(t, 100)
	addr := sqlServing(t, "orders="+filepath.Join(dir, "orders.orc"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for _, command := range [][]string{
		{python, "../../testdata/interop/flight_session_judge.py", "grpc://" + addr},
		{"java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-jar", jar, "session", addr},
	} {
		out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || lines[len(lines)-1] != "ok" {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}
