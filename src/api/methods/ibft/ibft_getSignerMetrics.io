// options: --chain=ibft2
// up to the head, which is not counted; block 0 has no proposer
>> {"jsonrpc":"2.0","id":1,"method":"ibft_getSignerMetrics","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x1"},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x2"},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x3"},{"address":"0x0000000000000000000000000000000000000000","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x0"}]}
// a range, whose end is not counted
>> {"jsonrpc":"2.0","id":2,"method":"ibft_getSignerMetrics","params":["0x1","0x3"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x1"},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x2"},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"}]}
// from a block on
>> {"jsonrpc":"2.0","id":3,"method":"ibft_getSignerMetrics","params":["0x2"]}
<< {"jsonrpc":"2.0","id":3,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x2"},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x3"}]}
// an end above the head is the head
>> {"jsonrpc":"2.0","id":4,"method":"ibft_getSignerMetrics","params":["0x1","0xffffff"]}
<< {"jsonrpc":"2.0","id":4,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x1"},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x2"},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x3"}]}
// tags
>> {"jsonrpc":"2.0","id":5,"method":"ibft_getSignerMetrics","params":["earliest","latest"]}
<< {"jsonrpc":"2.0","id":5,"result":[{"address":"0x1a642f0e3c3af545e7acbd38b07251b3990914f1","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x1"},{"address":"0x3325a78425f17a7e487eb5666b2bfd93abb06c70","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x2"},{"address":"0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","proposedBlockCount":"0x0","lastProposedBlockNumber":"0x0"},{"address":"0xc48b812bb43401392c037381aca934f4069c0517","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x3"},{"address":"0x0000000000000000000000000000000000000000","proposedBlockCount":"0x1","lastProposedBlockNumber":"0x0"}]}
// nothing lies between
>> {"jsonrpc":"2.0","id":6,"method":"ibft_getSignerMetrics","params":["0x2","0x2"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid block number params"}}
// backwards
>> {"jsonrpc":"2.0","id":7,"method":"ibft_getSignerMetrics","params":["0x3","0x1"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid block number params"}}
// what is no block
>> {"jsonrpc":"2.0","id":8,"method":"ibft_getSignerMetrics","params":["x"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid block number params"}}
// options: --chain=votes
// a network of the other protocol
>> {"jsonrpc":"2.0","id":9,"method":"ibft_getSignerMetrics","params":[]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32604,"message":"Method not enabled"}}
