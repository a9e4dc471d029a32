// three blocks with two percentiles
>> {"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x3","latest",[25,75]]}
<< {"jsonrpc":"2.0","id":1,"result":{"oldestBlock":"0x3","baseFeePerGas":["0x27f524b0","0x22fb7ceb","0x1e9fa45a","0x1acbafcf"],"baseFeePerBlobGas":["0x1","0x1","0x1","0x1"],"gasUsedRatio":[0.0019503333333333334,0.0016035,0],"blobGasUsedRatio":[0,0,0],"reward":[["0x5f5e100","0x5f5e100"],["0x5f5e100","0x5f5e100"],["0x0","0x0"]]}}
// a JSON number, and no more blocks than there are
>> {"jsonrpc":"2.0","id":2,"method":"eth_feeHistory","params":[10,"0x1"]}
<< {"jsonrpc":"2.0","id":2,"result":{"oldestBlock":"0x0","baseFeePerGas":["0x3b9aca00","0x342770c0","0x2da4d8cd"],"baseFeePerBlobGas":["0x0","0x1","0x1"],"gasUsedRatio":[0,0.0007],"blobGasUsedRatio":[0,0]}}
// no block at all
>> {"jsonrpc":"2.0","id":3,"method":"eth_feeHistory","params":["0x0","latest"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid block count params"}}
// too many
>> {"jsonrpc":"2.0","id":4,"method":"eth_feeHistory","params":[1025,"latest"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid block count params"}}
// above the head
>> {"jsonrpc":"2.0","id":5,"method":"eth_feeHistory","params":["0x1","0x99"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid block number params"}}
// percentiles that are no numbers
>> {"jsonrpc":"2.0","id":6,"method":"eth_feeHistory","params":["0x1","latest",["x"]]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid reward percentiles params"}}
