package kuduwire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

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

// Voters returns the uuids of the servers that vote.
func (c *Consensus) Voters() (uuids []string) {
	for _, p := range c.Peers {
		if p.Voter {
			uuids = append(uuids, p.UUID)
		}
	}
	return uuids
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

// raftTable is RaftConfigPB.
var raftTable = pb.NewTable(
	pb.Int(1, "opid_index", func(c *Consensus) *int64 { return &c.OpIndex }),
	pb.Only[Consensus](2, "OBSOLETE_local", pb.FormBool),
	each(pb.Parts(3, "peers", "peer", pb.NewTable(
		pb.Text(1, "permanent_uuid", func(p *Peer) *string { return &p.UUID }),
		pb.Custom(2, "member_type", pb.FormUint, func(m *pb.Message, p *Peer) { p.Voter = m.Uint64() == 1 }, nil).Words("NON_VOTER", "VOTER"),
		pb.Only[Peer](3, "last_known_addr", pb.FormMessage).Of(shape(showText(1, "host"), showInt(2, "port"))),
		pb.Only[Peer](4, "attrs", pb.FormMessage).Of(shape(showBool(1, "promote"), showBool(2, "replace"))),
	), func(c *Consensus) *[]Peer { return &c.Peers })),
	pb.Only[Consensus](4, "unsafe_config_change", pb.FormBool),
)

var consensusTable = pb.NewTable(
	pb.Part(1, "committed_config", raftTable, func(c *Consensus) *Consensus { return c }),
	pb.Int(2, "current_term", func(c *Consensus) *int64 { return &c.Term }),
	pb.Only[Consensus](3, "voted_for", pb.FormText),
).Start(func(c *Consensus) {
	c.OpIndex = -1
}).Check(func(c *Consensus) error {
	if len(c.Peers) == 0 {
		return errs.Errorf(errs.ErrCorrupt, "no peers")
	}
	return nil
})

// ParseConsensus parses the container file b, a ConsensusMetadataPB. With an error that wraps ErrDescription it returns the message.
func ParseConsensus(b []byte, lim errs.Limits) (*Consensus, error) {
	c := &Consensus{}
	return kept(c, parseSingle(b, "consensus metadata", lim, consensusTable, c, typeConsensus))
}
