// Package strict reads the JSON of clients: commands, tickets, bodies of actions.
package strict
