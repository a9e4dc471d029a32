// a contract that succeeds at one time only
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setCode","params":["0x00000000000000000000000000000000000000aa","0x4263f486570014600d575f5ffd5b00"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_estimateGas","params":[{"to":"0x00000000000000000000000000000000000000aa"}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"Execution reverted","data":"0x"}}
>> {"jsonrpc":"2.0","id":3,"method":"evm_setNextBlockTimestamp","params":[4102444800]}
<< {"jsonrpc":"2.0","id":3,"result":null}
>> {"jsonrpc":"2.0","id":4,"method":"eth_estimateGas","params":[{"to":"0x00000000000000000000000000000000000000aa"}]}
<< {"jsonrpc":"2.0","id":4,"result":"0x52c3"}
>> {"jsonrpc":"2.0","id":5,"method":"eth_sendTransaction","params":[{"to":"0x00000000000000000000000000000000000000aa"}]}
<< {"jsonrpc":"2.0","id":5,"result":"0x0ccf7457122c25b5c00178cadfd19640a55b7241cb4f8f89d18f9ad67c9d305b"}

// one that needs a PREVRANDAO
>> {"jsonrpc":"2.0","id":6,"method":"anvil_setCode","params":["0x00000000000000000000000000000000000000bb","0x44602a14600a575f5ffd5b00"]}
<< {"jsonrpc":"2.0","id":6,"result":true}
>> {"jsonrpc":"2.0","id":7,"method":"hardhat_setPrevRandao","params":["0x2a"]}
<< {"jsonrpc":"2.0","id":7,"result":true}
>> {"jsonrpc":"2.0","id":8,"method":"eth_estimateGas","params":[{"to":"0x00000000000000000000000000000000000000bb"}]}
<< {"jsonrpc":"2.0","id":8,"result":"0x52c3"}

// after a block
>> {"jsonrpc":"2.0","id":9,"method":"eth_estimateGas","params":[{"to":"0x00000000000000000000000000000000000000bb"},"latest"]}
<< {"jsonrpc":"2.0","id":9,"error":{"code":3,"message":"Execution reverted","data":"0x"}}
