// Package auth authenticates the clients of a Flight server, by tokens, passwords, JWTs and certificates, and says what each client may
// do.
//
// Package flight uses it in an Authorizer (flight.NewAccess), and has aliases for its types.
package auth
