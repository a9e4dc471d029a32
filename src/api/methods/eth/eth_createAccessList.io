// a contract that uses a slot
>> {"jsonrpc":"2.0","id":1,"method":"eth_createAccessList","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","data":"0x00"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"gasUsed":"0x72a5","accessList":[{"address":"0x3333333333333333333333333333333333333333","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000000"]}]}}
// the list is given already
>> {"jsonrpc":"2.0","id":2,"method":"eth_createAccessList","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x3333333333333333333333333333333333333333","data":"0x00","accessList":[{"address":"0x3333333333333333333333333333333333333333","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000000"]}]},"latest"]}
<< {"jsonrpc":"2.0","id":2,"result":{"gasUsed":"0x72a5","accessList":[{"address":"0x3333333333333333333333333333333333333333","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000000"]}]}}
// a transfer
>> {"jsonrpc":"2.0","id":3,"method":"eth_createAccessList","params":[{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","to":"0x2222222222222222222222222222222222222222","value":"0x1"},"latest"]}
<< {"jsonrpc":"2.0","id":3,"result":{"gasUsed":"0x5208","accessList":[]}}
// a call that fails
>> {"jsonrpc":"2.0","id":4,"method":"eth_createAccessList","params":[{"to":"0x4444444444444444444444444444444444444444","data":"0x00"},"latest"]}
<< {"jsonrpc":"2.0","id":4,"result":{"gasUsed":"0x5248","error":"execution reverted","accessList":[]}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_createAccessList","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid call params"}}
