// the next transaction continues from it
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setNonce","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x7"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","pending"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x7"}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setNonce","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x5"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionCount","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x5"}

// more than 64 bits
>> {"jsonrpc":"2.0","id":5,"method":"anvil_setNonce","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x10000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
