// an unknown number, and an unknown hash
>> {"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x99"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":2,"method":"debug_setHead","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-39001,"message":"Unknown block"}}
// the head is the head
>> {"jsonrpc":"2.0","id":3,"method":"debug_setHead","params":["latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
// no block
>> {"jsonrpc":"2.0","id":4,"method":"debug_setHead","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
>> {"jsonrpc":"2.0","id":5,"method":"debug_setHead","params":["latest","yes"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
