// blocks do not follow transactions meanwhile
>> {"jsonrpc":"2.0","id":1,"method":"evm_setIntervalMining","params":[3600]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"hardhat_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":false}
>> {"jsonrpc":"2.0","id":3,"method":"anvil_setIntervalMining","params":[0]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"hardhat_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":true}

// not a number
>> {"jsonrpc":"2.0","id":5,"method":"evm_setIntervalMining","params":["x"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
