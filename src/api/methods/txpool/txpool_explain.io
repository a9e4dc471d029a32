// three transactions: a transfer, a creation, and one behind a gap
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendRawTransaction","params":["0x02f85e82053907843b9aca0084b2d05e00830186a080808560006000f3c080a026a3df0aa9ba292465a55b3843f4dea5badf54c3cc85878f6d7f49f441a07c0ba051893f3f871fe7a05d8dbd64745e9159d5f4a0f4c8b0cfdfadc55245be5f2195"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0xf8660985012a05f2008252089422222222222222222222222222222222222222220180820a96a0f9c344e9927b86efa0ecd62b9688bbbb409c97b059d466ca83d25926da12b441a06c12d2370b27af3be92e27cab37a07866d241b86f576625e3ac8118fb4f8d3e3"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed"}

// nothing prevents its inclusion
>> {"jsonrpc":"2.0","id":4,"method":"txpool_explain","params":["0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"]}
<< {"jsonrpc":"2.0","id":4,"result":{"state":"pending","reason":"turn","since":"2026-01-01T00:00:00.000Z","sentence":"Nothing blocks it: it is one of 2 pending transactions, ordered by price and nonce."}}
>> {"jsonrpc":"2.0","id":5,"method":"txpool_explain","params":["0x647559973e6cf2a342e24a6bae151e8bb90050cc7d7053424a6b2e749872e20a"]}
<< {"jsonrpc":"2.0","id":5,"result":{"state":"pending","reason":"turn","since":"2026-01-01T00:00:00.000Z","sentence":"Nothing blocks it: it is one of 2 pending transactions, ordered by price and nonce."}}

// a nonce before it is missing
>> {"jsonrpc":"2.0","id":6,"method":"txpool_explain","params":["0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed"]}
<< {"jsonrpc":"2.0","id":6,"result":{"state":"queued","reason":"gap","since":"2026-01-01T00:00:00.000Z","sentence":"It waits for the transaction with nonce 8 of its sender, which is not in the pool. Send that transaction."}}

// below the base fee
>> {"jsonrpc":"2.0","id":7,"method":"eth_sendRawTransaction","params":["0xf863088203e88252089422222222222222222222222222222222222222220180820a95a0485eb1d1393ba40841b5c99043a02bb6a4220c4bc34f3895295b12d702a23052a0699230e02261c74763bc2d63b91938f012a6a4684695edff2f570dc2bab574f0"]}
<< {"jsonrpc":"2.0","id":7,"result":"0x90da7a406edc590dee8ad75ddb6940f57803124cca086410b1ce5cbe82bd4993"}
>> {"jsonrpc":"2.0","id":8,"method":"txpool_explain","params":["0x90da7a406edc590dee8ad75ddb6940f57803124cca086410b1ce5cbe82bd4993"]}
<< {"jsonrpc":"2.0","id":8,"result":{"state":"pending","reason":"price","since":"2026-01-01T00:00:00.000Z","sentence":"It pays at most 1000 wei per gas, but the base fee is 449556431. Wait until the base fee falls, or replace it with a higher max fee."}}

// what comes behind it waits for it
>> {"jsonrpc":"2.0","id":9,"method":"txpool_explain","params":["0x67df5c16ec50c4387159a6dff7648060a95b7ffce27abc84c049fde62321ceed"]}
<< {"jsonrpc":"2.0","id":9,"result":{"state":"pending","reason":"behind","since":"2026-01-01T00:00:00.000Z","sentence":"It waits behind the transaction with nonce 8 of its sender. It pays at most 1000 wei per gas, but the base fee is 449556431. Wait until the base fee falls, or replace it with a higher max fee."}}

// a replacement takes its place
>> {"jsonrpc":"2.0","id":10,"method":"eth_sendRawTransaction","params":["0xf86508843b9aca008252089422222222222222222222222222222222222222220180820a96a0fe12f2869ac26461ed9ae74c1717ede043cb0e031636398d5646ad6b1fe74f06a03fc22c864f4b2fdbd7c408fc6edc0691b74b5311e0a6c7a7aa350e210b822263"]}
<< {"jsonrpc":"2.0","id":10,"result":"0xe9ed6408e8a8c092fcd60258e0795087340139e074285d373e6f724f41f91222"}
>> {"jsonrpc":"2.0","id":11,"method":"txpool_explain","params":["0x90da7a406edc590dee8ad75ddb6940f57803124cca086410b1ce5cbe82bd4993"]}
<< {"jsonrpc":"2.0","id":11,"result":{"state":"dropped","reason":"replaced","since":"2026-01-01T00:00:00.000Z","sentence":"Transaction 0xe9ed6408e8a8c092fcd60258e0795087340139e074285d373e6f724f41f91222 has the same sender and nonce and took its place."}}

// one that is in a block
>> {"jsonrpc":"2.0","id":12,"method":"txpool_explain","params":["0x3219f946c908fe01477853aae31359b7f94395e19d84853192338d53651be83c"]}
<< {"jsonrpc":"2.0","id":12,"result":{"state":"mined","reason":"mined","sentence":"It is transaction 0 of block 1."}}

// unknown
>> {"jsonrpc":"2.0","id":13,"method":"txpool_explain","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":13,"result":null}

// no hash
>> {"jsonrpc":"2.0","id":14,"method":"txpool_explain","params":["0x12"]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
>> {"jsonrpc":"2.0","id":15,"method":"txpool_explain","params":[]}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
