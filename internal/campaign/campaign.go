package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio"
)

// Find is a case as it is kept: an input and its damage.
type Find struct {
	Input  string `json:"input"`
	Format string `json:"format"`
	Filter int64  `json:"filter,omitempty"` // the seed that chooses it
	Ops    []Op   `json:"ops"`
	Was    string `json:"was"`  // the outcome
	Text   string `json:"text"` // and what it said
}

// Options says how long a campaign runs, and over what.
type Options struct {
	Formats  []arrowio.Format
	Outputs  []arrowio.OutputFormat
	Testdata string
	Scratch  string // a folder for directories that are read as a whole; "" = none of them
	Only     string // the name of one input format; "" = all
	Seed     int64
	Cases    int           // stop after so many; 0 = when the time is over
	Time     time.Duration // 0 = until the cases are done
	Limits   Limits
	Show     string    // an outcome of which cases are logged too, one of each kind
	Log      io.Writer // finds, and from time to time how far it is; nil = nowhere
}

// digits are what differs in errors of one kind.
var digits = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f]*`)

// servers are the directories of Kudu that are damaged, and a table of each.
var servers = [][2]string{{"kudu/kudu-1.17.1/file.tar.gz", "merged"}, {"kudu/kudu-1.17.1/log.tar.gz", "merged"}}

// Load returns the inputs of a campaign: every small file below o.Testdata, and Kudu's servers.
func Load(ctx context.Context, o Options) ([]*Input, error) {
	inputs, err := LoadFiles(ctx, o.Testdata, o.Formats)
	if err != nil || o.Scratch == "" {
		return inputs, err
	}
	for i, s := range servers {
		more, err := LoadServer(ctx, filepath.Join(o.Testdata, s[0]), s[0], s[1], filepath.Join(o.Scratch, fmt.Sprint("server", i)), o.Formats)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, more...)
	}
	return inputs, nil
}

// Campaign runs cases until time or number is reached, and returns what came of them and the finds, each as small as it
// could be made, one of each kind of error and no more than a hundred of them. Formats have about equal shares.
func Campaign(ctx context.Context, o Options) (*Summary, []Find, error) {
	inputs, err := Load(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewSource(o.Seed))
	byFormat := map[string][]*Input{}
	var names []string
	add := func(in *Input) {
		name := in.Format.Name
		if o.Only != "" && o.Only != name {
			return
		}
		if byFormat[name] == nil {
			names = append(names, name)
		}
		byFormat[name] = append(byFormat[name], in)
	}
	for _, in := range inputs {
		add(in)
	}
	var s Summary
	var finds []Find
	seen := map[string]bool{} // finds of the same words are told once
	start, told := time.Now(), time.Now()
	for n := 0; (o.Cases == 0 || n < o.Cases) && (o.Time == 0 || time.Since(start) < o.Time) && ctx.Err() == nil; n++ {
		if n%64 == 63 && len(o.Outputs) > 0 {
			made, errs := Tables(ctx, rng, o.Formats, o.Outputs)
			for _, e := range errs {
				s.Add("written", Unkept)
				words, _, _ := strings.Cut(e.Error(), "\n")
				if key := digits.ReplaceAllString(words, "0"); !seen[key] {
					seen[key] = true
					log(o.Log, "written: %v\n", e)
				}
			}
			if len(errs) == 0 {
				s.Add("written", Same)
			}
			for _, in := range made {
				if len(byFormat[in.Format.Name]) < 400 {
					add(in)
				}
			}
		}
		if len(names) == 0 {
			break
		}
		list := byFormat[names[n%len(names)]]
		in := list[rng.Intn(len(list))]
		f := Find{Input: in.Name, Format: in.Format.Name, Filter: rng.Int63(), Ops: randomOps(rng, int64(len(in.Bytes)), in.regions)}
		r := Run(ctx, in, f.Ops, rand.New(rand.NewSource(f.Filter)), o.Limits)
		s.Add(in.Format.Name, r.Outcome)
		if key := f.Format + r.Outcome.String() + digits.ReplaceAllString(r.Text, "0"); (r.Outcome.Find() || r.Outcome.String() == o.Show) && len(finds) < 100 && !seen[key] {
			seen[key] = true
			f = smaller(ctx, in, f, r, o.Limits)
			finds = append(finds, f)
			line, err := json.Marshal(f)
			if err != nil {
				return &s, finds, err
			}
			log(o.Log, "%s\n", line)
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			log(o.Log, "%d cases, %d finds in %v\n", n+1, s.Finds(), time.Since(start).Round(time.Second))
		}
	}
	return &s, finds, ctx.Err()
}

// smaller leaves out operations, and halves ranges, for as long as the outcome stays the same.
func smaller(ctx context.Context, in *Input, f Find, r Result, l Limits) Find {
	again := func(ops []Op) bool {
		x := Run(ctx, in, ops, rand.New(rand.NewSource(f.Filter)), l)
		if x.Outcome == r.Outcome {
			r = x
			return true
		}
		return false
	}
	for i := 0; i < len(f.Ops) && len(f.Ops) > 1; {
		if less := append(append([]Op{}, f.Ops[:i]...), f.Ops[i+1:]...); again(less) {
			f.Ops = less
		} else {
			i++
		}
	}
	for i := range f.Ops {
		for f.Ops[i].Len > 1 {
			less := append([]Op{}, f.Ops...)
			less[i].Len /= 2
			if !again(less) {
				break
			}
			f.Ops = less
		}
	}
	f.Was = r.Outcome.String()
	f.Text = r.Text[:min(len(r.Text), 2000)]
	return f
}

func log(w io.Writer, format string, args ...any) {
	if w != nil {
		fmt.Fprintf(w, format, args...)
	}
}
