// of a contract
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x3333333333333333333333333333333333333333","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x60005460010180600055600052600760206000a160206000f3"}
// of a contract before it was created
>> {"jsonrpc":"2.0","id":2,"method":"eth_getCode","params":["0x5b573974eb6b75aaf5054b942cd53990a9861f43","0x2"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x"}
// and after
>> {"jsonrpc":"2.0","id":3,"method":"eth_getCode","params":["0x5b573974eb6b75aaf5054b942cd53990a9861f43","0x3"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x60005460010180600055600052600760206000a160206000f3"}
// of an account
>> {"jsonrpc":"2.0","id":4,"method":"eth_getCode","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x"}
// above the head
>> {"jsonrpc":"2.0","id":5,"method":"eth_getCode","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x99"]}
<< {"jsonrpc":"2.0","id":5,"result":null}
// no address
>> {"jsonrpc":"2.0","id":6,"method":"eth_getCode","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid address params"}}
