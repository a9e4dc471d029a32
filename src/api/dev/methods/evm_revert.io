// a transaction is undone, and may be sent again; a snapshot is used once
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0xde0b6b3a7640000"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x136f2717ab7e337d80f1fc231a24a4cfd5a160f0d9d8bcd04fb3b1cb19caf63a"}
>> {"jsonrpc":"2.0","id":3,"method":"evm_mine","params":[{"blocks":2}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"evm_revert","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_getBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","latest"]}
<< {"jsonrpc":"2.0","id":6,"result":"0x21e19e0c9bab2400000"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_getTransactionReceipt","params":["0x136f2717ab7e337d80f1fc231a24a4cfd5a160f0d9d8bcd04fb3b1cb19caf63a"]}
<< {"jsonrpc":"2.0","id":7,"result":null}
>> {"jsonrpc":"2.0","id":8,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0xde0b6b3a7640000"}]}
<< {"jsonrpc":"2.0","id":8,"result":"0x136f2717ab7e337d80f1fc231a24a4cfd5a160f0d9d8bcd04fb3b1cb19caf63a"}
>> {"jsonrpc":"2.0","id":9,"method":"anvil_revert","params":["0x1"]}
<< {"jsonrpc":"2.0","id":9,"result":false}
>> {"jsonrpc":"2.0","id":10,"method":"txpool_status","params":[]}
<< {"jsonrpc":"2.0","id":10,"result":{"pending":"0x0","queued":"0x0"}}

// no snapshot
>> {"jsonrpc":"2.0","id":11,"method":"evm_revert","params":["0x1"]}
<< {"jsonrpc":"2.0","id":11,"result":false}
>> {"jsonrpc":"2.0","id":12,"method":"evm_revert","params":["0xffffffffffffffffff"]}
<< {"jsonrpc":"2.0","id":12,"result":false}
>> {"jsonrpc":"2.0","id":13,"method":"evm_revert","params":["x"]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32602,"message":"Invalid params"}}
>> {"jsonrpc":"2.0","id":14,"method":"evm_revert","params":[]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32602,"message":"Invalid params"}}
