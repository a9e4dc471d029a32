// a contract that returns 42, and none again
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x602a60005260206000f3"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"},"latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x"}
>> {"jsonrpc":"2.0","id":5,"method":"evm_setAccountCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x00"]}
<< {"jsonrpc":"2.0","id":5,"result":true}

// not bytes
>> {"jsonrpc":"2.0","id":6,"method":"anvil_setCode","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x0"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid data params"}}
