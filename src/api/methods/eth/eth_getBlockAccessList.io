// not before Amsterdam
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":["0x2"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}
// no block
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockAccessList","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
