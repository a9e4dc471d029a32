// no peers
>> {"jsonrpc":"2.0","id":1,"method":"admin_peers","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
// options: --without-p2p
// without peer-to-peer
>> {"jsonrpc":"2.0","id":2,"method":"admin_peers","params":[]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"P2P has been disabled. This functionality is not available"}}
