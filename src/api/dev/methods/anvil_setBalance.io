// visible at once, without a block
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x10"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x10"}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x11"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"evm_setAccountBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x12"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","latest"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x12"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":"0x0"}

// more than 256 bits, or not an address
>> {"jsonrpc":"2.0","id":7,"method":"anvil_setBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x10000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params"}}
>> {"jsonrpc":"2.0","id":8,"method":"anvil_setBalance","params":["0x1","0x1"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid address params"}}
