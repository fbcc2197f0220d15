// Command cmd runs a campaign of damaged inputs for a number of seconds and prints what came of it. It fails if there
// are finds.
package main
