// of the next block and later ones
>> {"jsonrpc":"2.0","id":1,"method":"evm_setBlockGasLimit","params":["0x1c9c380"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[{"blocks":2}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa","gas":"0x10000"},"latest",{"0x00000000000000000000000000000000000000aa":{"code":"0x4560005260206000f3"}}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0000000000000000000000000000000000000000000000000000000001c9c380"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_setBlockGasLimit","params":["0x1c9c380"]}
<< {"jsonrpc":"2.0","id":4,"result":true}

// below the minimum
>> {"jsonrpc":"2.0","id":5,"method":"evm_setBlockGasLimit","params":["0x1387"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
