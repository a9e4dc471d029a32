// the second
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockHashAndIndex","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":{"accessList":[],"blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockNumber":"0x2","blockTimestamp":"0x65000004","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x339ab9cd","maxPriorityFeePerGas":"0x5f5e100","maxFeePerGas":"0x77359400","hash":"0x97b1612f512380e32e63b95a3fae21072193e8bcabf9b7382d3976320c71cecc","input":"0x","nonce":"0x2","to":"0x2222222222222222222222222222222222222222","transactionIndex":"0x1","type":"0x2","value":"0x7","yParity":"0x1","v":"0x1","r":"0xcec8a00ade914822e747cd2c69c6ae33c141062b0fd19ab5a6f6f5d6419ca3f4","s":"0xb28816d27637b3750d7ed96facbdb2e9f98711951a90cd4a00389015a4e9de1"}}
// there is no third
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionByBlockHashAndIndex","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","0x2"]}
<< {"jsonrpc":"2.0","id":2,"result":null}
// no such block
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionByBlockHashAndIndex","params":["0x1212121212121212121212121212121212121212121212121212121212121212","0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// no index
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionByBlockHashAndIndex","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid transaction id params"}}
// no hash
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionByBlockHashAndIndex","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
