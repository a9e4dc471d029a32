// ids count up
>> {"jsonrpc":"2.0","id":1,"method":"evm_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_snapshot","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x2"}
