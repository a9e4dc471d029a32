// options: --chain=votes
// discarding a missing vote succeeds
>> {"jsonrpc":"2.0","id":1,"method":"qbft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
// a vote
>> {"jsonrpc":"2.0","id":2,"method":"qbft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517",true]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// and no more
>> {"jsonrpc":"2.0","id":3,"method":"qbft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
// nothing waits
>> {"jsonrpc":"2.0","id":4,"method":"qbft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{}}
// no address
>> {"jsonrpc":"2.0","id":5,"method":"qbft_discardValidatorVote","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid address params"}}
// what is no address
>> {"jsonrpc":"2.0","id":6,"method":"qbft_discardValidatorVote","params":["x"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid address params"}}
// options: --chain=contract
// a contract names the validators, so that votes mean nothing
>> {"jsonrpc":"2.0","id":7,"method":"qbft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32604,"message":"Method not enabled"}}
// options: --chain=ibft2
// a network of the other protocol
>> {"jsonrpc":"2.0","id":8,"method":"qbft_discardValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32604,"message":"Method not enabled"}}
