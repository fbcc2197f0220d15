// Package plans fills in the entries of an arrowio.WritePlan: which metadata is stored where, what of each column is lost, and
// which values are refused. Every output format uses it, so that plans of all say the same in the same words.
package plans
