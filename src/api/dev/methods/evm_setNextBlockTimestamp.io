// the year 2100
>> {"jsonrpc":"2.0","id":1,"method":"evm_setNextBlockTimestamp","params":[4102444800]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setNextBlockTimestamp","params":["0xf4865701"]}
<< {"jsonrpc":"2.0","id":3,"result":null}

// the past
>> {"jsonrpc":"2.0","id":4,"method":"evm_setNextBlockTimestamp","params":["0xf4865700"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params","data":"4102444800 is not after the time of the last block."}}
