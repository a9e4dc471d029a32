// empty
>> {"jsonrpc":"2.0","id":1,"method":"txpool_clientPendingTransactions","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":[]}

// three transactions: a transfer, a creation, and one behind a gap
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":2,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransaction","params":["0xf8660985012a05f2008252089422222222222222222222222222222222222222220180820a96a0f9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441a06c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed"}

// all
>> {"jsonrpc":"2.0","id":5,"method":"txpool_clientPendingTransactions","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","transactionType":"FRONTIER"},{"accessList":[],"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0xb2d05e00","maxPriorityFeePerGas":"0x3b9aca00","maxFeePerGas":"0xb2d05e00","hash":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a","input":"0x60006000f3","nonce":"0x7","to":null,"transactionIndex":null,"type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x26a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0b","s":"0x51893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195","transactionType":"EIP1559"},{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x12a05f200","hash":"0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed","input":"0x","nonce":"0x9","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa96","r":"0xf9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441","s":"0x6c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8660985012a05f2008252089422222222222222222222222222222222222222220180820a96a0f9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441a06c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3","transactionType":"FRONTIER"}]}

// the name that Besu gives it
>> {"jsonrpc":"2.0","id":6,"method":"txpool_besuPendingTransactions","params":[1]}
<< {"jsonrpc":"2.0","id":6,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","transactionType":"FRONTIER"}]}

// at most so many
>> {"jsonrpc":"2.0","id":7,"method":"txpool_clientPendingTransactions","params":[0]}
<< {"jsonrpc":"2.0","id":7,"result":[]}
>> {"jsonrpc":"2.0","id":8,"method":"txpool_clientPendingTransactions","params":["1"]}
<< {"jsonrpc":"2.0","id":8,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","transactionType":"FRONTIER"}]}

// a fraction is cut off
>> {"jsonrpc":"2.0","id":9,"method":"txpool_clientPendingTransactions","params":[1.5]}
<< {"jsonrpc":"2.0","id":9,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","transactionType":"FRONTIER"}]}

// of a sender
>> {"jsonrpc":"2.0","id":10,"method":"txpool_clientPendingTransactions","params":[1,{"from":{"eq":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}}]}
<< {"jsonrpc":"2.0","id":10,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","transactionType":"FRONTIER"}]}
>> {"jsonrpc":"2.0","id":11,"method":"txpool_clientPendingTransactions","params":[null,{"from":{"EQ":"0x2222222222222222222222222222222222222222"}}]}
<< {"jsonrpc":"2.0","id":11,"result":[]}

// to an account
>> {"jsonrpc":"2.0","id":12,"method":"txpool_clientPendingTransactions","params":[9,{"to":{"eq":"0x2222222222222222222222222222222222222222"},"nonce":{"gt":"6"}}]}
<< {"jsonrpc":"2.0","id":12,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x12a05f200","hash":"0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed","input":"0x","nonce":"0x9","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa96","r":"0xf9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441","s":"0x6c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8660985012a05f2008252089422222222222222222222222222222222222222220180820a96a0f9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441a06c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3","transactionType":"FRONTIER"}]}

// creations
>> {"jsonrpc":"2.0","id":13,"method":"txpool_clientPendingTransactions","params":[9,{"to":{"action":"contract_creation"}}]}
<< {"jsonrpc":"2.0","id":13,"result":[{"accessList":[],"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0xb2d05e00","maxPriorityFeePerGas":"0x3b9aca00","maxFeePerGas":"0xb2d05e00","hash":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a","input":"0x60006000f3","nonce":"0x7","to":null,"transactionIndex":null,"type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x26a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0b","s":"0x51893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195","transactionType":"EIP1559"}]}

// by amounts
>> {"jsonrpc":"2.0","id":14,"method":"txpool_clientPendingTransactions","params":[9,{"gasPrice":{"gt":"0xb2d05e00"}}]}
<< {"jsonrpc":"2.0","id":14,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x12a05f200","hash":"0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed","input":"0x","nonce":"0x9","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa96","r":"0xf9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441","s":"0x6c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8660985012a05f2008252089422222222222222222222222222222222222222220180820a96a0f9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441a06c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3","transactionType":"FRONTIER"}]}
>> {"jsonrpc":"2.0","id":15,"method":"txpool_clientPendingTransactions","params":[9,{"gas":{"lt":21000}}]}
<< {"jsonrpc":"2.0","id":15,"result":[]}
>> {"jsonrpc":"2.0","id":16,"method":"txpool_clientPendingTransactions","params":[9,{"value":{"eq":"0"},"nonce":{"eq":"0x7"}}]}
<< {"jsonrpc":"2.0","id":16,"result":[{"accessList":[],"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0xb2d05e00","maxPriorityFeePerGas":"0x3b9aca00","maxFeePerGas":"0xb2d05e00","hash":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a","input":"0x60006000f3","nonce":"0x7","to":null,"transactionIndex":null,"type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x26a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0b","s":"0x51893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195","transactionType":"EIP1559"}]}

// what is not known, or says nothing, is ignored
>> {"jsonrpc":"2.0","id":17,"method":"txpool_clientPendingTransactions","params":[1,{"foo":1,"from":null,"to":{}}]}
<< {"jsonrpc":"2.0","id":17,"result":[{"blockHash":null,"blockNumber":null,"blockTimestamp":null,"chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","transactionIndex":null,"type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","publicKey":"0x989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f631f4d05b3ae518776ee08755a7703e64b2ebc32547504de0b55a142d4ecdf80","raw":"0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0","transactionType":"FRONTIER"}]}

// no number
>> {"jsonrpc":"2.0","id":18,"method":"txpool_clientPendingTransactions","params":[-1]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32602,"message":"Invalid transaction limit params"}}
>> {"jsonrpc":"2.0","id":19,"method":"txpool_clientPendingTransactions","params":["0x2"]}
<< {"jsonrpc":"2.0","id":19,"error":{"code":-32602,"message":"Invalid transaction limit params"}}
>> {"jsonrpc":"2.0","id":20,"method":"txpool_clientPendingTransactions","params":[true]}
<< {"jsonrpc":"2.0","id":20,"error":{"code":-32602,"message":"Invalid transaction limit params"}}
>> {"jsonrpc":"2.0","id":21,"method":"txpool_clientPendingTransactions","params":[3000000000]}
<< {"jsonrpc":"2.0","id":21,"error":{"code":-32602,"message":"Invalid transaction limit params"}}
>> {"jsonrpc":"2.0","id":22,"method":"txpool_clientPendingTransactions","params":[{"from":{"eq":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}}]}
<< {"jsonrpc":"2.0","id":22,"error":{"code":-32602,"message":"Invalid transaction limit params"}}

// no conditions
>> {"jsonrpc":"2.0","id":23,"method":"txpool_clientPendingTransactions","params":[1,"x"]}
<< {"jsonrpc":"2.0","id":23,"error":{"code":-32602,"message":"Invalid pending transactions params"}}
>> {"jsonrpc":"2.0","id":24,"method":"txpool_clientPendingTransactions","params":[1,[]]}
<< {"jsonrpc":"2.0","id":24,"error":{"code":-32602,"message":"Invalid pending transactions params"}}
>> {"jsonrpc":"2.0","id":25,"method":"txpool_clientPendingTransactions","params":[1,{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}]}
<< {"jsonrpc":"2.0","id":25,"error":{"code":-32602,"message":"Invalid pending transactions params"}}
>> {"jsonrpc":"2.0","id":26,"method":"txpool_clientPendingTransactions","params":[1,{"from":{"eq":{}}}]}
<< {"jsonrpc":"2.0","id":26,"error":{"code":-32602,"message":"Invalid pending transactions params"}}

// conditions that make no sense
>> {"jsonrpc":"2.0","id":27,"method":"txpool_clientPendingTransactions","params":[1,{"from":{"gt":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}}]}
<< {"jsonrpc":"2.0","id":27,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":28,"method":"txpool_clientPendingTransactions","params":[1,{"to":{"lt":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}}]}
<< {"jsonrpc":"2.0","id":28,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":29,"method":"txpool_clientPendingTransactions","params":[1,{"gas":{"action":"0x1"}}]}
<< {"jsonrpc":"2.0","id":29,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":30,"method":"txpool_clientPendingTransactions","params":[1,{"gas":{"gt":"0x1","lt":"0x9"}}]}
<< {"jsonrpc":"2.0","id":30,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":31,"method":"txpool_clientPendingTransactions","params":[1,{"gas":{"ne":"0x1"}}]}
<< {"jsonrpc":"2.0","id":31,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":32,"method":"txpool_clientPendingTransactions","params":[1,{"from":{"eq":"0x01"}}]}
<< {"jsonrpc":"2.0","id":32,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":33,"method":"txpool_clientPendingTransactions","params":[1,{"nonce":{"eq":"a"}}]}
<< {"jsonrpc":"2.0","id":33,"error":{"code":-32602,"message":"Invalid filter params"}}
>> {"jsonrpc":"2.0","id":34,"method":"txpool_clientPendingTransactions","params":[1,{"value":{"eq":null}}]}
<< {"jsonrpc":"2.0","id":34,"error":{"code":-32602,"message":"Invalid filter params"}}
