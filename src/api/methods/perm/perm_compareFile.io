// options: --permissions-file=kept
// the file has the entries in force
>> {"jsonrpc":"2.0","id":1,"method":"perm_compareFile","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[{"list":"accounts","file":"/data/permissions_config.toml","inForce":2,"inFile":2,"added":[],"addedCount":0,"removed":[],"removedCount":0,"problem":null,"readOnly":null},{"list":"nodes","file":"/data/permissions_config.toml","inForce":2,"inFile":2,"added":[],"addedCount":0,"removed":[],"removedCount":0,"problem":null,"readOnly":null}]}
// options: --permissions-file=edited
// an account was removed from the file
>> {"jsonrpc":"2.0","id":2,"method":"perm_compareFile","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":[{"list":"accounts","file":"/data/permissions_config.toml","inForce":2,"inFile":1,"added":[],"addedCount":0,"removed":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],"removedCount":1,"problem":null,"readOnly":null},{"list":"nodes","file":"/data/permissions_config.toml","inForce":2,"inFile":2,"added":[],"addedCount":0,"removed":[],"removedCount":0,"problem":null,"readOnly":null}]}
// the list in force is as it was
>> {"jsonrpc":"2.0","id":3,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --network-id=1
// no list is in force
>> {"jsonrpc":"2.0","id":4,"method":"perm_compareFile","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
