// made first
>> {"jsonrpc":"2.0","id":1,"method":"eth_newBlockFilter","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0xa087eaf300b349c98706c4ebfb2627fd"}
// there was one
>> {"jsonrpc":"2.0","id":2,"method":"eth_uninstallFilter","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// and now there is none
>> {"jsonrpc":"2.0","id":3,"method":"eth_uninstallFilter","params":["0xa087eaf300b349c98706c4ebfb2627fd"]}
<< {"jsonrpc":"2.0","id":3,"result":false}
// no id
>> {"jsonrpc":"2.0","id":4,"method":"eth_uninstallFilter","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid filter params"}}
