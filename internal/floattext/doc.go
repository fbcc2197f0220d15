// Package floattext parses decimal numbers for readers of text, and tells those that a float does not hold.
package floattext
