// made first
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"0x4"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// all that match
>> {"jsonrpc":"2.0","id":2,"method":"eth_getFilterLogs","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"logIndex":"0x0","removed":false,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}]}
// made first
>> {"jsonrpc":"2.0","id":3,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0xf7e79d2b47f666309ce301f0b8829f5c"}
// a filter of another kind
>> {"jsonrpc":"2.0","id":4,"method":"eth_getFilterLogs","params":["0xf7e79d2b47f666309ce301f0b8829f5c"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Logs filter not found"}}
// no such filter
>> {"jsonrpc":"2.0","id":5,"method":"eth_getFilterLogs","params":["0x1"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"Logs filter not found"}}
// no id
>> {"jsonrpc":"2.0","id":6,"method":"eth_getFilterLogs","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid filter params"}}
