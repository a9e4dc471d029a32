// blocks, edits and transactions are gone
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setBalance","params":["0x70997970c51812dc3a010c7d01b50e0d17dc79c8","0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1"}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_setBalance","params":["0x00000000000000000000000000000000000000aa","0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"anvil_reset","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":"0x0"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000aa","latest"]}
<< {"jsonrpc":"2.0","id":7,"result":"0x0"}
>> {"jsonrpc":"2.0","id":8,"method":"evm_revert","params":["0x1"]}
<< {"jsonrpc":"2.0","id":8,"result":false}
>> {"jsonrpc":"2.0","id":9,"method":"hardhat_reset","params":[{"forking":{"blockNumber":null}}]}
<< {"jsonrpc":"2.0","id":9,"result":true}

// with the URL of a network
>> {"jsonrpc":"2.0","id":10,"method":"anvil_reset","params":[{"forking":{"jsonRpcUrl":"https://example.org","blockNumber":1}}]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32004,"message":"Forking is not supported"}}
