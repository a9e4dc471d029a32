// options: --permissions-file=kept
// in lower case, in the order of the file
>> {"jsonrpc":"2.0","id":1,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// parameters are ignored
>> {"jsonrpc":"2.0","id":2,"method":"perm_getAccountsAllowlist","params":[1]}
<< {"jsonrpc":"2.0","id":2,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// the name of old versions
>> {"jsonrpc":"2.0","id":3,"method":"perm_getAccountsWhitelist","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --network-id=1
// no list is in force
>> {"jsonrpc":"2.0","id":4,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Account allowlist has not been enabled"}}
