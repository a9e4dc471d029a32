// BFT networks have no ommers
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockNumberAndIndex","params":["0x2","0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
// no index
>> {"jsonrpc":"2.0","id":2,"method":"eth_getUncleByBlockNumberAndIndex","params":["0x2"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid block index params"}}
