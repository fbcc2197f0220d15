// Package farread is what readers of formats want to know before they read from a store: whether the source takes several ranges at once, and
// whether all of a file will be read.
package farread
