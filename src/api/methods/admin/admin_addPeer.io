// a node, and the same again
>> {"jsonrpc":"2.0","id":1,"method":"admin_addPeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"admin_addPeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":2,"result":false}
// an id that is too short
>> {"jsonrpc":"2.0","id":3,"method":"admin_addPeer","params":["enode://aa@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Invalid node ID: node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix."}}
// a host name
>> {"jsonrpc":"2.0","id":4,"method":"admin_addPeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@localhost:30999"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32100,"message":"Enode DNS support is disabled"}}
// a port that nobody listens on, no enode at all, no text
>> {"jsonrpc":"2.0","id":5,"method":"admin_addPeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1:0"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32700,"message":"Parse error"}}
>> {"jsonrpc":"2.0","id":6,"method":"admin_addPeer","params":["foo"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32700,"message":"Parse error"}}
>> {"jsonrpc":"2.0","id":7,"method":"admin_addPeer","params":[1]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"Parse error"}}
// none
>> {"jsonrpc":"2.0","id":8,"method":"admin_addPeer","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid number of params"}}
// options: --without-p2p
// without peer-to-peer
>> {"jsonrpc":"2.0","id":9,"method":"admin_addPeer","params":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@127.0.0.1:30999"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"P2P has been disabled. This functionality is not available"}}
// options: --permissions-file=kept
// a node that the allowlist has, wherever it answers discovery
>> {"jsonrpc":"2.0","id":10,"method":"admin_addPeer","params":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303"]}
<< {"jsonrpc":"2.0","id":10,"result":true}
// another port, another id, another address
>> {"jsonrpc":"2.0","id":11,"method":"admin_addPeer","params":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30304"]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32000,"message":"Cannot add a non-permitted node as a peer"}}
>> {"jsonrpc":"2.0","id":12,"method":"admin_addPeer","params":["enode://cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc@192.168.1.11:30303"]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32000,"message":"Cannot add a non-permitted node as a peer"}}
>> {"jsonrpc":"2.0","id":13,"method":"admin_addPeer","params":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.12:30303"]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32000,"message":"Cannot add a non-permitted node as a peer"}}
// options: --permissions-file=names
// a name by its address; a host that nobody knows
>> {"jsonrpc":"2.0","id":14,"method":"admin_addPeer","params":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@node.example:30303"]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32000,"message":"Cannot add a non-permitted node as a peer"}}
>> {"jsonrpc":"2.0","id":15,"method":"admin_addPeer","params":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@no-such-host.invalid:30303"]}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32100,"message":"Cannot resolve enode DNS hostname"}}
