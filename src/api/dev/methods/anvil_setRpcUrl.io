// refused
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setRpcUrl","params":["https://example.org"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"Forking is not supported"}}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_setRpcUrl","params":["https://example.org"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32004,"message":"Forking is not supported"}}
