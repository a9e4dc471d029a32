// two bytes
>> {"jsonrpc":"2.0","id":1,"method":"miner_setExtraData","params":["0x1234"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
// without 0x
>> {"jsonrpc":"2.0","id":2,"method":"miner_setExtraData","params":["1234"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
// none
>> {"jsonrpc":"2.0","id":3,"method":"miner_setExtraData","params":["0x"]}
<< {"jsonrpc":"2.0","id":3,"result":true}
// 33 bytes
>> {"jsonrpc":"2.0","id":4,"method":"miner_setExtraData","params":["0x000000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid extra data params","data":"Hex value is too large: expected at most 32 bytes but got 33"}}
// no hex
>> {"jsonrpc":"2.0","id":5,"method":"miner_setExtraData","params":["zz"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid extra data params","data":"Illegal character 'z' found at index 0 in hex binary representation"}}
// nothing
>> {"jsonrpc":"2.0","id":6,"method":"miner_setExtraData","params":[]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid extra data params","data":"Missing required json rpc parameter at index 0"}}
