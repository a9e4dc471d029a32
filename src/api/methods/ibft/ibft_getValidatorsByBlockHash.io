// options: --chain=ibft2
// before the votes are enough
>> {"jsonrpc":"2.0","id":1,"method":"ibft_getValidatorsByBlockHash","params":["0x6ca2fd6f9fa2d72b0b43d50d68c14a78d730663c8e6c1dfd1e32a4e125ac7983"]}
<< {"jsonrpc":"2.0","id":1,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c"]}
// after
>> {"jsonrpc":"2.0","id":2,"method":"ibft_getValidatorsByBlockHash","params":["0x0a2137b4aae892a2b7401faf86fb021b23d5e30e9518e9c934beeb3f1941d408"]}
<< {"jsonrpc":"2.0","id":2,"result":["0x1a642f0e3c3af545e7acbd38b07251b3990914f1","0x3325a78425f17a7e487eb5666b2bfd93abb06c70","0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c","0xc48b812bb43401392c037381aca934f4069c0517"]}
// an unknown block
>> {"jsonrpc":"2.0","id":3,"method":"ibft_getValidatorsByBlockHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// what is no hash
>> {"jsonrpc":"2.0","id":4,"method":"ibft_getValidatorsByBlockHash","params":["x"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid block hash params"}}
// no hash
>> {"jsonrpc":"2.0","id":5,"method":"ibft_getValidatorsByBlockHash","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid block hash params"}}
// options: --chain=votes
// a network of the other protocol
>> {"jsonrpc":"2.0","id":6,"method":"ibft_getValidatorsByBlockHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32604,"message":"Method not enabled"}}
