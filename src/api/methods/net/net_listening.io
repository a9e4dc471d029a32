// without peer-to-peer
>> {"jsonrpc":"2.0","id":1,"method":"net_listening","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":false}
// options: --p2p-enabled
// with it
>> {"jsonrpc":"2.0","id":63,"method":"net_listening","params":[]}
<< {"jsonrpc":"2.0","id":63,"result":true}
