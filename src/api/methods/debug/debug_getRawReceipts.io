// by number and by tag
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawReceipts","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":["0xf9010801825208b9010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000c0"]}
>> {"jsonrpc":"2.0","id":2,"method":"debug_getRawReceipts","params":["latest"]}
<< {"jsonrpc":"2.0","id":2,"result":[]}
// above the head
>> {"jsonrpc":"2.0","id":3,"method":"debug_getRawReceipts","params":["0x99"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// no block
>> {"jsonrpc":"2.0","id":4,"method":"debug_getRawReceipts","params":["2"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
>> {"jsonrpc":"2.0","id":5,"method":"debug_getRawReceipts","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
