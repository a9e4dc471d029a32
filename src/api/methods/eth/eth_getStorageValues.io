// of two contracts
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{"0x3333333333333333333333333333333333333333":["0x0","0x1"],"0x5b573974eb6b75aaf5054b942cd53990a9861f43":["0x0"]},"latest"]}
<< {"jsonrpc":"2.0","id":1,"result":{"0x3333333333333333333333333333333333333333":["0x000000000000000000000000000000000000000000000000000000000000002b","0x0000000000000000000000000000000000000000000000000000000000000000"],"0x5b573974eb6b75aaf5054b942cd53990a9861f43":["0x0000000000000000000000000000000000000000000000000000000000000000"]}}
// in the past
>> {"jsonrpc":"2.0","id":2,"method":"eth_getStorageValues","params":[{"0x3333333333333333333333333333333333333333":["0x0"]},"0x1"]}
<< {"jsonrpc":"2.0","id":2,"result":{"0x3333333333333333333333333333333333333333":["0x0000000000000000000000000000000000000000000000000000000000000029"]}}
// nothing
>> {"jsonrpc":"2.0","id":3,"method":"eth_getStorageValues","params":[{}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"empty request"}}
// no map
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageValues","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params"}}
// no address
>> {"jsonrpc":"2.0","id":5,"method":"eth_getStorageValues","params":[{"zz":["0x0"]}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid address params"}}
