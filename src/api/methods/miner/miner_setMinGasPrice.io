// a price
>> {"jsonrpc":"2.0","id":1,"method":"miner_setMinGasPrice","params":["0x3e9"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
// what fees are proposed by knows it
>> {"jsonrpc":"2.0","id":2,"method":"miner_setMinGasPrice","params":["0x2540be400"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_gasPrice","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x2540be400"}
// digits without 0x are hex
>> {"jsonrpc":"2.0","id":4,"method":"miner_setMinGasPrice","params":["1001"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
// and so are those of a number
>> {"jsonrpc":"2.0","id":5,"method":"miner_setMinGasPrice","params":[1001]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"miner_getMinGasPrice","params":[]}
<< {"jsonrpc":"2.0","id":6,"result":"0x1001"}
// no hex
>> {"jsonrpc":"2.0","id":7,"method":"miner_setMinGasPrice","params":["zz"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid min gas price params","data":"Illegal character 'z' found at index 0 in hex binary representation"}}
// less than nothing
>> {"jsonrpc":"2.0","id":8,"method":"miner_setMinGasPrice","params":["-0x1"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid min gas price params","data":"Illegal character '-' found at index 0 in hex binary representation"}}
// more than 256 bits
>> {"jsonrpc":"2.0","id":9,"method":"miner_setMinGasPrice","params":["0x10000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid min gas price params","data":"Hex value is too large: expected at most 32 bytes but got 33"}}
// no price
>> {"jsonrpc":"2.0","id":10,"method":"miner_setMinGasPrice","params":[]}
<< {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid min gas price params"}}
// what cannot be one
>> {"jsonrpc":"2.0","id":11,"method":"miner_setMinGasPrice","params":[{}]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"Invalid min gas price params"}}
// what was wrong changed nothing
>> {"jsonrpc":"2.0","id":12,"method":"miner_getMinGasPrice","params":[]}
<< {"jsonrpc":"2.0","id":12,"result":"0x1001"}
