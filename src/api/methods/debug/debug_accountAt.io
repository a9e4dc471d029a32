// the receiver after the two transactions of block 2
>> {"jsonrpc":"2.0","id":1,"method":"debug_accountAt","params":["0x2",0,"0x2222222222222222222222222222222222222222"]}
<< {"jsonrpc":"2.0","id":1,"result":{"code":"0x0","nonce":"0x0","balance":"0x5","codehash":"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"}}
>> {"jsonrpc":"2.0","id":2,"method":"debug_accountAt","params":["0x2",1,"0x2222222222222222222222222222222222222222"]}
<< {"jsonrpc":"2.0","id":2,"result":{"code":"0x0","nonce":"0x0","balance":"0xc","codehash":"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"}}
// an account with code
>> {"jsonrpc":"2.0","id":3,"method":"debug_accountAt","params":["0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5",1,"0x3333333333333333333333333333333333333333"]}
<< {"jsonrpc":"2.0","id":3,"result":{"code":"0x60005460010180600055600052600760206000a160206000f3","nonce":"0x0","balance":"0x0","codehash":"0x7cac4bcea8790f29856ac22d982a4b637b60ffecffaae8595ba174e04b88fe55"}}
// no such account, transaction or block
>> {"jsonrpc":"2.0","id":4,"method":"debug_accountAt","params":["0x2",0,"0x0000000000000000000000000000000000000abc"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"Account not found"}}
>> {"jsonrpc":"2.0","id":5,"method":"debug_accountAt","params":["0x2",2,"0x2222222222222222222222222222222222222222"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid transaction params (missing or incorrect)"}}
>> {"jsonrpc":"2.0","id":6,"method":"debug_accountAt","params":["0x99",0,"0x2222222222222222222222222222222222222222"]}
<< {"jsonrpc":"2.0","id":6,"result":null}
>> {"jsonrpc":"2.0","id":7,"method":"debug_accountAt","params":[]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
