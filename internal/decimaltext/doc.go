// Package decimaltext writes decimals as text: an integer's digits, and a point between them.
package decimaltext
