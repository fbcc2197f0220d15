package orcwire

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // files name zones on machines that have no database
)

// javaZones are the names that Java's TimeZone has beside those of the time zone database, and what they mean.
var javaZones = map[string]string{
	"ACT": "Australia/Darwin",
	"AET": "Australia/Sydney",
	"AGT": "America/Argentina/Buenos_Aires",
	"ART": "Africa/Cairo",
	"AST": "America/Anchorage",
	"BET": "America/Sao_Paulo",
	"BST": "Asia/Dhaka",
	"CAT": "Africa/Harare",
	"CNT": "America/St_Johns",
	"CST": "America/Chicago",
	"CTT": "Asia/Shanghai",
	"EAT": "Africa/Addis_Ababa",
	"ECT": "Europe/Paris",
	"IET": "America/Indiana/Indianapolis",
	"IST": "Asia/Kolkata",
	"JST": "Asia/Tokyo",
	"MIT": "Pacific/Apia",
	"NET": "Asia/Yerevan",
	"NST": "Pacific/Auckland",
	"PLT": "Asia/Karachi",
	"PNT": "America/Phoenix",
	"PRT": "America/Puerto_Rico",
	"PST": "America/Los_Angeles",
	"SST": "Pacific/Guadalcanal",
	"VST": "Asia/Ho_Chi_Minh",
}

// javaOffsets are names that to Java are plain offsets, in hours. The database has given some of them a history since.
var javaOffsets = map[string]int32{"EST": -5, "MST": -7, "HST": -10, "Z": 0, "UT": 0, "UTC": 0, "GMT": 0}

// javaStandard is the standard offset of zones where Java takes what the database calls standard time now for summer
// time that never ends.
var javaStandard = map[string]int32{"Africa/Casablanca": 0, "Africa/El_Aaiun": 0, "Africa/Windhoek": 3600}

// location finds a zone of the time zone database.
func location(name string) (*time.Location, error) {
	if full, ok := javaZones[name]; ok {
		name = full
	}
	// The name becomes part of a path; and there are things beside zones in some databases.
	ok := name != "" && name != "Local" && !strings.HasPrefix(name, "posix") && !strings.HasPrefix(name, "right/")
	for _, c := range []byte(name) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/_+-", c) >= 0)
	}
	if ok {
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	return nil, fmt.Errorf("unknown time zone %.64q", name)
}

// parseOffset reads the names of zones that are no more than an offset: one of javaOffsets, or a sign, hours and maybe
// minutes and seconds, behind GMT, UTC, UT or nothing.
func parseOffset(name string) (seconds int32, ok bool) {
	if h, ok := javaOffsets[name]; ok {
		return h * 3600, true
	}
	s := name
	for _, p := range []string{"GMT", "UTC", "UT"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			s = rest
			break
		}
	}
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	negative := s[0] == '-'
	s = s[1:]
	var parts [3]string
	if strings.Contains(s, ":") {
		fields := strings.Split(s, ":")
		if len(fields) > len(parts) || len(fields[0]) > 2 {
			return 0, false
		}
		for i, f := range fields {
			if len(f) != 2 && i > 0 {
				return 0, false
			}
			parts[i] = f
		}
	} else {
		// h, hh, hmm, hhmm, hhmmss
		h := len(s)
		if h == 5 {
			return 0, false
		}
		if h > 2 {
			h = 2 - h%2
		}
		parts[0], s = s[:h], s[h:]
		for i := 1; len(s) > 0; i++ {
			if i == len(parts) {
				return 0, false
			}
			parts[i], s = s[:2], s[2:]
		}
	}
	for i, p := range parts {
		n := int32(0)
		for _, c := range []byte(p) {
			if c < '0' || c > '9' {
				return 0, false
			}
			n = n*10 + int32(c-'0')
		}
		if i == 0 && (p == "" || n > 23) || n > 59 {
			return 0, false
		}
		seconds = seconds*60 + n
	}
	if negative {
		seconds = -seconds
	}
	return seconds, true
}
