// two
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByHash","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x2"}
// no such block
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockTransactionCountByHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
// no hash
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBlockTransactionCountByHash","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid block hash params"}}
