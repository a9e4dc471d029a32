// an empty block
>> {"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x1"}

// several blocks
>> {"jsonrpc":"2.0","id":3,"method":"evm_mine","params":[{"blocks":3}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":4,"result":"0x4"}

// a block at a time
>> {"jsonrpc":"2.0","id":5,"method":"evm_mine","params":[4102444800]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0"}
>> {"jsonrpc":"2.0","id":6,"method":"evm_mine","params":[{"timestamp":"0xf4865710","blocks":"0x2"}]}
<< {"jsonrpc":"2.0","id":6,"result":"0x0"}
>> {"jsonrpc":"2.0","id":7,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":7,"result":"0x7"}

// too many, or not a number
>> {"jsonrpc":"2.0","id":8,"method":"evm_mine","params":[{"blocks":10001}]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"Invalid params","data":"A request produces at most 10000 blocks."}}
>> {"jsonrpc":"2.0","id":9,"method":"evm_mine","params":["x"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid params"}}
