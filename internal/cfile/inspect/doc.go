// Package inspect explains CFiles: where their blocks lie (Survey), what they hold (Describe), and what their bytes mean
// (Dump). It decodes nothing for scans and knows no Arrow but the types that values are shown as.
package inspect
