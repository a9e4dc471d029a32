// the bytes of "hello"
>> {"jsonrpc":"2.0","id":68,"method":"web3_sha3","params":["0x68656c6c6f"]}
<< {"jsonrpc":"2.0","id":68,"result":"0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"}
// no bytes
>> {"jsonrpc":"2.0","id":69,"method":"web3_sha3","params":["0x"]}
<< {"jsonrpc":"2.0","id":69,"result":"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"}
// no text
>> {"jsonrpc":"2.0","id":70,"method":"web3_sha3","params":[""]}
<< {"jsonrpc":"2.0","id":70,"result":"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"}
// digits in any case
>> {"jsonrpc":"2.0","id":76,"method":"web3_sha3","params":["0x68656C6C6F"]}
<< {"jsonrpc":"2.0","id":76,"result":"0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"}
// not hex
>> {"jsonrpc":"2.0","id":71,"method":"web3_sha3","params":["hello"]}
<< {"jsonrpc":"2.0","id":71,"error":{"code":-32602,"message":"Invalid data params"}}
// half a byte
>> {"jsonrpc":"2.0","id":72,"method":"web3_sha3","params":["0x1"]}
<< {"jsonrpc":"2.0","id":72,"error":{"code":-32602,"message":"Invalid data params"}}
// a number
>> {"jsonrpc":"2.0","id":74,"method":"web3_sha3","params":[1]}
<< {"jsonrpc":"2.0","id":74,"error":{"code":-32602,"message":"Invalid data params"}}
// none, or what counts as none
>> {"jsonrpc":"2.0","id":73,"method":"web3_sha3","params":[]}
<< {"jsonrpc":"2.0","id":73,"error":{"code":-32602,"message":"Invalid number of params"}}
>> {"jsonrpc":"2.0","id":77,"method":"web3_sha3","params":[null]}
<< {"jsonrpc":"2.0","id":77,"error":{"code":-32602,"message":"Invalid number of params"}}
// one too many
>> {"jsonrpc":"2.0","id":75,"method":"web3_sha3","params":["0x00","0x00"]}
<< {"jsonrpc":"2.0","id":75,"error":{"code":-32602,"message":"Invalid number of params"}}
