// a call
>> {"jsonrpc":"2.0","id":1,"method":"trace_transaction","params":["0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749"]}
<< {"jsonrpc":"2.0","id":1,"result":[{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x123cc","input":"0x","to":"0x3333333333333333333333333333333333333333","value":"0x0"},"blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockNumber":2,"result":{"gasUsed":"0xfcd","output":"0x000000000000000000000000000000000000000000000000000000000000002a"},"subtraces":0,"traceAddress":[],"transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionPosition":0,"type":"call"}]}
// a reverted call
>> {"jsonrpc":"2.0","id":2,"method":"trace_transaction","params":["0x32496e03143a14fcb5ece0d208e99d405bcb1d1465e6774d11f5903a42d607f9"]}
<< {"jsonrpc":"2.0","id":2,"result":[{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x13498","input":"0x","to":"0x4444444444444444444444444444444444444444","value":"0x0"},"blockHash":"0xe39da02815e2879e41a6ff4d7c8326407cec064eb7e7ab89df9abf302caa82d5","blockNumber":4,"error":"Reverted","revertReason":"0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000","subtraces":0,"traceAddress":[],"transactionHash":"0x32496e03143a14fcb5ece0d208e99d405bcb1d1465e6774d11f5903a42d607f9","transactionPosition":0,"type":"call"}]}
// unknown
>> {"jsonrpc":"2.0","id":3,"method":"trace_transaction","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":3,"result":[]}
// not a hash
>> {"jsonrpc":"2.0","id":4,"method":"trace_transaction","params":["0x12"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid transaction hash params"}}
