// options: --chain=ibft2
// discarding a missing vote succeeds
>> {"jsonrpc":"2.0","id":1,"method":"ibft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
// a vote
>> {"jsonrpc":"2.0","id":2,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517",true]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// and no more
>> {"jsonrpc":"2.0","id":3,"method":"ibft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
// nothing waits
>> {"jsonrpc":"2.0","id":4,"method":"ibft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{}}
// no address
>> {"jsonrpc":"2.0","id":5,"method":"ibft_discardValidatorVote","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid address params"}}
// what is no address
>> {"jsonrpc":"2.0","id":6,"method":"ibft_discardValidatorVote","params":["x"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid address params"}}
// options: --chain=votes
// a network of the other protocol
>> {"jsonrpc":"2.0","id":7,"method":"ibft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32604,"message":"Method not enabled"}}
