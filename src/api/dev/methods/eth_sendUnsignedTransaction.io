// from an account without a key
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendUnsignedTransaction","params":[{"from":"0x00000000000000000000000000000000000000aa","to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x8b94aa25803aacb68cb72c7cb573375c856fb905574b49f2088b9bebd9e3d25f"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0x00000000000000000000000000000000000000aa","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}

// not a transaction
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendUnsignedTransaction","params":["x"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid transaction params (missing or incorrect)"}}
