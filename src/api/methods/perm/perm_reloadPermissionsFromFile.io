// options: --permissions-file=kept
// nothing changed
>> {"jsonrpc":"2.0","id":1,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
// parameters are ignored
>> {"jsonrpc":"2.0","id":2,"method":"perm_reloadPermissionsFromFile","params":[1]}
<< {"jsonrpc":"2.0","id":2,"result":"Success"}
// options: --permissions-file=edited
// what the file says is in force from here on
>> {"jsonrpc":"2.0","id":3,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
>> {"jsonrpc":"2.0","id":4,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"Success"}
>> {"jsonrpc":"2.0","id":5,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":["0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --permissions-file=broken
// the file is no TOML: the list stays as it is
>> {"jsonrpc":"2.0","id":6,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"Error reloading permissions file. Please use perm_getAccountsAllowlist and perm_getNodesAllowlist to review the current state of the allowlists"}}
>> {"jsonrpc":"2.0","id":7,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":7,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --permissions-file=away
// the file is gone
>> {"jsonrpc":"2.0","id":8,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"Error reloading permissions file. Please use perm_getAccountsAllowlist and perm_getNodesAllowlist to review the current state of the allowlists"}}
>> {"jsonrpc":"2.0","id":9,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":9,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --network-id=1
// no list is in force
>> {"jsonrpc":"2.0","id":10,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32000,"message":"Node/Account allowlist has not been enabled"}}
// options: --permissions-file=nodes-edited
// a bootnode that is no longer in the file is no longer permitted
>> {"jsonrpc":"2.0","id":11,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":11,"result":"Success"}
>> {"jsonrpc":"2.0","id":12,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":12,"result":["enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
// options: --permissions-file=nodes-broken
// one list cannot be used: both stay as they are
>> {"jsonrpc":"2.0","id":13,"method":"perm_reloadPermissionsFromFile","params":[]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32000,"message":"Error reloading permissions file. Please use perm_getAccountsAllowlist and perm_getNodesAllowlist to review the current state of the allowlists"}}
>> {"jsonrpc":"2.0","id":14,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":14,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
>> {"jsonrpc":"2.0","id":15,"method":"perm_getNodesAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":15,"result":["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303","enode://bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@192.168.1.11:30303?discport=30400"]}
