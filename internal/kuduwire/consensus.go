package kuduwire

import "github.com/arrowio/arrowio/arrowio/errs"

// Consensus is the Raft configuration of a tablet that was last committed.
type Consensus struct {
	Peers   []Peer
	OpIndex int64 // index of the operation that made the configuration, -1 = not known
	Term    int64
}

// Peer is a replica of the tablet.
type Peer struct {
	UUID  string // of the server, "" = not known
	Voter bool
}

// SoleVoter reports whether the server alone decides what is committed.
func (c *Consensus) SoleVoter(uuid string) bool {
	sole := false
	for _, p := range c.Peers {
		if p.Voter {
			if p.UUID != uuid || p.UUID == "" {
				return false
			}
			sole = true
		}
	}
	return sole
}

// ParseConsensus parses the container file b, a ConsensusMetadataPB: 1 committed configuration{1 index, 3 peers{1 uuid,
// 2 member type}}, 2 term.
func ParseConsensus(b []byte, lim errs.Limits) (*Consensus, error) {
	const op = "consensus metadata"
	m, err := single(b, op, lim, "kudu.consensus.ConsensusMetadataPB")
	if err != nil {
		return nil, err
	}
	c := &Consensus{OpIndex: -1}
	for m.Next() {
		switch m.Num {
		case 1:
			config := m.Message()
			for config.Next() {
				switch config.Num {
				case 1:
					c.OpIndex = config.Int64()
				case 3:
					p := Peer{}
					peer := config.Message()
					for peer.Next() {
						switch peer.Num {
						case 1:
							p.UUID = peer.String()
						case 2:
							p.Voter = peer.Uint64() == 1
						}
					}
					config.Err = orElse(config.Err, peer.Err)
					c.Peers = append(c.Peers, p)
				}
			}
			m.Err = orElse(m.Err, config.Err)
		case 2:
			c.Term = m.Int64()
		}
	}
	if m.Err == nil && len(c.Peers) == 0 {
		m.Fail("no peers")
	}
	if m.Err != nil {
		return nil, place(m.Err, op, -1)
	}
	return c, nil
}
