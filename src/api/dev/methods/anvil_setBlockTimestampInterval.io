// a block is ten seconds after its parent
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":["0x79000000"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_setBlockTimestampInterval","params":[10]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa"},"latest",{"0x00000000000000000000000000000000000000aa":{"code":"0x4260005260206000f3"}}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x000000000000000000000000000000000000000000000000000000007900000a"}
>> {"jsonrpc":"2.0","id":5,"method":"ganache_setBlockTimestampInterval","params":[1]}
<< {"jsonrpc":"2.0","id":5,"result":true}

// not a number
>> {"jsonrpc":"2.0","id":6,"method":"anvil_setBlockTimestampInterval","params":["x"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params"}}
