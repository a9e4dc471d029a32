// an hour, and another one
>> {"jsonrpc":"2.0","id":1,"method":"evm_increaseTime","params":[3600]}
<< {"jsonrpc":"2.0","id":1,"result":3600}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_increaseTime","params":["0xe10"]}
<< {"jsonrpc":"2.0","id":2,"result":7200}

// not a number, or too many
>> {"jsonrpc":"2.0","id":3,"method":"evm_increaseTime","params":["x"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params"}}
>> {"jsonrpc":"2.0","id":4,"method":"evm_increaseTime","params":["0xffffffffffffff"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params","data":"72057594037927935 seconds are too many."}}
