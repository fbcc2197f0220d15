// Package collect puts off the first garbage collection of a program that imports it. It imports nothing but the runtime, so that it is
// initialised before the packages whose tables fill the heap when a program starts. Later ones wait for 16 MiB of garbage at least.
package collect
