// Package sinkblocks finds out how a store divides an object into blocks, and asks it for others.
package sinkblocks
