package main

import _ "github.com/arrowio/arrowio/internal/collect" // garbage is collected late
