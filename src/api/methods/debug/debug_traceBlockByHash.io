// each transaction
>> {"jsonrpc":"2.0","id":1,"method":"debug_traceBlockByHash","params":["0xa9beea0e7b00e76479b379b4f0b5360ea8f058023ce089643427ff717740608e",{"tracer":"4byteTracer"}]}
<< {"jsonrpc":"2.0","id":1,"result":[{"txHash":"0x5565f1c0977eeb9e9d0489c80e4156e01675edd315e55503d036ef3883550749","result":{}},{"txHash":"0x97b1612f512380e32e63b95a3fae21072193e8bcabf9b7382d3976320c71cecc","result":{}}]}
// unknown
>> {"jsonrpc":"2.0","id":2,"method":"debug_traceBlockByHash","params":["0x1212121212121212121212121212121212121212121212121212121212121212"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Block not found"}}
// not a hash
>> {"jsonrpc":"2.0","id":3,"method":"debug_traceBlockByHash","params":["x"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid block hash params"}}
