// options: --network-id=1337
// a decimal string
>> {"jsonrpc":"2.0","id":62,"method":"net_version","params":[]}
<< {"jsonrpc":"2.0","id":62,"result":"1337"}
// options: --network-id=9007199254740993
// also beyond 2^53
>> {"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"9007199254740993"}
