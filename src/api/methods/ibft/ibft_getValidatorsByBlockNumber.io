// options: --chain=ibft2
// block 0 has the validators of the genesis file
>> {"jsonrpc":"2.0","id":1,"method":"ibft_getValidatorsByBlockNumber","params":["0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c"]}
// before the votes are enough
>> {"jsonrpc":"2.0","id":2,"method":"ibft_getValidatorsByBlockNumber","params":["0x2"]}
<< {"jsonrpc":"2.0","id":2,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c"]}
// after
>> {"jsonrpc":"2.0","id":3,"method":"ibft_getValidatorsByBlockNumber","params":["0x3"]}
<< {"jsonrpc":"2.0","id":3,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","0xc48b812bb43401392c037381aca934f4069c0517"]}
// the head
>> {"jsonrpc":"2.0","id":4,"method":"ibft_getValidatorsByBlockNumber","params":["latest"]}
<< {"jsonrpc":"2.0","id":4,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","0xc48b812bb43401392c037381aca934f4069c0517"]}
// the next block
>> {"jsonrpc":"2.0","id":5,"method":"ibft_getValidatorsByBlockNumber","params":["pending"]}
<< {"jsonrpc":"2.0","id":5,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","0xc48b812bb43401392c037381aca934f4069c0517"]}
// a JSON number
>> {"jsonrpc":"2.0","id":6,"method":"ibft_getValidatorsByBlockNumber","params":[1]}
<< {"jsonrpc":"2.0","id":6,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c"]}
// above the head
>> {"jsonrpc":"2.0","id":7,"method":"ibft_getValidatorsByBlockNumber","params":["0xffffff"]}
<< {"jsonrpc":"2.0","id":7,"result":null}
// the block that stays: the head, where validators make blocks
>> {"jsonrpc":"2.0","id":8,"method":"ibft_getValidatorsByBlockNumber","params":["safe"]}
<< {"jsonrpc":"2.0","id":8,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","0xc48b812bb43401392c037381aca934f4069c0517"]}
// what is no block
>> {"jsonrpc":"2.0","id":9,"method":"ibft_getValidatorsByBlockNumber","params":["x"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
// no block
>> {"jsonrpc":"2.0","id":10,"method":"ibft_getValidatorsByBlockNumber","params":[]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
// options: --chain=votes
// a network of the other protocol
>> {"jsonrpc":"2.0","id":11,"method":"ibft_getValidatorsByBlockNumber","params":["0x0"]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32604,"message":"Method not enabled"}}
