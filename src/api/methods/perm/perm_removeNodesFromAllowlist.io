// options: --permissions-file=kept
// one, with its port for discovery and in any letter case
>> {"jsonrpc":"2.0","id":1,"method":"perm_removeNodesFromAllowlist","params":[["enode://BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB@192.168.1.11:30303?discport=30400"]]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
>> {"jsonrpc":"2.0","id":2,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303"]}
>> {"jsonrpc":"2.0","id":3,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Cannot remove an absent node from allowlist"}}
// the name of old versions
>> {"jsonrpc":"2.0","id":4,"method":"perm_removeNodesFromWhitelist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Cannot remove an absent node from allowlist"}}
// options: --permissions-file=kept
// the list is missing or something else, or empty
>> {"jsonrpc":"2.0","id":5,"method":"perm_removeNodesFromAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid enode params"}}
>> {"jsonrpc":"2.0","id":6,"method":"perm_removeNodesFromAllowlist","params":["x"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid enode params"}}
>> {"jsonrpc":"2.0","id":7,"method":"perm_removeNodesFromAllowlist","params":[null]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid enode params"}}
>> {"jsonrpc":"2.0","id":8,"method":"perm_removeNodesFromAllowlist","params":[[]]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"Request contains an empty list of nodes"}}
// twice, before invalid
>> {"jsonrpc":"2.0","id":9,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"Request contains duplicate nodes"}}
>> {"jsonrpc":"2.0","id":10,"method":"perm_removeNodesFromAllowlist","params":[["foo","foo"]]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32000,"message":"Request contains duplicate nodes"}}
// no enode URL, no text
>> {"jsonrpc":"2.0","id":11,"method":"perm_removeNodesFromAllowlist","params":[["foo"]]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32000,"message":"Request contains an invalid node"}}
>> {"jsonrpc":"2.0","id":12,"method":"perm_removeNodesFromAllowlist","params":[[5]]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32000,"message":"Request contains an invalid node"}}
>> {"jsonrpc":"2.0","id":13,"method":"perm_removeNodesFromAllowlist","params":[[null]]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32000,"message":"Request contains an invalid node"}}
// the name of a host, where names are not resolved
>> {"jsonrpc":"2.0","id":14,"method":"perm_removeNodesFromAllowlist","params":[["enode://99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999@node.example:30303"]]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32000,"message":"request contains an invalid node"}}
// a bootnode or static node stays, whatever its port for discovery, and with it all others
>> {"jsonrpc":"2.0","id":15,"method":"perm_removeNodesFromAllowlist","params":[["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303"]]}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32000,"message":"Cannot remove a fixed node (bootnode or static node) from allowlist"}}
>> {"jsonrpc":"2.0","id":16,"method":"perm_removeNodesFromAllowlist","params":[["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303?discport=1"]]}
<< {"jsonrpc":"2.0","id":16,"error":{"code":-32000,"message":"Cannot remove a fixed node (bootnode or static node) from allowlist"}}
>> {"jsonrpc":"2.0","id":17,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400","enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303"]]}
<< {"jsonrpc":"2.0","id":17,"error":{"code":-32000,"message":"Cannot remove a fixed node (bootnode or static node) from allowlist"}}
// fixed comes before absent
>> {"jsonrpc":"2.0","id":18,"method":"perm_removeNodesFromAllowlist","params":[["enode://cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc@192.168.1.12:30303","enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303"]]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32000,"message":"Cannot remove a fixed node (bootnode or static node) from allowlist"}}
// absent: it is listed with another port for discovery, or not at all
>> {"jsonrpc":"2.0","id":19,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303"]]}
<< {"jsonrpc":"2.0","id":19,"error":{"code":-32000,"message":"Cannot remove an absent node from allowlist"}}
>> {"jsonrpc":"2.0","id":20,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400","enode://cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc@192.168.1.12:30303"]]}
<< {"jsonrpc":"2.0","id":20,"error":{"code":-32000,"message":"Cannot remove an absent node from allowlist"}}
>> {"jsonrpc":"2.0","id":21,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":21,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
// options: --permissions-file=nodes-edited
// somebody took a node out of the file: the change is in force, and not in the file
>> {"jsonrpc":"2.0","id":22,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]]}
<< {"jsonrpc":"2.0","id":22,"error":{"code":-32000,"message":"The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk"}}
>> {"jsonrpc":"2.0","id":23,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":23,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303"]}
// options: --permissions-file=away
// the file is away: nothing changes
>> {"jsonrpc":"2.0","id":24,"method":"perm_removeNodesFromAllowlist","params":[["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]]}
<< {"jsonrpc":"2.0","id":24,"error":{"code":-32000,"message":"Unable to persist changes to allowlist configuration file. Changes reverted"}}
>> {"jsonrpc":"2.0","id":25,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":25,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
// options: --permissions-file=names-kept
// a name goes by name or by address
>> {"jsonrpc":"2.0","id":26,"method":"perm_addNodesToAllowlist","params":[["enode://cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc@node.example:30303","enode://dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd@node.example:30303"]]}
<< {"jsonrpc":"2.0","id":26,"result":"Success"}
>> {"jsonrpc":"2.0","id":27,"method":"perm_removeNodesFromAllowlist","params":[["enode://cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc@node.example:30303"]]}
<< {"jsonrpc":"2.0","id":27,"result":"Success"}
>> {"jsonrpc":"2.0","id":28,"method":"perm_removeNodesFromAllowlist","params":[["enode://dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd@192.168.1.30:30303"]]}
<< {"jsonrpc":"2.0","id":28,"result":"Success"}
>> {"jsonrpc":"2.0","id":29,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":29,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
// options: --network-id=1
// the list is not in force; parameters are looked at first
>> {"jsonrpc":"2.0","id":30,"method":"perm_removeNodesFromAllowlist","params":[["enode://cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc@192.168.1.12:30303"]]}
<< {"jsonrpc":"2.0","id":30,"error":{"code":-32000,"message":"Node allowlist has not been enabled"}}
>> {"jsonrpc":"2.0","id":31,"method":"perm_removeNodesFromAllowlist","params":[[]]}
<< {"jsonrpc":"2.0","id":31,"error":{"code":-32000,"message":"Node allowlist has not been enabled"}}
>> {"jsonrpc":"2.0","id":32,"method":"perm_removeNodesFromAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":32,"error":{"code":-32602,"message":"Invalid enode params"}}
