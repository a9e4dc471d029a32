// no port is open
>> {"jsonrpc":"2.0","id":1,"method":"net_enode","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"P2P network is not running"}}
// options: --p2p-enabled
// with one
>> {"jsonrpc":"2.0","id":2,"method":"net_enode","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"enode://abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab@127.0.0.1:30303"}
// options: --p2p-enabled --discovery-enabled=false
// without discovery
>> {"jsonrpc":"2.0","id":3,"method":"net_enode","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"enode://abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab@127.0.0.1:30303?discport=0"}
// options: --without-p2p
// without peer-to-peer
>> {"jsonrpc":"2.0","id":4,"method":"net_enode","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"P2P has been disabled. This functionality is not available"}}
