// a node that changed nothing yet
>> {"jsonrpc":"2.0","id":1,"method":"admin_auditLog","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"entries":[],"isComplete":true}}
// the last change of permissions
>> {"jsonrpc":"2.0","id":2,"method":"admin_auditLog","params":[1,"perm_"]}
<< {"jsonrpc":"2.0","id":2,"result":{"entries":[],"isComplete":true}}
// too many entries
>> {"jsonrpc":"2.0","id":3,"method":"admin_auditLog","params":[101]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params"}}
