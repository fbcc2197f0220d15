// Package rpcerr makes errors that know the gRPC code with which a call is answered.
package rpcerr
