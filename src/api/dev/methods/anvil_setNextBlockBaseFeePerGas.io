// for one block; prices are filled in for it
>> {"jsonrpc":"2.0","id":1,"method":"anvil_setNextBlockBaseFeePerGas","params":["0x3b9aca00"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_sendTransaction","params":[{"to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1"}]}
<< {"jsonrpc":"2.0","id":2,"result":"0x6718bce86bdbcc27c503f1249c40bfd5f54a5640f2b39dbf4ae656f64149829a"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_feeHistory","params":["0x1","latest",[]]}
<< {"jsonrpc":"2.0","id":3,"result":{"oldestBlock":"0x1","baseFeePerGas":["0x3b9aca00","0x342770c1"],"baseFeePerBlobGas":["0x1","0x1"],"gasUsedRatio":[2.331468351712829e-12],"blobGasUsedRatio":[0],"reward":[[]]}}
>> {"jsonrpc":"2.0","id":4,"method":"hardhat_setNextBlockBaseFeePerGas","params":["0x1"]}
<< {"jsonrpc":"2.0","id":4,"result":true}

// more than 256 bits
>> {"jsonrpc":"2.0","id":5,"method":"anvil_setNextBlockBaseFeePerGas","params":["0x10000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}}
