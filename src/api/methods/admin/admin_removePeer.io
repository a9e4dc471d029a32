// a node that was added
>> {"jsonrpc":"2.0","id":1,"method":"admin_addPeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"admin_removePeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// one that was not
>> {"jsonrpc":"2.0","id":3,"method":"admin_removePeer","params":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":3,"result":false}
// no enode
>> {"jsonrpc":"2.0","id":4,"method":"admin_removePeer","params":["foo"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32700,"message":"Parse error"}}
>> {"jsonrpc":"2.0","id":5,"method":"admin_removePeer","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid number of params"}}
