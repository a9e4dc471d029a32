// a slot and its value, in any length
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setStorageAt","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x1","0x0000000000000000000000000000000000000000000000000000000000000009"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getStorageAt","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x1","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0000000000000000000000000000000000000000000000000000000000000009"}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setStorageAt","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x0000000000000000000000000000000000000000000000000000000000000001","0xa"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"evm_setAccountStorageAt","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x2","0xb"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getStorageAt","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x1","latest"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x000000000000000000000000000000000000000000000000000000000000000a"}

// more than 256 bits
>> {"jsonrpc":"2.0","id":6,"method":"anvil_setStorageAt","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x1","0x10000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params"}}
