// the count
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x3333333333333333333333333333333333333333","0x0","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x000000000000000000000000000000000000000000000000000000000000002b"}
// at the beginning
>> {"jsonrpc":"2.0","id":2,"method":"eth_getStorageAt","params":["0x3333333333333333333333333333333333333333","0x0","earliest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x0000000000000000000000000000000000000000000000000000000000000029"}
// all digits
>> {"jsonrpc":"2.0","id":3,"method":"eth_getStorageAt","params":["0x3333333333333333333333333333333333333333","0x0000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x000000000000000000000000000000000000000000000000000000000000002b"}
// never written
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageAt","params":["0x3333333333333333333333333333333333333333","0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x0000000000000000000000000000000000000000000000000000000000000000"}
// too long
>> {"jsonrpc":"2.0","id":5,"method":"eth_getStorageAt","params":["0x3333333333333333333333333333333333333333","0x000000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid position params"}}
// no slot
>> {"jsonrpc":"2.0","id":6,"method":"eth_getStorageAt","params":["0x3333333333333333333333333333333333333333"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid position params"}}
