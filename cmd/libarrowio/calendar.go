package main

import "github.com/arrowio/arrowio/arrowio"

// Calendar implements arrowio.Calendared.
func (f *file) Calendar() arrowio.Calendar { return arrowio.CalendarOf(f.File) }

// Calendar implements arrowio.Calendared.
func (s shared) Calendar() arrowio.Calendar { return arrowio.CalendarOf(s.File) }

// Absent implements what arrowio.AbsentOf asks.
func (f *file) Absent() arrowio.Absent { return arrowio.AbsentOf(f.File) }

// Absent implements what arrowio.AbsentOf asks.
func (s shared) Absent() arrowio.Absent { return arrowio.AbsentOf(s.File) }
