// category, name, value of the label
>> {"jsonrpc":"2.0","id":1,"method":"debug_metrics","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"process":{"release":{"cairn/v0.1.0":1}}}}
