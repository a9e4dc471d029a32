// options: --chain=votes
// before the votes are enough
>> {"jsonrpc":"2.0","id":1,"method":"qbft_getValidatorsByBlockHash","params":["0x16b38a7bf3cabfc99c1089d6899a1cf02633b2beab14512cd86a095739b12b20"]}
<< {"jsonrpc":"2.0","id":1,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c"]}
// after
>> {"jsonrpc":"2.0","id":2,"method":"qbft_getValidatorsByBlockHash","params":["0xf8b73b9f18a7d6ceaf39803cb6f5fb6c8bf425fc0edd8649a09ca2998a0d50e2"]}
<< {"jsonrpc":"2.0","id":2,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","0xc48b812bb43401392c037381aca934f4069c0517"]}
// an unknown block
>> {"jsonrpc":"2.0","id":3,"method":"qbft_getValidatorsByBlockHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// what is no hash
>> {"jsonrpc":"2.0","id":4,"method":"qbft_getValidatorsByBlockHash","params":["x"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid block hash params"}}
// no hash
>> {"jsonrpc":"2.0","id":5,"method":"qbft_getValidatorsByBlockHash","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid block hash params"}}
// options: --chain=contract
// what the contract says after block 1
>> {"jsonrpc":"2.0","id":6,"method":"qbft_getValidatorsByBlockHash","params":["0x7181443ee180045ae02b6a1519a2072e8f56158e7c8eeedefa669fd4adda14d3"]}
<< {"jsonrpc":"2.0","id":6,"result":["0x3325a78425f17a7e487eb5666b2bfd93abb06c70"]}
// options: --chain=ibft2
// a network of the other protocol
>> {"jsonrpc":"2.0","id":7,"method":"qbft_getValidatorsByBlockHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32604,"message":"Method not enabled"}}
