// BFT networks have no ommers
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockHashAndIndex","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
// no index
>> {"jsonrpc":"2.0","id":2,"method":"eth_getUncleByBlockHashAndIndex","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid block index params"}}
