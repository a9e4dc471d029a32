// hashes of blocks from now on
>> {"jsonrpc":"2.0","id":1,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// options: --rpc-max-active-filters=1
// one is allowed
>> {"jsonrpc":"2.0","id":2,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// and no second one
>> {"jsonrpc":"2.0","id":3,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32005,"message":"Maximum number of active filters exceeded"}}
