// options: --chain=ibft2
// no pending votes at first
>> {"jsonrpc":"2.0","id":1,"method":"ibft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{}}
// one to add
>> {"jsonrpc":"2.0","id":2,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517",true]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// one to remove
>> {"jsonrpc":"2.0","id":3,"method":"ibft_proposeValidatorVote","params":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1",false]}
<< {"jsonrpc":"2.0","id":3,"result":true}
// both
>> {"jsonrpc":"2.0","id":4,"method":"ibft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"0xc48b812bb43401392c037381aca934f4069c0517":true,"0x1a642f0e3c3af545e7acbd38b07251b3990914f1":false}}
// options: --chain=votes
// a network of the other protocol
>> {"jsonrpc":"2.0","id":5,"method":"ibft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32604,"message":"Method not enabled"}}
