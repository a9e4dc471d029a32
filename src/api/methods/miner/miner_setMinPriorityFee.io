// a fee
>> {"jsonrpc":"2.0","id":1,"method":"miner_setMinPriorityFee","params":["0x2540be400"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
// what fees are proposed by knows it
>> {"jsonrpc":"2.0","id":2,"method":"eth_maxPriorityFeePerGas","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x2540be400"}
// no hex
>> {"jsonrpc":"2.0","id":3,"method":"miner_setMinPriorityFee","params":["zz"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid min priority fee params","data":"Illegal character 'z' found at index 0 in hex binary representation"}}
// no fee
>> {"jsonrpc":"2.0","id":4,"method":"miner_setMinPriorityFee","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid min priority fee params","data":"Missing required json rpc parameter at index 0"}}
