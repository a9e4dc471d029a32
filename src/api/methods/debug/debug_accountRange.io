// two accounts, then the next page
>> {"jsonrpc":"2.0","id":1,"method":"debug_accountRange","params":["latest",0,"0x0",2]}
<< {"jsonrpc":"2.0","id":1,"result":{"addressMap":{"0x2ab0a4443bbea3fbe4d0e1503d11ff1367842fb0c8b28a5c8550f27599a40751":"0x2222222222222222222222222222222222222222","0x37d95e0aa71e34defa88b4c43498bc8b90207e31ad0ef4aa6f5bea78bd25a1ab":"0x3333333333333333333333333333333333333333"},"nextKey":"0x462d44173e8294ca329e832e7a71ff4c96623924116b6a70e73d1c61e1af6d69"}}
>> {"jsonrpc":"2.0","id":2,"method":"debug_accountRange","params":["0xcbb06c190065ac3014a8638720b0d676483c017c63317ac749606fcdf28f8d37",0,"0x37d95e0aa71e34defa88b4c43498bc8b90207e31ad0ef4aa6f5bea78bd25a1ac",100]}
<< {"jsonrpc":"2.0","id":2,"result":{"addressMap":{"0x462d44173e8294ca329e832e7a71ff4c96623924116b6a70e73d1c61e1af6d69":"0x4a62316623ad457f02cdc5d997ded67a383ec569","0x4cfa6af4bfa0111fd5e7625d43e84cd2d40629cf6008219d2c0e30ed48abf8b6":"0x4444444444444444444444444444444444444444","0xe2c07404b8c1df4c46226425cac68c28d27a766bbddce62309f36724839b22c0":"0x1111111111111111111111111111111111111111"},"nextKey":"0x0000000000000000000000000000000000000000000000000000000000000000"}}
// no such block
>> {"jsonrpc":"2.0","id":3,"method":"debug_accountRange","params":["0x99",0,"0x0",2]}
<< {"jsonrpc":"2.0","id":3,"result":{"addressMap":{}}}
// wrong parameters
>> {"jsonrpc":"2.0","id":4,"method":"debug_accountRange","params":["latest",0,"x",2]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid address hash params"}}
>> {"jsonrpc":"2.0","id":5,"method":"debug_accountRange","params":["latest",0,"0x0",-1]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid max results params"}}
