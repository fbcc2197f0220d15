// Package news tells what was not told the time before: work that is done again and again finds the same things wrong again and again.
package news
