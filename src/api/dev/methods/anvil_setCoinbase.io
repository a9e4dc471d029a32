// the next block pays it
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setCoinbase","params":["0x00000000000000000000000000000000000000aa"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa"},"latest",{"0x00000000000000000000000000000000000000aa":{"code":"0x4160005260206000f3"}}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x00000000000000000000000000000000000000000000000000000000000000aa"}
>> {"jsonrpc":"2.0","id":4,"method":"hardhat_setCoinbase","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]}
<< {"jsonrpc":"2.0","id":4,"result":true}

// not an address
>> {"jsonrpc":"2.0","id":5,"method":"anvil_setCoinbase","params":["0x1"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid address params"}}
