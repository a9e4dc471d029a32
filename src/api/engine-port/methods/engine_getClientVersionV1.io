// the version of this node
>> {"jsonrpc":"2.0","id":1,"method":"engine_getClientVersionV1","params":[{"code":"PM","name":"Prysm","version":"v7.0.0","commit":"0x01020304"}]}
<< {"jsonrpc":"2.0","id":1,"result":[{"code":"CN","name":"Cairn","version":"v0.1.0","commit":"0x00000000"}]}
// no client
>> {"jsonrpc":"2.0","id":2,"method":"engine_getClientVersionV1","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params"}}
