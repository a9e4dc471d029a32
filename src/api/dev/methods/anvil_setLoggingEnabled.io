// off and on
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setLoggingEnabled","params":[false]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_setLoggingEnabled","params":[true]}
<< {"jsonrpc":"2.0","id":2,"result":true}

// not a boolean
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setLoggingEnabled","params":["x"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params"}}
