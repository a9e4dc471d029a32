// HTTP has no subscriptions
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32604,"message":"Method not enabled (it notifies its caller; use a WebSocket connection)"}}
// options: --connected --own
// new blocks; removed blocks are not reported
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"debug_setHead","params":["0x3"]}
<< {"jsonrpc":"2.0","id":2,"result":"Success"}
>> {"jsonrpc":"2.0","id":3,"method":"debug_setHead","params":["0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53"]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"number":"0x4","hash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","mixHash":"0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365","parentHash":"0x1e4fd1d1054b3a5afc68cf829aff2acb26cae2cd4db7869490ee6a163b1ada46","nonce":"0x0000000000000000","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347","logsBloom":"0x00000000020000000000000000000000000000000000000000000000400000000000000000000000000000000000000000001000000000000000000000000400000020000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000","transactionsRoot":"0x46133d3fabafdb74ddfae3c3a4034af57c983cbc8b30f1becf70d0c18801dcb4","stateRoot":"0x558bcff6e6edb7cccbbb7c5897d7929bbea313fe09bb307156ee4756bdd8c737","receiptsRoot":"0xb8e0edc3e919e36565da838c71defe24ece4dde48d32db5ae2e69330b368b5c4","miner":"0x1111111111111111111111111111111111111111","difficulty":"0x1","totalDifficulty":"0x5","extraData":"0xf83aa00000000000000000000000000000000000000000000000000000000000000000d5941111111111111111111111111111111111111111c080c0","baseFeePerGas":"0x22fb7ceb","size":"0x36b","gasLimit":"0x1c9c380","gasUsed":"0xbbe9","timestamp":"0x65000008","uncles":[],"transactions":["0x32496e03143a14fcb5ece0d208e99d405bcb1d1465e6774d11f5903a42d607f9","0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c"],"withdrawalsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","withdrawals":[],"blobGasUsed":"0x0","excessBlobGas":"0x0","parentBeaconBlockRoot":"0x0000000000000000000000000000000000000000000000000000000000000000"}}}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"number":"0x5","hash":"0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53","mixHash":"0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365","parentHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","nonce":"0x0000000000000000","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347","logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","transactionsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","stateRoot":"0x558bcff6e6edb7cccbbb7c5897d7929bbea313fe09bb307156ee4756bdd8c737","receiptsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","miner":"0x1111111111111111111111111111111111111111","difficulty":"0x1","totalDifficulty":"0x6","extraData":"0xf83aa00000000000000000000000000000000000000000000000000000000000000000d5941111111111111111111111111111111111111111c080c0","baseFeePerGas":"0x1e9fa45a","size":"0x284","gasLimit":"0x1c9c380","gasUsed":"0x0","timestamp":"0x6500000a","uncles":[],"transactions":[],"withdrawalsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","withdrawals":[],"blobGasUsed":"0x0","excessBlobGas":"0x0","parentBeaconBlockRoot":"0x0000000000000000000000000000000000000000000000000000000000000000"}}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
// with whole transactions
>> {"jsonrpc":"2.0","id":5,"method":"debug_setHead","params":["0x3"]}
<< {"jsonrpc":"2.0","id":5,"result":"Success"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_subscribe","params":["newHeads",{"includeTransactions":true}]}
<< {"jsonrpc":"2.0","id":6,"result":"0x2"}
>> {"jsonrpc":"2.0","id":7,"method":"debug_setHead","params":["0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5"]}
<< {"jsonrpc":"2.0","id":7,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x2","result":{"number":"0x4","hash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","mixHash":"0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365","parentHash":"0x1e4fd1d1054b3a5afc68cf829aff2acb26cae2cd4db7869490ee6a163b1ada46","nonce":"0x0000000000000000","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347","logsBloom":"0x00000000020000000000000000000000000000000000000000000000400000000000000000000000000000000000000000001000000000000000000000000400000020000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000","transactionsRoot":"0x46133d3fabafdb74ddfae3c3a4034af57c983cbc8b30f1becf70d0c18801dcb4","stateRoot":"0x558bcff6e6edb7cccbbb7c5897d7929bbea313fe09bb307156ee4756bdd8c737","receiptsRoot":"0xb8e0edc3e919e36565da838c71defe24ece4dde48d32db5ae2e69330b368b5c4","miner":"0x1111111111111111111111111111111111111111","difficulty":"0x1","totalDifficulty":"0x5","extraData":"0xf83aa00000000000000000000000000000000000000000000000000000000000000000d5941111111111111111111111111111111111111111c080c0","baseFeePerGas":"0x22fb7ceb","size":"0x36b","gasLimit":"0x1c9c380","gasUsed":"0xbbe9","timestamp":"0x65000008","uncles":[],"transactions":[{"accessList":[],"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":"0x4","blockTimestamp":"0x65000008","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x28f15deb","maxPriorityFeePerGas":"0x5f5e100","maxFeePerGas":"0x77359400","hash":"0x32496e03143a14fcb5ece0d208e99d405bcb1d1465e6774d11f5903a42d607f9","input":"0x","nonce":"0x4","to":"0x4444444444444444444444444444444444444444","transactionIndex":"0x0","type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x38be0164c5a59c7f4485bd9b04874954858d4d6b9ebfbbeaef762f6598badad1","s":"0x385e3729d5d0bafa20871c85606cdc68e1bfdf9dce788553f9d1d58d7cbecbd4"},{"accessList":[],"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":"0x4","blockTimestamp":"0x65000008","chainId":"0x539","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x186a0","gasPrice":"0x28f15deb","maxPriorityFeePerGas":"0x5f5e100","maxFeePerGas":"0x77359400","hash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","input":"0x","nonce":"0x5","to":"0x3333333333333333333333333333333333333333","transactionIndex":"0x1","type":"0x2","value":"0x0","yParity":"0x0","v":"0x0","r":"0x2ecef7035602e24a64e7e9a0137adead14a99f8e543c1ab6d1dcb307db81e26a","s":"0x6cb90bd694c51632200c22b641cd4fa976838ac93a429e06378e8cffca5427d5"}],"withdrawalsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","withdrawals":[],"blobGasUsed":"0x0","excessBlobGas":"0x0","parentBeaconBlockRoot":"0x0000000000000000000000000000000000000000000000000000000000000000"}}}
// options: --connected --own
// logs: of blocks that leave they are marked as removed
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["logs",{"address":"0x3333333333333333333333333333333333333333"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"debug_setHead","params":["0x1"]}
<< {"jsonrpc":"2.0","id":2,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"logIndex":"0x0","removed":true,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"logIndex":"0x0","removed":true,"blockNumber":"0x2","blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockTimestamp":"0x65000004","transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionIndex":"0x0","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002a","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
>> {"jsonrpc":"2.0","id":3,"method":"debug_setHead","params":["0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53"]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"logIndex":"0x0","removed":false,"blockNumber":"0x2","blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockTimestamp":"0x65000004","transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionIndex":"0x0","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002a","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"logIndex":"0x0","removed":false,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
// a filter that no log passes is silent; what comes next is for the one after it, of which only the end of the range is told
>> {"jsonrpc":"2.0","id":4,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_subscribe","params":["logs",{"topics":["0x8"]}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x2"}
>> {"jsonrpc":"2.0","id":6,"method":"eth_subscribe","params":["logs",{"topics":["0x7"],"toBlock":"0x3"}]}
<< {"jsonrpc":"2.0","id":6,"result":"0x3"}
>> {"jsonrpc":"2.0","id":7,"method":"debug_setHead","params":["0x1"]}
<< {"jsonrpc":"2.0","id":7,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x3","result":{"logIndex":"0x0","removed":true,"blockNumber":"0x2","blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockTimestamp":"0x65000004","transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionIndex":"0x0","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002a","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
// options: --connected --own
// logs from a block of the past on: those that are there first, then those that come
>> {"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x3"]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["logs",{"fromBlock":"earliest"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"logIndex":"0x0","removed":false,"blockNumber":"0x2","blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockTimestamp":"0x65000004","transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionIndex":"0x0","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002a","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
>> {"jsonrpc":"2.0","id":3,"method":"debug_setHead","params":["0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53"]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"logIndex":"0x0","removed":false,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_subscribe","params":["logs",{"fromBlock":"0x3"}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x2"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x2","result":{"logIndex":"0x0","removed":false,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}}}
// a range that is empty is silent
>> {"jsonrpc":"2.0","id":6,"method":"eth_subscribe","params":["logs",{"fromBlock":"0x5","toBlock":"0x1"}]}
<< {"jsonrpc":"2.0","id":6,"result":"0x3"}
// options: --connected --own
// receipts of a block together; an empty block has none
>> {"jsonrpc":"2.0","id":1,"method":"debug_setHead","params":["0x3"]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["transactionReceipts"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}
>> {"jsonrpc":"2.0","id":3,"method":"debug_setHead","params":["0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53"]}
<< {"jsonrpc":"2.0","id":3,"result":"Success"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":[{"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":"0x4","contractAddress":null,"cumulativeGasUsed":"0x5244","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gasUsed":"0x5244","effectiveGasPrice":"0x28f15deb","logs":[],"logsBloom":"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000","status":"0x0","to":"0x4444444444444444444444444444444444444444","transactionHash":"0x32496e03143a14fcb5ece0d208e99d405bcb1d1465e6774d11f5903a42d607f9","transactionIndex":"0x0","type":"0x2"},{"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":"0x4","contractAddress":null,"cumulativeGasUsed":"0xbbe9","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gasUsed":"0x69a5","effectiveGasPrice":"0x28f15deb","logs":[{"address":"0x3333333333333333333333333333333333333333","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"],"data":"0x000000000000000000000000000000000000000000000000000000000000002b","blockNumber":"0x4","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","logIndex":"0x0","removed":false}],"logsBloom":"0x00000000020000000000000000000000000000000000000000000000400000000000000000000000000000000000000000001000000000000000000000000400000020000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000000000000000000000000","status":"0x1","to":"0x3333333333333333333333333333333333333333","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","type":"0x2"}]}}
// of transactions that are named
>> {"jsonrpc":"2.0","id":4,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_subscribe","params":["transactionReceipts",{"transactionHashes":["0x1212121212121212121212121212121212121212121212121212121212121212"]}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x2"}
// options: --connected --own
// transactions that come to the pool: hashes, and whole; what is included in a block was not dropped
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newPendingTransactions"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["newPendingTransactions",{"includeTransactions":true}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x2"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_subscribe","params":["droppedPendingTransactions"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x3"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_sendRawTransaction","params":["0xf8650684773594008252089422222222222222222222222222222222222222220180820a95a02dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071a0174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"]}
<< {"jsonrpc":"2.0","id":4,"result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c"}}
<< {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x2","result":{"from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x5208","gasPrice":"0x77359400","hash":"0xedf4cdbd347c44a24680d5c065e1213b9acf69d10b6abe4fb81067bc497e182c","input":"0x","nonce":"0x6","to":"0x2222222222222222222222222222222222222222","type":"0x0","value":"0x1","v":"0xa95","r":"0x2dba400e0b5be1f62302a0d8d61b63d8a100e90d3029990b669acb93d0ce7071","s":"0x174d71d95453455699ac9302941a57abdacca8cf5a41d6af411249ee9aeac2f0"}}}
// options: --connected
// whether the node synchronises: it does not
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["syncing"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["syncing",{}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x2"}
// what is no kind
>> {"jsonrpc":"2.0","id":6,"method":"eth_subscribe","params":["foo"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_subscribe","params":["NEWHEADS"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":8,"method":"eth_subscribe","params":[]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_subscribe","params":[5]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":10,"method":"eth_subscribe","params":[null]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"Invalid Request"}}
// options that its kind does not have
>> {"jsonrpc":"2.0","id":11,"method":"eth_subscribe","params":["newHeads",{"includeTransactions":"x"}]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":12,"method":"eth_subscribe","params":["newHeads",{"foo":1}]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":13,"method":"eth_subscribe","params":["newPendingTransactions",true]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":14,"method":"eth_subscribe","params":["transactionReceipts",{"transactionHashes":["0x12"]}]}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32600,"message":"Invalid Request"}}
// logs need a filter
>> {"jsonrpc":"2.0","id":15,"method":"eth_subscribe","params":["logs"]}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":16,"method":"eth_subscribe","params":["logs",null]}
<< {"jsonrpc":"2.0","id":16,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":17,"method":"eth_subscribe","params":["logs",{"foo":1}]}
<< {"jsonrpc":"2.0","id":17,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":18,"method":"eth_subscribe","params":["logs",{"address":"zz"}]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32600,"message":"Invalid Request"}}
// options: --connected --rpc-ws-max-active-subscriptions=1
// as many as allowed
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32005,"message":"Maximum number of active subscriptions exceeded"}}
// one that ended makes room; its number is not given again
>> {"jsonrpc":"2.0","id":3,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x2"}
// options: --connected --rpc-ws-max-active-subscriptions=0
// none at all
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["syncing"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Maximum number of active subscriptions exceeded"}}
