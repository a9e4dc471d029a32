// a legacy transaction
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByHash","params":["0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c"]}
<< {"jsonrpc":"2.0","id":1,"result":{"blockHash":"0xcbb06c190065ac3014a8638720b0d676483c017c63317ac749606fcdf28f8d37","blockNumber":"0x1","blockTimestamp":"0x65000002","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x77359400","hash":"0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c","input":"0x","nonce":"0x0","to":"0x2222222222222222222222222222222222222222","transactionIndex":"0x0","type":"0x0","value":"0x5","v":"0xa95","r":"0x696cc24be09a223a2900995e9a3179476463cceea3466c8d4f27e1fc89afb672","s":"0x450102856f744a96b2000d5f033c61a093b208fb18d52832d6a7b0bfcc4db77c"}}
// a creation
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionByHash","params":["0x290a1b9210861676bbea7bed9fa3b3735539be4671d6af9af7711752f73d7438"]}
<< {"jsonrpc":"2.0","id":2,"result":{"accessList":[],"blockHash":"0x1e4fd1d1054b3a5afc68cf829aff2acb26cae2cd4db7869490ee6a163b1ada46","blockNumber":"0x3","blockTimestamp":"0x65000006","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x2deb05b0","maxPriorityFeePerGas":"0x5f5e100","maxFeePerGas":"0x77359400","hash":"0x290a1b9210861676bbea7bed9fa3b3735539be4671d6af9af7711752f73d7438","input":"0x60198060093d393df360005460010180600055600052600760206000a160206000f3","nonce":"0x3","to":null,"transactionIndex":"0x0","type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0xb80646bd0fcee777e227c57d2b2f8db80a34ea2298338e8507e2211ca805bca0","s":"0x3e12a3db482018e59d7cb7a3f0b4dbcb601da8d3b71f410d5deb2c17f064d1e7"}}
// no such transaction
>> {"jsonrpc":"2.0","id":3,"method":"eth_getTransactionByHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// no hash
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionByHash","params":["0x12"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
// one parameter too many
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionByHash","params":["0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c",true]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid number of params"}}

// options: --network-id=1337

// one that waits in the pool
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getTransactionByHash","params":["0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"]}
<< {"jsonrpc":"2.0","id":2,"result":{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"}}

// its price is the most that it may pay
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionByHash","params":["0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"]}
<< {"jsonrpc":"2.0","id":4,"result":{"accessList":[],"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0xb2d05e00","maxPriorityFeePerGas":"0x3b9aca00","maxFeePerGas":"0xb2d05e00","hash":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a","input":"0x60006000f3","nonce":"0x7","to":null,"transactionIndex":null,"type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x26a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0b","s":"0x51893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195"}}
