// Package celltext writes values of Arrow arrays as short, printable text: the cells of tables that people read. What a
// value says may come from anybody, so none of it can reach a terminal's controls, or turn around what stands beside it.
package celltext
