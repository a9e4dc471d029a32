// options: --permissions-file=kept
// one, in any letter case
>> {"jsonrpc":"2.0","id":1,"method":"perm_addAccountsToAllowlist","params":[["0xCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"]]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
>> {"jsonrpc":"2.0","id":2,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","0xcccccccccccccccccccccccccccccccccccccccc"]}
// two, and further parameters are ignored
>> {"jsonrpc":"2.0","id":3,"method":"perm_addAccountsToAllowlist","params":[["0x0101010101010101010101010101010101010101","0x0202020202020202020202020202020202020202"],1]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
>> {"jsonrpc":"2.0","id":4,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","0xcccccccccccccccccccccccccccccccccccccccc","0x0101010101010101010101010101010101010101","0x0202020202020202020202020202020202020202"]}
// the name of old versions
>> {"jsonrpc":"2.0","id":5,"method":"perm_addAccountsToWhitelist","params":[["0x0303030303030303030303030303030303030303"]]}
<< {"jsonrpc":"2.0","id":5,"result":"Success"}
// options: --permissions-file=kept
// the list is missing, null or something else
>> {"jsonrpc":"2.0","id":6,"method":"perm_addAccountsToAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid account params"}}
>> {"jsonrpc":"2.0","id":7,"method":"perm_addAccountsToAllowlist","params":[null]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid account params"}}
>> {"jsonrpc":"2.0","id":8,"method":"perm_addAccountsToAllowlist","params":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid account params"}}
>> {"jsonrpc":"2.0","id":9,"method":"perm_addAccountsToAllowlist","params":[1]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid account params"}}
>> {"jsonrpc":"2.0","id":10,"method":"perm_addAccountsToAllowlist","params":[{}]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid account params"}}
// an empty one
>> {"jsonrpc":"2.0","id":11,"method":"perm_addAccountsToAllowlist","params":[[]]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32000,"message":"Request contains an empty list of accounts"}}
// not 20 bytes, without 0x, no hex digits
>> {"jsonrpc":"2.0","id":12,"method":"perm_addAccountsToAllowlist","params":[["0x01"]]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":13,"method":"perm_addAccountsToAllowlist","params":[["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":14,"method":"perm_addAccountsToAllowlist","params":[["0xzzaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":15,"method":"perm_addAccountsToAllowlist","params":[[""]]}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":16,"method":"perm_addAccountsToAllowlist","params":[["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa00"]]}
<< {"jsonrpc":"2.0","id":16,"error":{"code":-32000,"message":"Request contains an invalid account"}}
// no text at all
>> {"jsonrpc":"2.0","id":17,"method":"perm_addAccountsToAllowlist","params":[[null]]}
<< {"jsonrpc":"2.0","id":17,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":18,"method":"perm_addAccountsToAllowlist","params":[[5]]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":19,"method":"perm_addAccountsToAllowlist","params":[[true]]}
<< {"jsonrpc":"2.0","id":19,"error":{"code":-32000,"message":"Request contains an invalid account"}}
>> {"jsonrpc":"2.0","id":20,"method":"perm_addAccountsToAllowlist","params":[[["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]]}
<< {"jsonrpc":"2.0","id":20,"error":{"code":-32000,"message":"Request contains an invalid account"}}
// invalid comes before twice
>> {"jsonrpc":"2.0","id":21,"method":"perm_addAccountsToAllowlist","params":[["0x01","0x01"]]}
<< {"jsonrpc":"2.0","id":21,"error":{"code":-32000,"message":"Request contains an invalid account"}}
// twice, in whatever case
>> {"jsonrpc":"2.0","id":22,"method":"perm_addAccountsToAllowlist","params":[["0xcccccccccccccccccccccccccccccccccccccccc","0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":22,"error":{"code":-32000,"message":"Request contains duplicate accounts"}}
>> {"jsonrpc":"2.0","id":23,"method":"perm_addAccountsToAllowlist","params":[["0xcccccccccccccccccccccccccccccccccccccccc","0xCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"]]}
<< {"jsonrpc":"2.0","id":23,"error":{"code":-32000,"message":"Request contains duplicate accounts"}}
// twice comes before already there
>> {"jsonrpc":"2.0","id":24,"method":"perm_addAccountsToAllowlist","params":[["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":24,"error":{"code":-32000,"message":"Request contains duplicate accounts"}}
// already there
>> {"jsonrpc":"2.0","id":25,"method":"perm_addAccountsToAllowlist","params":[["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":25,"error":{"code":-32000,"message":"Cannot add an existing account to allowlist"}}
// all of them or none
>> {"jsonrpc":"2.0","id":26,"method":"perm_addAccountsToAllowlist","params":[["0xdddddddddddddddddddddddddddddddddddddddd","0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":26,"error":{"code":-32000,"message":"Cannot add an existing account to allowlist"}}
>> {"jsonrpc":"2.0","id":27,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":27,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --permissions-file=edited
// somebody took an account out of the file by hand
>> {"jsonrpc":"2.0","id":28,"method":"perm_addAccountsToAllowlist","params":[["0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":28,"error":{"code":-32000,"message":"The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk"}}
>> {"jsonrpc":"2.0","id":29,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":29,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","0xcccccccccccccccccccccccccccccccccccccccc"]}
// options: --permissions-file=broken
// the file is no longer TOML
>> {"jsonrpc":"2.0","id":30,"method":"perm_addAccountsToAllowlist","params":[["0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":30,"error":{"code":-32000,"message":"The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk"}}
// options: --permissions-file=away
// the file is gone: nothing is changed
>> {"jsonrpc":"2.0","id":31,"method":"perm_addAccountsToAllowlist","params":[["0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":31,"error":{"code":-32000,"message":"Unable to persist changes to allowlist configuration file. Changes reverted"}}
>> {"jsonrpc":"2.0","id":32,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":32,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// options: --network-id=1
// no list is in force, which is said before anything about the accounts
>> {"jsonrpc":"2.0","id":33,"method":"perm_addAccountsToAllowlist","params":[["0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":33,"error":{"code":-32000,"message":"Account allowlist has not been enabled"}}
>> {"jsonrpc":"2.0","id":34,"method":"perm_addAccountsToAllowlist","params":[[]]}
<< {"jsonrpc":"2.0","id":34,"error":{"code":-32000,"message":"Account allowlist has not been enabled"}}
>> {"jsonrpc":"2.0","id":35,"method":"perm_addAccountsToAllowlist","params":[["0x01"]]}
<< {"jsonrpc":"2.0","id":35,"error":{"code":-32000,"message":"Account allowlist has not been enabled"}}
// but after what is no list
>> {"jsonrpc":"2.0","id":36,"method":"perm_addAccountsToAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":36,"error":{"code":-32602,"message":"Invalid account params"}}
