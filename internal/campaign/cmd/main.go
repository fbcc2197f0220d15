package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/arrowio/arrowio/internal/campaign"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

func main() {
	seconds := flag.Int("seconds", 60, "how long it runs")
	seed := flag.Int64("seed", time.Now().UnixNano(), "seed of the random numbers")
	only := flag.String("only", "", "the one input format to damage (default all)")
	testdata := flag.String("testdata", "testdata", "where the inputs are")
	show := flag.String("show", "", "an outcome of the summary whose cases are printed too")
	flips := flag.Bool("flips", false, "flip every bit of the indexes and tails of ORC files instead: those that the arguments name")
	rescue := flag.Bool("rescue", false, "damage each file in the directories that the arguments name, and salvage it")
	places := flag.Int("places", 200, "of a salvage: bits to flip in each file")
	cuts := flag.Int("cuts", 256, "of a salvage: lengths to cut each file to")
	flag.Parse()
	if *rescue {
		var names []string
		if *only != "" {
			names = []string{*only}
		}
		if _, err := campaign.Rescue(context.Background(), os.Stdout, flag.Args(), readers.All(), names, *places, *cuts, *show != ""); err != nil {
			fmt.Fprintln(os.Stderr, "campaign:", err)
			os.Exit(1)
		}
		return
	}
	if *flips {
		if err := campaign.Flips(context.Background(), os.Stdout, *testdata, readers.All(), flag.Args(), *show != ""); err != nil {
			fmt.Fprintln(os.Stderr, "campaign:", err)
			os.Exit(1)
		}
		return
	}
	scratch, err := os.MkdirTemp("", "arrowio-campaign")
	if err == nil {
		defer os.RemoveAll(scratch)
		err = run(campaign.Options{
			Formats: readers.All(), Outputs: writers.All(), Testdata: *testdata, Scratch: scratch, Only: *only, Seed: *seed, Show: *show,
			Time: time.Duration(*seconds) * time.Second, Log: os.Stdout,
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.RemoveAll(scratch)
		os.Exit(1)
	}
}

func run(o campaign.Options) error {
	fmt.Println("seed", o.Seed)
	s, _, err := campaign.Campaign(context.Background(), o)
	if err != nil {
		return err
	}
	if err := s.Print(os.Stdout); err != nil {
		return err
	}
	if n := s.Finds(); n > 0 {
		return fmt.Errorf("%d finds", n)
	}
	return nil
}
