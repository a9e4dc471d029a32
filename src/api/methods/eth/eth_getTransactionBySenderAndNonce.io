// the first
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x0"]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHash":"0xcbb06c190065ac3014a8638720b0d676483c017c63317ac749606fcdf28f8d37","blockNumber":"0x1","blockTimestamp":"0x65000002","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x77359400","hash":"0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c","input":"0x","nonce":"0x0","to":"0x2222222222222222222222222222222222222222","transactionIndex":"0x0","type":"0x0","value":"0x5","v":"0xa95","r":"0x696cc24be09a223a2900995e9a3179476463cceea3466c8d4f27e1fc89afb672","s":"0x450102856f744a96b2000d5f033c61a093b208fb18d52832d6a7b0bfcc4db77c"}}
// in the middle, decimal
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","3"]}
<< {"jsonrpc":"2.0","id":2,"result":{"accessList":[],"blockHash":"0x1e4fd1d1054b3a5afc68cf829aff2acb26cae2cd4db7869490ee6a163b1ada46","blockNumber":"0x3","blockTimestamp":"0x65000006","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x2deb05b0","maxPriorityFeePerGas":"0x5f5e100","maxFeePerGas":"0x77359400","hash":"0x290a1b9210861676bbea7bed9fa3b3735539be4671d6af9af7711752f73d7438","input":"0x60198060093d393df360005460010180600055600052600760206000a160206000f3","nonce":"0x3","to":null,"transactionIndex":"0x0","type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0xb80646bd0fcee777e227c57d2b2f8db80a34ea2298338e8507e2211ca805bca0","s":"0x3e12a3db482018e59d7cb7a3f0b4dbcb601da8d3b71f410d5deb2c17f064d1e7"}}
// not sent yet
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x6"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// one parameter missing
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid number of params"}}
// no nonce
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","x"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid nonce params"}}

// options: --network-id=1337

// one that waits in the pool
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x6"]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x5"]}
<< {"jsonrpc":"2.0","id":3,"result":{"accessList":[],"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":"0x4","blockTimestamp":"0x65000008","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x28f15deb","maxPriorityFeePerGas":"0x5f5e100","maxFeePerGas":"0x77359400","hash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","input":"0x","nonce":"0x5","to":"0x3333333333333333333333333333333333333333","transactionIndex":"0x1","type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x2ecef7035602e24a64e7e9a0137adead14a99f8e543c1ab6d1dcb307db81e26a","s":"0x6cb90bd694c51632200c22b641cd4fa976838ac93a429e06378e8cffca5427d5"}}

// neither here nor there
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionBySenderAndNonce","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","0x7"]}
<< {"jsonrpc":"2.0","id":4,"result":null}
