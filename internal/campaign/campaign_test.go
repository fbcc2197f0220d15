package campaign_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/campaign"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

const testdata = "../../testdata"

// formats are those whose readers are held to what a campaign wants.
func formats() []arrowio.Format { return readers.All() }

// TestSlice runs the first cases of a campaign, always the same ones.
func TestSlice(t *testing.T) {
	var log bytes.Buffer
	s, finds, err := campaign.Campaign(t.Context(), campaign.Options{
		Formats: formats(), Outputs: writers.All(), Testdata: testdata, Scratch: t.TempDir(), Seed: 1, Cases: 600, Log: &log,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range finds {
		t.Errorf("%+v", f)
	}
	var table strings.Builder
	if err := s.Print(&table); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", table.String())
	for _, f := range formats() {
		if f.MatchTable != nil || f.Schemes != nil {
			continue // a table is no single file: readers/icebergtable damages its metadata, and the data files are of other formats
		}
		if !strings.Contains(table.String(), " "+f.Name+" ") {
			t.Errorf("nothing of %s was damaged", f.Name)
		}
	}
}

// TestFinds runs the cases again that campaigns have found.
func TestFinds(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "finds.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]*campaign.Input{}
	list, err := campaign.Load(t.Context(), campaign.Options{Formats: formats(), Testdata: testdata, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range list {
		inputs[in.Name] = in
	}
	for line := range bytes.Lines(b) {
		var f campaign.Find
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		in := inputs[f.Input]
		if in == nil {
			t.Errorf("%s is not there", f.Input)
			continue
		}
		r := campaign.Run(context.Background(), in, f.Ops, rand.New(rand.NewSource(f.Filter)), campaign.Limits{})
		if r.Outcome.Find() {
			t.Errorf("%s, %v: %v: %s", f.Input, f.Ops, r.Outcome, r.Text)
		}
	}
}
