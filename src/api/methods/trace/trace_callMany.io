// the second call sees the changes of the first
>> {"jsonrpc":"2.0","id":1,"method":"trace_callMany","params":[[[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},["trace"]],[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},["stateDiff"]]],"latest"]}
<< {"jsonrpc":"2.0","id":1,"result":[{"output":"0x000000000000000000000000000000000000000000000000000000000000002c","stateDiff":null,"trace":[{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x13498","input":"0x","to":"0x3333333333333333333333333333333333333333","value":"0x0"},"result":{"gasUsed":"0x179d","output":"0x000000000000000000000000000000000000000000000000000000000000002c"},"subtraces":0,"traceAddress":[],"type":"call"}],"vmTrace":null},{"output":"0x000000000000000000000000000000000000000000000000000000000000002d","stateDiff":{"0x3333333333333333333333333333333333333333":{"balance":"=","code":"=","nonce":"=","storage":{"0x0000000000000000000000000000000000000000000000000000000000000000":{"*":{"from":"0x000000000000000000000000000000000000000000000000000000000000002c","to":"0x000000000000000000000000000000000000000000000000000000000000002d"}}}},"0x4a62316623ad457f02cdc5d997ded67a383ec569":{"balance":{"*":{"from":"0xddff6e72f56f007","to":"0xddfea43f8091805"}},"code":"=","nonce":{"*":{"from":"0x7","to":"0x8"}},"storage":{}}},"trace":[],"vmTrace":null}]}
// an empty list
>> {"jsonrpc":"2.0","id":2,"method":"trace_callMany","params":[[],"latest"]}
<< {"jsonrpc":"2.0","id":2,"result":[]}
// one is not possible
>> {"jsonrpc":"2.0","id":3,"method":"trace_callMany","params":[[[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},["trace"]],[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","nonce":"0x0"},["trace"]]],"latest"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"Nonce too low (transaction nonce 0 below sender account nonce 7 for sender 0x4a62316623ad457f02cdc5d997ded67a383ec569)"}}
// unknown block
>> {"jsonrpc":"2.0","id":4,"method":"trace_callMany","params":[[[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},["trace"]]],"0x64"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Block not found"}}
// a block is missing
>> {"jsonrpc":"2.0","id":5,"method":"trace_callMany","params":[[[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","gas":"0x186a0"},["trace"]]]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid number of params"}}
// not a list of pairs
>> {"jsonrpc":"2.0","id":6,"method":"trace_callMany","params":["x","latest"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid trace call many params"}}
