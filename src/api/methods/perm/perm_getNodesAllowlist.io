// options: --permissions-file=kept
// in the order of the file, in a uniform spelling
>> {"jsonrpc":"2.0","id":1,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
// the name of old versions, and parameters, which are ignored
>> {"jsonrpc":"2.0","id":2,"method":"perm_getNodesWhitelist","params":[1]}
<< {"jsonrpc":"2.0","id":2,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
// options: --network-id=1
// the list is not in force
>> {"jsonrpc":"2.0","id":3,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Node allowlist has not been enabled"}}
