// an account with code and a slot, as JSON before gzip: {"accounts":{"0x…aa":{"nonce":1,"balance":"0x2","code":"0x00","storage":{"0x0":"0x3"}}}}
>> {"jsonrpc":"2.0","id":1,"method":"anvil_loadState","params":["0x1f8b0800000000000003ab564a4c4ece2fcd2b2956b2aa5632a830200a24268254e7e5e725a72a5919ea282525e62482d94a0615464a3a4ac9f929108e8181928e5271497e51627a2ad402b0b8b1526d6d6d2d00d2e1da417d000000"]}
<< {"jsonrpc":"2.0","id":1,"result":true}
>> {"jsonrpc":"2.0","id":2,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000aa","latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x2"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_getStorageAt","params":["0x00000000000000000000000000000000000000aa","0x0","latest"]}
<< {"jsonrpc":"2.0","id":3,"result":"0x0000000000000000000000000000000000000000000000000000000000000003"}
>> {"jsonrpc":"2.0","id":4,"method":"eth_getCode","params":["0x00000000000000000000000000000000000000aa","latest"]}
<< {"jsonrpc":"2.0","id":4,"result":"0x00"}
>> {"jsonrpc":"2.0","id":5,"method":"hardhat_loadState","params":["0x1f8b0800000000000003ab564a4c4ece2fcd2b2956b2aa5632a830200a24268254e7e5e725a72a5919ea282525e62482d94a0615464a3a4ac9f929108e8181928e5271497e51627a2ad402b0b8b1526d6d6d2d00d2e1da417d000000"]}
<< {"jsonrpc":"2.0","id":5,"result":true}

// not gzip, or not JSON
>> {"jsonrpc":"2.0","id":6,"method":"anvil_loadState","params":["0x00"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params","data":"The state is not gzipped JSON with accounts, as anvil_dumpState returns it."}}
>> {"jsonrpc":"2.0","id":7,"method":"anvil_loadState","params":["0x1f8b0800000000000003abae050043bfa6a302000000"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params","data":"The state is not gzipped JSON with accounts, as anvil_dumpState returns it."}}
