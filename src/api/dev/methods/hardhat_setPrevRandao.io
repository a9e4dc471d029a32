// read by a contract in the next block
>> {"jsonrpc":"2.0","id":1,"method":"hardhat_setPrevRandao","params":["0x2a"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"anvil_setCode","params":["0x00000000000000000000000000000000000000aa","0x4460005500"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"eth_sendTransaction","params":[{"to":"0x00000000000000000000000000000000000000aa","gas":"0x186a0"}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x8d3c6f14f223a47ebf124b97460ea3b9eb7613413f0baaf161c98f9026d8ac8e"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getStorageAt","params":["0x00000000000000000000000000000000000000aa","0x0","latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x000000000000000000000000000000000000000000000000000000000000002a"}
>> {"jsonrpc":"2.0","id":5,"method":"anvil_setPrevRandao","params":["0x1"]}
<< {"jsonrpc":"2.0","id":5,"result":true}

// more than 256 bits
>> {"jsonrpc":"2.0","id":6,"method":"hardhat_setPrevRandao","params":["0x10000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params"}}
