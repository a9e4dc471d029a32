// at the head
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x6"}
// with pending transactions: the pool is empty
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

// options: --network-id=1337

// three transactions: a transfer, a creation, and one behind a gap
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransaction","params":["0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0xf8660985012a05f2008252089422222222222222222222222222222222222222220180820a96a0f9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441a06c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed"}

// pending ones are counted, queued ones are not
>> {"jsonrpc":"2.0","id":4,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","pending"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x8"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_getTransactionCount","params":["0x4a62316623ad457f02cdc5d997ded67a383ec569","latest"]}
<< {"jsonrpc":"2.0","id":5,"result":"0x6"}

// of one that has none in the pool
>> {"jsonrpc":"2.0","id":6,"method":"eth_getTransactionCount","params":["0x2222222222222222222222222222222222222222","pending"]}
<< {"jsonrpc":"2.0","id":6,"result":"0x0"}
