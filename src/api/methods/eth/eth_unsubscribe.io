// options: --connected
// made first
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
// ended once
>> {"jsonrpc":"2.0","id":2,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Subscription not found"}}
// by number, or with zeros in front
>> {"jsonrpc":"2.0","id":4,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x2"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_unsubscribe","params":[2]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"eth_subscribe","params":["newHeads"]}
<< {"jsonrpc":"2.0","id":6,"result":"0x3"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_unsubscribe","params":["0x03","0x2"]}
<< {"jsonrpc":"2.0","id":7,"result":true}
// no such subscription
>> {"jsonrpc":"2.0","id":8,"method":"eth_unsubscribe","params":["0x99"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"Subscription not found"}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_unsubscribe","params":[1]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"Subscription not found"}}
// no id
>> {"jsonrpc":"2.0","id":10,"method":"eth_unsubscribe","params":["x"]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":11,"method":"eth_unsubscribe","params":[]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":12,"method":"eth_unsubscribe","params":[null]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32600,"message":"Invalid Request"}}
>> {"jsonrpc":"2.0","id":13,"method":"eth_unsubscribe","params":["0x123456789012345678"]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32600,"message":"Invalid Request"}}
