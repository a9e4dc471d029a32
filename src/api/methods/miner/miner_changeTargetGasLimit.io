// a gas limit
>> {"jsonrpc":"2.0","id":1,"method":"miner_changeTargetGasLimit","params":[30000000]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
// as text
>> {"jsonrpc":"2.0","id":2,"method":"miner_changeTargetGasLimit","params":["30000000"]}
<< {"jsonrpc":"2.0","id":2,"result":"Success"}
// hex is none
>> {"jsonrpc":"2.0","id":3,"method":"miner_changeTargetGasLimit","params":["0x1c9c380"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid target gas limit params"}}
// less than any block may have
>> {"jsonrpc":"2.0","id":4,"method":"miner_changeTargetGasLimit","params":[4999]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32011,"message":"The node is not attempting to target a gas limit so the target can't be changed"}}
>> {"jsonrpc":"2.0","id":5,"method":"miner_changeTargetGasLimit","params":[-1]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32011,"message":"The node is not attempting to target a gas limit so the target can't be changed"}}
// no number
>> {"jsonrpc":"2.0","id":6,"method":"miner_changeTargetGasLimit","params":["x"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid target gas limit params"}}
// more than 63 bits
>> {"jsonrpc":"2.0","id":7,"method":"miner_changeTargetGasLimit","params":[9223372036854776000]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid target gas limit params"}}
>> {"jsonrpc":"2.0","id":8,"method":"miner_changeTargetGasLimit","params":["9223372036854775808"]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid target gas limit params"}}
// nothing
>> {"jsonrpc":"2.0","id":9,"method":"miner_changeTargetGasLimit","params":[]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid target gas limit params"}}
