package main

import "strconv"

// toldApart returns names of columns as they are shown: those that look alike and differ are quoted, in ASCII.
func toldApart(names []string) []string {
	alike := map[string]int{}
	for _, n := range names {
		alike[seen(printable(n))]++
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if ascii := strconv.QuoteToASCII(n); alike[seen(printable(n))] > 1 && ascii != `"`+n+`"` {
			out[i] = ascii
		}
	}
	return out
}
