// a waiting transaction, and an unknown one
>> {"jsonrpc":"2.0","id":1,"method":"evm_setAutomine","params":[false]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0xdf49735d43c565430e1b1d2f65fc852f1c0e9e7043f00628ff15a4ab5b0246c6"}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_dropTransaction","params":["0xdf49735d43c565430e1b1d2f65fc852f1c0e9e7043f00628ff15a4ab5b0246c6"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"hardhat_dropTransaction","params":["0xdf49735d43c565430e1b1d2f65fc852f1c0e9e7043f00628ff15a4ab5b0246c6"]}
<< {"jsonrpc":"2.0","id":4,"result":false}
>> {"jsonrpc":"2.0","id":5,"method":"txpool_status","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":{"pending":"0x0","queued":"0x0"}}

// not a hash
>> {"jsonrpc":"2.0","id":6,"method":"anvil_dropTransaction","params":["0x1"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
