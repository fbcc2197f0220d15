// Package metastorefake is a metastore for tests: it answers the calls of internal/metastore with tables of its own.
package metastorefake
