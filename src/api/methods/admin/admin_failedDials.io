// options: --p2p-enabled
// nothing listens where a node was added
>> {"jsonrpc":"2.0","id":1,"method":"admin_failedDials","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[{"enode":"enode://abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab@127.0.0.1:1?discport=30303","why":"127.0.0.1:1: nothing listens there.","failures":3,"at":"1970-01-01T00:00:00.000Z"}]}
// options: --without-p2p
// without peer-to-peer
>> {"jsonrpc":"2.0","id":2,"method":"admin_failedDials","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"P2P has been disabled. This functionality is not available"}}
