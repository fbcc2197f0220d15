// Package remote is what stores on other machines have in common: sources that read several ranges at once and keep what
// was read around them, how often a request is tried, and the errors that tell what came of it.
//
//	reader ── ReadSpans ──> pieces of 8 MiB ──> a slot of the host ──> Fetch, tried again where that may help
//	       └─ ReadAt ─────> tail, windows ────┘
package remote
