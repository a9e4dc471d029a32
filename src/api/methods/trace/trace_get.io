// the call of the transaction itself
>> {"jsonrpc":"2.0","id":1,"method":"trace_get","params":["0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749",[]]}
<< {"jsonrpc":"2.0","id":1,"result":{"action":{"callType":"call","from":"0x4a62316623ad457f02cdc5d997ded67a383ec569","gas":"0x123cc","input":"0x","to":"0x3333333333333333333333333333333333333333","value":"0x0"},"blockHash":"0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e","blockNumber":2,"result":{"gasUsed":"0xfcd","output":"0x000000000000000000000000000000000000000000000000000000000000002a"},"subtraces":0,"traceAddress":[],"transactionHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","transactionPosition":0,"type":"call"}}
// there is no call inside it
>> {"jsonrpc":"2.0","id":2,"method":"trace_get","params":["0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749",["0x0"]]}
<< {"jsonrpc":"2.0","id":2,"result":null}
// unknown
>> {"jsonrpc":"2.0","id":3,"method":"trace_get","params":["0x1212121212121212121212121212121212121212121212121212121212121212",["0x0"]]}
<< {"jsonrpc":"2.0","id":3,"result":null}
// positions are hex
>> {"jsonrpc":"2.0","id":4,"method":"trace_get","params":["0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749",["0"]]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid trace numbers params"}}
// positions are missing
>> {"jsonrpc":"2.0","id":5,"method":"trace_get","params":["0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid number of params"}}
