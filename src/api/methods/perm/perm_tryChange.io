// options: --permissions-file=kept
// an account more, and nothing changes
>> {"jsonrpc":"2.0","id":1,"method":"perm_tryChange","params":["add","accounts",["0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":1,"result":{"before":2,"after":3,"dropped":[],"droppedCount":0}}
>> {"jsonrpc":"2.0","id":2,"method":"perm_getAccountsAllowlist","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]}
// a listed account, and a bootnode
>> {"jsonrpc":"2.0","id":3,"method":"perm_tryChange","params":["add","accounts",["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Cannot add an existing account to allowlist"}}
>> {"jsonrpc":"2.0","id":4,"method":"perm_tryChange","params":["remove","nodes",["enode://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@192.168.1.10:30303"]]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Cannot remove a fixed node (bootnode or static node) from allowlist"}}
// wrong parameters
>> {"jsonrpc":"2.0","id":5,"method":"perm_tryChange","params":["add","constructor",["0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
// options: --permissions-file=edited
// the file lacks an account that is in force: the change would not reach it
>> {"jsonrpc":"2.0","id":6,"method":"perm_tryChange","params":["add","accounts",["0xcccccccccccccccccccccccccccccccccccccccc"]]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk"}}
// options: --network-id=1
// no list is in force
>> {"jsonrpc":"2.0","id":7,"method":"perm_tryChange","params":["remove","nodes",[]]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Node allowlist has not been enabled"}}
