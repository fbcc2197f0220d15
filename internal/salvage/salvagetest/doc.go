// Package salvagetest checks what readers salvage. Tests alone import it.
package salvagetest
