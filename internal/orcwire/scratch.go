package orcwire

import "github.com/arrowio/arrowio/internal/blockcodec"

// Scratch is what the streams of one reader share: the state of codecs, and room for what is needed only for a moment.
// The zero value is ready. One goroutine at a time may use it, and the streams that have it.
type Scratch struct {
	decoder blockcodec.Decoder
	chunk   []byte        // contents of a chunk on their way to a stream's own buffer
	wide    [maxRun]int64 // a run that is checked before it is narrowed
}

// unpack decompresses to the shared room. The result is good until the next call.
func (s *Scratch) unpack(c blockcodec.Codec, src []byte, size int) ([]byte, error) {
	if cap(s.chunk) < size+blockcodec.Slack {
		s.chunk = make([]byte, size+blockcodec.Slack)
	}
	return s.decoder.Decode(c, s.chunk, src, size, false)
}
