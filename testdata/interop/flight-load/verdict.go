package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// trend is a straight line through the samples of a metric, by least squares.
type trend struct {
	Metric        string
	Mean          float64
	Growth        float64 // of the line, from the first sample to the last
	Allowed       float64
	First, Latest float64 // means of the first and last fifth
	Most          float64
	Flat          bool
}

// trendOf judges samples, the later two thirds of a run: the line may rise by a tenth of the mean, or by floor.
func trendOf(metric string, at, v []float64, floor float64) trend {
	t := trend{Metric: metric}
	n := float64(len(v))
	if n < 6 {
		return t
	}
	var meanAt float64
	for i := range v {
		t.Mean += v[i] / n
		meanAt += at[i] / n
		t.Most = max(t.Most, v[i])
	}
	var up, down float64
	for i := range v {
		up += (at[i] - meanAt) * (v[i] - t.Mean)
		down += (at[i] - meanAt) * (at[i] - meanAt)
	}
	t.Growth = up / down * (at[len(at)-1] - at[0])
	fifth := max(1, len(v)/5)
	for i := range fifth {
		t.First += v[i] / float64(fifth)
		t.Latest += v[len(v)-1-i] / float64(fifth)
	}
	t.Allowed = max(t.Mean/10, floor)
	t.Flat = t.Growth <= t.Allowed
	return t
}

func (t trend) String() string {
	scale, unit := 1.0, ""
	if strings.Contains(t.Metric, "_bytes") {
		scale, unit = 1<<20, " MiB"
	}
	word := "flat"
	if !t.Flat {
		word = "NOT FLAT"
	}
	return fmt.Sprintf("%-32s mean %7.1f%s, most %7.1f, first and last fifth %7.1f %7.1f, grows by %+6.1f, allowed %5.1f: %s",
		t.Metric, t.Mean/scale, unit, t.Most/scale, t.First/scale, t.Latest/scale, t.Growth/scale, t.Allowed/scale, word)
}

// quiet waits until the server holds nothing of clients that are gone, and has the goroutines and files that it had before;
// an error says what it holds.
func quiet(ctx context.Context, s *server, before sample, wait time.Duration) (now sample, err error) {
	for end := time.Now().Add(wait); ; {
		if now, err = s.sample(); err != nil {
			return before, err
		}
		var left []string
		for metric, spare := range map[string]float64{
			metricStreams: 0, metricRunning: 0, metricSent: 0, metricMemory: 0, metricQueue: 0, metricQueueSent: 0, metricGoroutines: 8, metricFiles: 4,
		} {
			if now[metric] > before[metric]+spare {
				left = append(left, fmt.Sprintf("%s %.0f, before %.0f", metric, now[metric], before[metric]))
			}
		}
		if len(left) == 0 {
			return now, nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return now, errors.New("left in the server: " + strings.Join(left, "; "))
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func loadAverage() (one float64) {
	b, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, _ = fmt.Sscan(string(b), &one)
	}
	return one
}
