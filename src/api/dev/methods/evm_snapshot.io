// of block 0
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x11b45d0faf5d4f365"}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x11b45d0faf5d4f365"}
