// transactions wait for a block
>> {"jsonrpc":"2.0","id":1,"method":"evm_setAutomine","params":[false]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":false}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0xde0b6b3a7640000"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x136f2717ab7e337d80f1fc231a24a4cfd5a160f0d9d8bcd04fb3b1cb19caf63a"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionReceipt","params":["0x136f2717ab7e337d80f1fc231a24a4cfd5a160f0d9d8bcd04fb3b1cb19caf63a"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionCount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","pending"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x1"}
>> {"jsonrpc":"2.0","id":6,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":"0x0"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_getTransactionCount","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","latest"]}
<< {"jsonrpc":"2.0","id":7,"result":"0x1"}
>> {"jsonrpc":"2.0","id":8,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":8,"result":"0x1"}

// and get one at once again
>> {"jsonrpc":"2.0","id":9,"method":"anvil_setAutomine","params":[true]}
<< {"jsonrpc":"2.0","id":9,"result":null}
>> {"jsonrpc":"2.0","id":10,"method":"hardhat_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":10,"result":true}
>> {"jsonrpc":"2.0","id":11,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":11,"result":"0x1"}

// not a boolean
>> {"jsonrpc":"2.0","id":12,"method":"evm_setAutomine","params":["x"]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32602,"message":"Invalid params"}}
