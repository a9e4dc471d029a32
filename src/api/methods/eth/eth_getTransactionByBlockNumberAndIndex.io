// with an access list
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x2","0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":{"accessList":[{"address":"0x3333333333333333333333333333333333333333","storageKeys":["0x0000000000000000000000000000000000000000000000000000000000000000"]}],"blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockNumber":"0x2","blockTimestamp":"0x65000004","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x77359400","hash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","input":"0x","nonce":"0x1","to":"0x3333333333333333333333333333333333333333","transactionIndex":"0x0","type":"0x1","value":"0x0","yParity":"0x0","v":"0x0","r":"0x197e3af98ad42659829aa6459e883a8e87cc30fa4920fcfc9a0cb2151a7b82e2","s":"0x70dcb87595cb633cfe0641d2ecee9c1ad78e75b867247f79459394581ed4f617"}}
// a decimal text
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x1","0"]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHash":"0xcbb06c190065ac3014a8638720b0d676483c017c63317ac749606fcdf28f8d37","blockNumber":"0x1","blockTimestamp":"0x65000002","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x77359400","hash":"0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c","input":"0x","nonce":"0x0","to":"0x2222222222222222222222222222222222222222","transactionIndex":"0x0","type":"0x0","value":"0x5","v":"0xa95","r":"0x696cc24be09a223a2900995e9a3179476463cceea3466c8d4f27e1fc89afb672","s":"0x450102856f744a96b2000d5f033c61a093b208fb18d52832d6a7b0bfcc4db77c"}}
// above the head
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x99","0x0"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// no index
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x2"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid transaction index params"}}
// no number
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionByBlockNumberAndIndex","params":["x","0x0"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
