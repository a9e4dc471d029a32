// made first
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"0x0"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// nothing is new since the filter was made
>> {"jsonrpc":"2.0","id":2,"method":"eth_getFilterChanges","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":2,"result":[]}
// made first
>> {"jsonrpc":"2.0","id":3,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0xf7e79d2b47f666309ce301f0b8829f5c"}
// no new blocks
>> {"jsonrpc":"2.0","id":4,"method":"eth_getFilterChanges","params":["0xf7e79d2b47f666309ce301f0b8829f5c"]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
// made first
>> {"jsonrpc":"2.0","id":5,"method":"eth_newPendingTransactionFilter","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x6d010770feacb771748ca60a7d213b2e"}
// nothing is pending
>> {"jsonrpc":"2.0","id":6,"method":"eth_getFilterChanges","params":["0x6d010770feacb771748ca60a7d213b2e"]}
<< {"jsonrpc":"2.0","id":6,"result":[]}
// no such filter
>> {"jsonrpc":"2.0","id":7,"method":"eth_getFilterChanges","params":["0x1"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Filter not found"}}
// no id
>> {"jsonrpc":"2.0","id":8,"method":"eth_getFilterChanges","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid filter params"}}
