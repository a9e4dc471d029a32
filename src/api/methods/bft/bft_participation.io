// options: --chain=votes
// each of four validators proposed one of the four blocks
>> {"jsonrpc":"2.0","id":1,"method":"bft_participation","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","lastProposal":"0x1","lastSeal":"0x4","missedRounds":0},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","lastProposal":"0x2","lastSeal":"0x4","missedRounds":0},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","lastProposal":"0x4","lastSeal":"0x4","missedRounds":0},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","lastProposal":"0x3","lastSeal":"0x4","missedRounds":0}]}
// options: --chain=ibft2
// IBFT 2.0
>> {"jsonrpc":"2.0","id":2,"method":"bft_participation","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","lastProposal":"0x1","lastSeal":"0x4","missedRounds":0},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","lastProposal":"0x2","lastSeal":"0x4","missedRounds":0},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","lastProposal":"0x4","lastSeal":"0x4","missedRounds":0},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","lastProposal":"0x3","lastSeal":"0x4","missedRounds":0}]}
// options: --chain=contract
// a contract names the validators
>> {"jsonrpc":"2.0","id":3,"method":"bft_participation","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":[{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","lastProposal":"0x2","lastSeal":"0x2","missedRounds":0}]}
