// Package writertest is what the tests of writers have in common: a store whose calls fail, and random schemas and
// batches of all layouts that Arrow has. What a format takes, each test says itself.
package writertest
