// at the head
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x6"}
// with what is pending, which is nothing
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","pending"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x6"}
// in the past
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569",{"blockNumber":"0x2"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x3"}
// above the head
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x99"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
// no address
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionCount","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid address params"}}
