// a cheaper transaction waits
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setMinGasPrice","params":["0x3b9aca00"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x3b9aca00"}
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_setMinGasPrice","params":["0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0"}

// not a number
>> {"jsonrpc":"2.0","id":5,"method":"anvil_setMinGasPrice","params":["x"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
