// Package pbtest makes protobuf messages for tests, the broken ones too.
package pbtest
