// Package auth knows the clients of a Flight server: by tokens, passwords and certificates, and what each may do.
//
// Package flight makes an Authorizer of it, flight.NewAccess, and has its types under names of its own.
package auth
