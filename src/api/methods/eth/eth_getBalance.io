// at the head
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xde0038a66a4c809"}
// without a block it is the head
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0x2222222222222222222222222222222222222222"]}
<< {"jsonrpc":"2.0","id":2,"result":"0xc"}
// in the past
>> {"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":["0x2222222222222222222222222222222222222222","0x1"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x5"}
// by hash
>> {"jsonrpc":"2.0","id":4,"method":"eth_getBalance","params":["0x2222222222222222222222222222222222222222",{"blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","requireCanonical":true}]}
<< {"jsonrpc":"2.0","id":4,"result":"0xc"}
// an unknown account
>> {"jsonrpc":"2.0","id":5,"method":"eth_getBalance","params":["0x1212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0"}
// above the head
>> {"jsonrpc":"2.0","id":6,"method":"eth_getBalance","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x99"]}
<< {"jsonrpc":"2.0","id":6,"result":null}
// a hash of no block
>> {"jsonrpc":"2.0","id":7,"method":"eth_getBalance","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":7,"result":null}
// the block that stays: the head, where validators make blocks
>> {"jsonrpc":"2.0","id":8,"method":"eth_getBalance","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","safe"]}
<< {"jsonrpc":"2.0","id":8,"result":"0xde0038a66a4c809"}
// a cut-off address
>> {"jsonrpc":"2.0","id":9,"method":"eth_getBalance","params":["0x1"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid address params"}}
// no address
>> {"jsonrpc":"2.0","id":10,"method":"eth_getBalance","params":[]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid address params"}}
// a JSON number is no block here
>> {"jsonrpc":"2.0","id":11,"method":"eth_getBalance","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569",1]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
