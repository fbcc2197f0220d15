// Package jsonl writes JSON Lines: an object a row, a member a column, null members included. Values are as package
// arrowjson writes them; the plan says for each column what reading them back will not show.
package jsonl
