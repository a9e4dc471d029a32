// options: --chain=ibft2
// to add one
>> {"jsonrpc":"2.0","id":1,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517",true]}
<< {"jsonrpc":"2.0","id":1,"result":true}
// to remove one, in words, and without 0x
>> {"jsonrpc":"2.0","id":2,"method":"ibft_proposeValidatorVote","params":["1a642f0e3c3af545e7acbd38b07251b3990914f1","false"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// a number is taken as well
>> {"jsonrpc":"2.0","id":3,"method":"ibft_proposeValidatorVote","params":["0x3325a78425f17a7e487eb5666b2bfd93abb06c70",1]}
<< {"jsonrpc":"2.0","id":3,"result":true}
// they wait
>> {"jsonrpc":"2.0","id":4,"method":"ibft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":{"0xc48b812bb43401392c037381aca934f4069c0517":true,"0x1a642f0e3c3af545e7acbd38b07251b3990914f1":false,"0x3325a78425f17a7e487eb5666b2bfd93abb06c70":true}}
// the later one counts
>> {"jsonrpc":"2.0","id":5,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517",false]}
<< {"jsonrpc":"2.0","id":5,"result":true}
// one vote per address
>> {"jsonrpc":"2.0","id":6,"method":"ibft_getPendingVotes","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":{"0xc48b812bb43401392c037381aca934f4069c0517":false,"0x1a642f0e3c3af545e7acbd38b07251b3990914f1":false,"0x3325a78425f17a7e487eb5666b2bfd93abb06c70":true}}
// no address
>> {"jsonrpc":"2.0","id":7,"method":"ibft_proposeValidatorVote","params":[]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid address params"}}
// what is no address
>> {"jsonrpc":"2.0","id":8,"method":"ibft_proposeValidatorVote","params":["x",true]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid address params"}}
// no vote
>> {"jsonrpc":"2.0","id":9,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid vote type params"}}
// what is no vote
>> {"jsonrpc":"2.0","id":10,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517","x"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid vote type params"}}
// options: --chain=votes
// a network of the other protocol
>> {"jsonrpc":"2.0","id":11,"method":"ibft_proposeValidatorVote","params":["0xc48b812bb43401392c037381aca934f4069c0517",true]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32604,"message":"Method not enabled"}}
