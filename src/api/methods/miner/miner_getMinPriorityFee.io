// as --min-priority-fee says
>> {"jsonrpc":"2.0","id":1,"method":"miner_getMinPriorityFee","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
// as it was set last
>> {"jsonrpc":"2.0","id":2,"method":"miner_setMinPriorityFee","params":["0x1"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"miner_getMinPriorityFee","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1"}
