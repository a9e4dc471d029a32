// two
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockTransactionCountByNumber","params":["0x2"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x2"}
// a block without transactions
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBlockTransactionCountByNumber","params":["latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0"}
// above the head
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBlockTransactionCountByNumber","params":["0x99"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// no number
>> {"jsonrpc":"2.0","id":4,"method":"eth_getBlockTransactionCountByNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
