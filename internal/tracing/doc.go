// Package tracing adds spans of OpenTelemetry to a trace that a context carries. A context without a span that is recorded costs a
// look: nothing is allocated, and nothing is told to anybody. So the library depends on the API of OpenTelemetry alone; who traces,
// and to where, is for the program to say.
package tracing
