// logs of a contract
>> {"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"address":"0x3333333333333333333333333333333333333333","topics":["0x7"]}]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// a filter that makes no sense
>> {"jsonrpc":"2.0","id":2,"method":"eth_newFilter","params":[{"address":"zz"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid filter params"}}
// no filter
>> {"jsonrpc":"2.0","id":3,"method":"eth_newFilter","params":[]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid filter params"}}
// options: --rpc-max-active-filters=1
// one is allowed
>> {"jsonrpc":"2.0","id":4,"method":"eth_newFilter","params":[{}]}
<< {"jsonrpc":"2.0","id":4,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// and no second one
>> {"jsonrpc":"2.0","id":5,"method":"eth_newFilter","params":[{}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32005,"message":"Maximum number of active filters exceeded"}}
