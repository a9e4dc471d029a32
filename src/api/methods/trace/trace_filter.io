// by called address
>> {"jsonrpc":"2.0","id":1,"method":"trace_filter","params":[{"fromBlock":"0x1","toBlock":"latest","toAddress":["0x3333333333333333333333333333333333333333"]}]}
<< {"jsonrpc":"2.0","id":1,"result":[{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x123cc","input":"0x","to":"0x3333333333333333333333333333333333333333","value":"0x0"},"blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockNumber":2,"result":{"gasUsed":"0xfcd","output":"0x000000000000000000000000000000000000000000000000000000000000002a"},"subtraces":0,"traceAddress":[],"transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionPosition":0,"type":"call"},{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x13498","input":"0x","to":"0x3333333333333333333333333333333333333333","value":"0x0"},"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":4,"result":{"gasUsed":"0x179d","output":"0x000000000000000000000000000000000000000000000000000000000000002b"},"subtraces":0,"traceAddress":[],"transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionPosition":1,"type":"call"}]}
// by caller and called address
>> {"jsonrpc":"2.0","id":2,"method":"trace_filter","params":[{"fromBlock":"0x1","toBlock":"0x4","fromAddress":"0x4a62316623ad457f02cdc5d997ded67a383ec569","toAddress":["0x4444444444444444444444444444444444444444"]}]}
<< {"jsonrpc":"2.0","id":2,"result":[{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x13498","input":"0x","to":"0x4444444444444444444444444444444444444444","value":"0x0"},"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":4,"error":"Reverted","revertReason":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000","subtraces":0,"traceAddress":[],"transactionHash":"0x32496e03143a14fcb5ece0d208e99d405bcb1d1465e6774d11f5903a42d607f9","transactionPosition":0,"type":"call"}]}
// the second of them
>> {"jsonrpc":"2.0","id":3,"method":"trace_filter","params":[{"fromBlock":"0x1","toBlock":"latest","toAddress":["0x3333333333333333333333333333333333333333"],"after":1,"count":1}]}
<< {"jsonrpc":"2.0","id":3,"result":[{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x13498","input":"0x","to":"0x3333333333333333333333333333333333333333","value":"0x0"},"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":4,"result":{"gasUsed":"0x179d","output":"0x000000000000000000000000000000000000000000000000000000000000002b"},"subtraces":0,"traceAddress":[],"transactionHash":"0xfa8d987b548cd32ac6cbc5fbb85186bf3b1fca380a4d8bc38bc34677fa1e6b2c","transactionPosition":1,"type":"call"}]}
// an address without calls
>> {"jsonrpc":"2.0","id":4,"method":"trace_filter","params":[{"fromBlock":"0x1","toBlock":"latest","fromAddress":["0x3333333333333333333333333333333333333333"]}]}
<< {"jsonrpc":"2.0","id":4,"result":[]}
// rewards are there without addresses only
>> {"jsonrpc":"2.0","id":5,"method":"trace_filter","params":[{"fromBlock":"0x5","toBlock":"0x5"}]}
<< {"jsonrpc":"2.0","id":5,"result":[{"action":{"author":"0x1111111111111111111111111111111111111111","rewardType":"block","value":"0x0"},"blockHash":"0x420b7a487c662242b6816b172e2a6f1a64243c2b964949c5f7d3e017fb599a53","blockNumber":5,"result":null,"subtraces":0,"traceAddress":[],"transactionHash":null,"transactionPosition":null,"type":"reward"}]}
// an empty range
>> {"jsonrpc":"2.0","id":6,"method":"trace_filter","params":[{"fromBlock":"0x1","count":0}]}
<< {"jsonrpc":"2.0","id":6,"result":[]}
// backwards
>> {"jsonrpc":"2.0","id":7,"method":"trace_filter","params":[{"fromBlock":"0x3","toBlock":"0x1"}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params"}}
// above the head
>> {"jsonrpc":"2.0","id":8,"method":"trace_filter","params":[{"fromBlock":"0x1","toBlock":"0x64"}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid params"}}
// a member that is not known
>> {"jsonrpc":"2.0","id":9,"method":"trace_filter","params":[{"foo":1}]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid filter params"}}
// a hex count
>> {"jsonrpc":"2.0","id":10,"method":"trace_filter","params":[{"count":"0x1"}]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid filter params"}}
