// five blocks, a minute apart
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_mine","params":["0x5","0x3c"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x5"}

// one block
>> {"jsonrpc":"2.0","id":3,"method":"hardhat_mine","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":true}
>> {"jsonrpc":"2.0","id":4,"method":"anvil_mine","params":["0x1","0x0"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"eth_blockNumber","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x7"}

// too many
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_mine","params":["0x2711"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params","data":"A request produces at most 10000 blocks."}}
