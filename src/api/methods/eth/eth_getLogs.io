// of a contract
>> {"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"earliest","address":"0x3333333333333333333333333333333333333333"}]}
<< {"jsonrpc":"2.0","id":1,"result":[{"logIndex":"0x0","removed":false,"blockNumber":"0x2","blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockTimestamp":"0x65000004","transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionIndex":"0x0","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002a","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]},{"logIndex":"0x0","removed":false,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}]}
// by topic, in a block
>> {"jsonrpc":"2.0","id":2,"method":"eth_getLogs","params":[{"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","topics":[["0x7","0x8"]]}]}
<< {"jsonrpc":"2.0","id":2,"result":[{"logIndex":"0x0","removed":false,"blockNumber":"0x4","blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockTimestamp":"0x65000008","transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionIndex":"0x1","address":"0x3333333333333333333333333333333333333333","data":"0x000000000000000000000000000000000000000000000000000000000000002b","topics":["0x0000000000000000000000000000000000000000000000000000000000000007"]}]}
// any first topic and another behind it
>> {"jsonrpc":"2.0","id":3,"method":"eth_getLogs","params":[{"fromBlock":"0x0","topics":[null,"0x1"]}]}
<< {"jsonrpc":"2.0","id":3,"result":[]}
// without a range it is the head
>> {"jsonrpc":"2.0","id":4,"method":"eth_getLogs","params":[{}]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
// backwards
>> {"jsonrpc":"2.0","id":5,"method":"eth_getLogs","params":[{"fromBlock":"0x4","toBlock":"0x2"}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
// beyond the head
>> {"jsonrpc":"2.0","id":6,"method":"eth_getLogs","params":[{"fromBlock":"0x4","toBlock":"0x99"}]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params"}}
// a hash and a range
>> {"jsonrpc":"2.0","id":7,"method":"eth_getLogs","params":[{"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","fromBlock":"0x0"}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid filter params"}}
// an unknown block
>> {"jsonrpc":"2.0","id":8,"method":"eth_getLogs","params":[{"blockHash":"0x1212121212121212121212121212121212121212121212121212121212121212"}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"Block not found"}}
// an unknown member
>> {"jsonrpc":"2.0","id":9,"method":"eth_getLogs","params":[{"foo":1}]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid filter params"}}
// the block that stays: the head, where validators make blocks
>> {"jsonrpc":"2.0","id":10,"method":"eth_getLogs","params":[{"fromBlock":"safe"}]}
<< {"jsonrpc":"2.0","id":10,"result":[]}
// options: --rpc-max-logs-range=2
// more blocks than the operator allows
>> {"jsonrpc":"2.0","id":11,"method":"eth_getLogs","params":[{"fromBlock":"0x0","toBlock":"0x3"}]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32005,"message":"Requested range exceeds maximum RPC range limit"}}
// options: --rpc-max-logs-blocks=1
// more blocks to read than the operator allows: the first of them is within the limit
>> {"jsonrpc":"2.0","id":12,"method":"eth_getLogs","params":[{"fromBlock":"0x0","toBlock":"latest","address":"0x3333333333333333333333333333333333333333"}]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32005,"message":"Log query would read too many blocks","data":{"fromBlock":"0x0","toBlock":"0x3","blocks":1}}}
