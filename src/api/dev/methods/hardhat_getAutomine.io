// every transaction gets a block
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_getAutomine","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":true}
